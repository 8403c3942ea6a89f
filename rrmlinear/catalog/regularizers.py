"""The table of regularizers. A new one is a class, its stub, and a row here.

Builders import their class when they are called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.choices import Choices
from rrmlinear.catalog.errors import ChoiceError, Named
from rrmlinear.catalog.rows import NEEDED, RegularizerRow, resolved

if TYPE_CHECKING:
    from rrmlinear.regularizers.base import Norm, Regularizer

#: Largest absolute value of weights without penalty, where no limit is chosen.
LIMIT = 1000.0
# A weight within this fraction of its limit counts as at the limit.
NEAR_LIMIT = 1e-3
CONVEX = frozenset({"strongly-convex", "soft-threshold"})
COLUMNS = frozenset({"several-columns"})


def _or_ball(norm: Callable[..., Norm]) -> Callable[..., Regularizer]:
    """A norm of the numbers of a row, or the constraint norm ≤ radius."""

    def build(*numbers: Any, radius: float | None = None) -> Regularizer:
        if radius is None:
            return norm(*numbers)
        from rrmlinear.regularizers.groups.of_norm import NormBall

        return NormBall(norm(*numbers), radius)

    return build


def _over_rows(norm: Callable[..., Norm]) -> Callable[..., Regularizer]:
    """The same where the weights of a feature are a group."""

    def build(radius: float | None = None) -> Regularizer:
        from rrmlinear.regularizers.groups.columns import ROWS

        return _or_ball(norm)(ROWS, radius=radius)

    return build


def _l2() -> Regularizer:
    from rrmlinear.regularizers.separable import L2

    return L2()


def _elastic_net(l1: float) -> Regularizer:
    from rrmlinear.regularizers.separable import ElasticNet

    return ElasticNet(l1)


def _l1(l1: float) -> Norm:
    from rrmlinear.regularizers.separable import L1

    return L1(l1)


def _l2_groups(*groups: Any) -> Norm:
    from rrmlinear.regularizers.groups.group_norms import L2Groups

    return L2Groups(*groups)


def _linf_groups(*groups: Any) -> Norm:
    from rrmlinear.regularizers.groups.group_norms import LinfGroups

    return LinfGroups(*groups)


def _sparse_groups(groups: Any, l1: float) -> Norm:
    from rrmlinear.regularizers.groups.group_norms import SparseGroups

    return SparseGroups(groups, l1=l1)


def _exclusive_lasso(groups: Any) -> Regularizer:
    from rrmlinear.regularizers.groups.group_norms import ExclusiveLasso

    return ExclusiveLasso(groups)


def _squared_group_norm(groups: Any) -> Regularizer:
    from rrmlinear.regularizers.groups.of_norm import NormPower

    return NormPower(_l2_groups(groups))


def _elastic_ball(l1: float, radius: float) -> Regularizer:
    from rrmlinear.regularizers.bounded import ElasticBall

    return ElasticBall(l1, radius)


def _trace_norm(radius: float | None = None) -> Regularizer:
    from rrmlinear.regularizers.spectral import Spectral, TraceNorm

    return TraceNorm() if radius is None else Spectral(_or_ball(_l1)(1, radius=radius))


def _table(*rows: RegularizerRow) -> dict[str, RegularizerRow]:
    return {row.name: row for row in rows}


#: Regularizers by name: weights w_g of group g, d_g of them, and W_j of feature j in all columns.
REGULARIZERS: Mapping[str, RegularizerRow] = _table(
    RegularizerRow(
        "l2", "half the squared norm", "½‖W‖²", _l2, {}, CONVEX | {"linear"}, bounded=True
    ),
    RegularizerRow(
        "elastic-net",
        "half the squared norm plus S times the 1-norm",
        "½‖W‖² + S ‖W‖₁",
        _elastic_net,
        {"l1": NEEDED},
        CONVEX,
        bounded=True,
    ),
    RegularizerRow(
        "l1",
        "S times the 1-norm",
        "S ‖W‖₁",
        _or_ball(_l1),
        {"l1": 1.0},
        frozenset({"soft-threshold"}),
        positive=("l1",),
        radius=True,
        bounded=True,
        excludes=(("l1", "radius"), ("lower", "radius"), ("upper", "radius")),
    ),
    RegularizerRow(
        "elastic-ball",
        "no term, but a constraint: the value of elastic-net is at most R",
        "none: the constraint ½‖W‖² + S ‖W‖₁ ≤ R",
        _elastic_ball,
        {"l1": NEEDED, "radius": NEEDED},
    ),
    RegularizerRow("l2-norm", "the Euclidean norm", "‖W‖₂", _or_ball(_l2_groups), radius=True),
    RegularizerRow(
        "linf", "the largest absolute value", "max |w|", _or_ball(_linf_groups), radius=True
    ),
    RegularizerRow(
        "group-lasso",
        "the sum of sqrt(size) times the norm of each group",
        "Σ_g √d_g ‖w_g‖₂",
        _or_ball(_l2_groups),
        {"groups": NEEDED},
        radius=True,
    ),
    RegularizerRow(
        "sparse-group-lasso",
        "the value of group-lasso plus S times the 1-norm",
        "S ‖W‖₁ + Σ_g √d_g ‖w_g‖₂",
        _or_ball(_sparse_groups),
        {"groups": NEEDED, "l1": 1.0},
        radius=True,
    ),
    RegularizerRow(
        "exclusive-lasso",
        "the sum of the squared 1-norm of each group",
        "Σ_g ‖w_g‖₁²",
        _exclusive_lasso,
        {"groups": NEEDED},
    ),
    RegularizerRow(
        "squared-group-norm",
        "the square of group-lasso",
        "(Σ_g √d_g ‖w_g‖₂)²",
        _squared_group_norm,
        {"groups": NEEDED},
    ),
    RegularizerRow(
        "l21",
        "the sum over features of the norm of their weights",
        "Σ_j ‖W_j‖₂",
        _over_rows(_l2_groups),
        radius=True,
        needs=COLUMNS,
        single="l1",
    ),
    RegularizerRow(
        "l1inf",
        "the sum over features of the largest absolute value of their weights",
        "Σ_j max |W_j|",
        _over_rows(_linf_groups),
        radius=True,
        needs=COLUMNS,
        single="l1",
    ),
    RegularizerRow(
        "trace-norm",
        "the sum of the singular values",
        "the sum of the singular values of W",
        _trace_norm,
        radius=True,
        needs=COLUMNS,
        single="l2-norm",
    ),
)


def build_regularizer(row: RegularizerRow, choices: Choices) -> Regularizer:
    """The regularizer of a row with the numbers chosen, its bounds and columns without penalty."""
    numbers = resolved(row.takes, choices)
    radius = {"radius": choices.radius} if row.radius else {}
    omega: Regularizer = row.build(*numbers.values(), **radius)
    if choices.lower is not None or choices.upper is not None:
        low: Any = -np.inf if choices.lower is None else choices.lower
        high: Any = np.inf if choices.upper is None else choices.upper
        if np.ndim(low) == np.ndim(high) == 0 and low > high:
            raise ChoiceError(
                *(Named("lower", low), " is above ", Named("upper", high)),
                "; no weight lies between them",
            )
        from rrmlinear.regularizers.bounded import Bounded

        omega = Bounded(omega, low, high)
    if choices.unpenalized is not None:
        limit = LIMIT if choices.limit is None else choices.limit
        omega = _beside_unpenalized(omega)(omega, choices.unpenalized, limit)
    return omega


def _beside_unpenalized(omega: Regularizer) -> Callable[..., Regularizer]:
    """What leaves columns without penalty beside this one."""
    from rrmlinear.regularizers.bounded import Unpenalized
    from rrmlinear.regularizers.spectral import Spectral, UnpenalizedSpectral

    return UnpenalizedSpectral if isinstance(omega, Spectral) else Unpenalized


def weight_at_limit(weights: NDArray[np.float64], choices: Choices) -> str:
    """A sentence on a weight (of d × k) without penalty that has come to its limit, or ""."""
    if choices.unpenalized is None:
        return ""
    columns = np.sort(np.asarray(choices.unpenalized))
    limit = LIMIT if choices.limit is None else choices.limit
    at = columns[np.abs(weights[columns]).max(axis=1) >= limit * (1 - NEAR_LIMIT)]
    if at.size == 0:
        return ""
    return (
        f"the weight of unpenalized column {at[0]} is at the limit {limit:g}: the minimum and the "
        "gap are those within the limit"
    )
