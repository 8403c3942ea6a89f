"""Regularizers by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.regularizers.bounded import Bounded
from rrmlinear.regularizers.elastic_ball import ElasticBall
from rrmlinear.regularizers.groups.columns import ROWS
from rrmlinear.regularizers.groups.exclusive_lasso import ExclusiveLasso
from rrmlinear.regularizers.groups.group_norms import L2Groups, LinfGroups, SparseGroups
from rrmlinear.regularizers.groups.norm import Norm
from rrmlinear.regularizers.groups.of_norm import NormBall, NormPower
from rrmlinear.regularizers.separable import L1, L2, ElasticNet
from rrmlinear.regularizers.spectral import Spectral, TraceNorm
from rrmlinear.regularizers.unpenalized import Unpenalized
from rrmlinear.training.entries import RegularizerType

if TYPE_CHECKING:
    from rrmlinear.training.parameter import Parameter

Build = Callable[["Parameter"], Regularizer]

BOUNDS = ("lower", "upper")
#: How far the weights of unpenalized columns may go.
LIMIT = 1000.0
# A weight within this part of its limit may want to go on.
NEAR_LIMIT = 1e-3


def _or(value: float | None, default: float) -> float:
    return default if value is None else value


def _limited(build: Build) -> Build:
    """The same within bounds, or with columns left alone, where these are chosen."""

    def limited(parameter: Parameter) -> Regularizer:
        omega = build(parameter)
        if parameter.lower is not None or parameter.upper is not None:
            low = -np.inf if parameter.lower is None else parameter.lower
            high = np.inf if parameter.upper is None else parameter.upper
            omega = Bounded(omega, low, high)
        if parameter.unpenalized is not None:
            omega = Unpenalized(omega, parameter.unpenalized, _or(parameter.limit, LIMIT))
        return omega

    return limited


def _or_ball(build: Callable[[Parameter], Norm]) -> Build:
    """A norm, or in constraint form where a radius is chosen."""

    def either(parameter: Parameter) -> Regularizer:
        norm = build(parameter)
        return norm if parameter.radius is None else NormBall(norm, parameter.radius)

    return either


def _trace_norm(parameter: Parameter) -> Regularizer:
    if parameter.radius is None:
        return TraceNorm()
    return Spectral(NormBall(L1(1), parameter.radius))


def _type(
    name: str,
    build: Build,
    takes: tuple[str, ...] = (),
    needs: tuple[str, ...] = (),
    single: str = "",
) -> RegularizerType:
    return RegularizerType(name, _limited(build), takes, needs, single)


REGULARIZERS = {
    kind.name: kind
    for kind in (
        _type("l2", lambda p: L2(), BOUNDS),
        _type("elastic-net", lambda p: ElasticNet(_or(p.l1, 0)), ("l1", *BOUNDS), ("l1",)),
        _type("l1", _or_ball(lambda p: L1(_or(p.l1, 1))), ("l1", "radius", *BOUNDS)),
        _type(
            "elastic-ball",
            lambda p: ElasticBall(_or(p.l1, 0), _or(p.radius, 1)),
            ("l1", "radius"),
            ("l1", "radius"),
        ),
        _type("l2-norm", _or_ball(lambda p: L2Groups()), ("radius",)),
        _type("linf", _or_ball(lambda p: LinfGroups()), ("radius",)),
        _type(
            "group-lasso",
            _or_ball(lambda p: L2Groups(p.groups)),
            ("groups", "radius"),
            ("groups",),
        ),
        _type(
            "sparse-group-lasso",
            _or_ball(lambda p: SparseGroups(p.groups, l1=_or(p.l1, 1))),
            ("l1", "groups", "radius"),
            ("groups",),
        ),
        _type("exclusive-lasso", lambda p: ExclusiveLasso(p.groups), ("groups",), ("groups",)),
        _type(
            "squared-group-norm",
            lambda p: NormPower(L2Groups(p.groups)),
            ("groups",),
            ("groups",),
        ),
        _type("l21", _or_ball(lambda p: L2Groups(ROWS)), ("radius",), single="l1"),
        _type("l1inf", _or_ball(lambda p: LinfGroups(ROWS)), ("radius",), single="l1"),
        _type("trace-norm", _trace_norm, ("radius",), single="l2-norm"),
    )
}


def news_of_limit(weights: NDArray[np.float64], regularizer: Regularizer) -> str:
    """What to say of columns without a penalty whose weights, d × k, have come to their limit."""
    if not isinstance(regularizer, Unpenalized):
        return ""
    columns, limit = regularizer.columns, regularizer.limit
    at = columns[np.abs(weights[columns]).max(axis=1) >= limit * (1 - NEAR_LIMIT)]
    if at.size == 0:
        return ""
    return (
        f"the weight of unpenalized column {at[0]} is at the limit {limit:g}: the minimum, and the "
        "gap, are those within it"
    )
