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
from rrmlinear.core.loading import named

if TYPE_CHECKING:
    from rrmlinear.regularizers.base import Regularizer

#: Largest absolute value of weights without penalty, where no limit is chosen.
LIMIT = 1000.0
# A weight within this fraction of its limit counts as at the limit.
NEAR_LIMIT = 1e-3
CONVEX = frozenset({"strongly-convex", "soft-threshold"})
COLUMNS = frozenset({"several-columns"})


def _made(place: str, *first: Any) -> Callable[..., Regularizer]:
    """What makes a regularizer of the numbers of a row, behind those that come ``first``, or the
    constraint norm ≤ radius.
    """

    def build(*numbers: Any, radius: float | None = None) -> Regularizer:
        omega: Regularizer = named(f"regularizers.{place}")(*first, *numbers)
        return (
            omega
            if radius is None
            else named("regularizers.groups.of_norm:NormBall")(omega, radius)
        )

    return build


def _sparse_groups(groups: Any, l1: float, radius: float | None = None) -> Regularizer:
    return _made("groups.group_norms:SparseGroups")(groups, None, l1, radius=radius)


def _squared_group_norm(groups: Any) -> Regularizer:
    omega: Regularizer = named("regularizers.groups.of_norm:NormPower")(_l2_groups(groups))
    return omega


def _trace_norm(radius: float | None = None) -> Regularizer:
    if radius is None:
        return _made("spectral:TraceNorm")()
    return _made("spectral:Spectral")(_l1(1, radius=radius))


_l1 = _made("separable:L1")
_l2_groups = _made("groups.group_norms:L2Groups")
#: Groups of the weights of a feature.
ROWS = "rows"


def _table(*rows: RegularizerRow) -> dict[str, RegularizerRow]:
    return {row.name: row for row in rows}


#: Regularizers by name: weights w_g of group g, d_g of them, and W_j of feature j in all columns.
REGULARIZERS: Mapping[str, RegularizerRow] = _table(
    RegularizerRow(
        "l2",
        "half the squared norm",
        "½‖W‖²",
        _made("separable:L2"),
        {},
        CONVEX | {"linear"},
        bounded=True,
    ),
    RegularizerRow(
        "elastic-net",
        "half the squared norm plus S times the 1-norm",
        "½‖W‖² + S ‖W‖₁",
        _made("separable:ElasticNet"),
        {"l1": NEEDED},
        CONVEX,
        bounded=True,
    ),
    RegularizerRow(
        "l1",
        "S times the 1-norm",
        "S ‖W‖₁",
        _l1,
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
        _made("bounded:ElasticBall"),
        {"l1": NEEDED, "radius": NEEDED},
    ),
    RegularizerRow("l2-norm", "the Euclidean norm", "‖W‖₂", _l2_groups, radius=True),
    RegularizerRow(
        "linf",
        "the largest absolute value",
        "max |w|",
        _made("groups.group_norms:LinfGroups"),
        radius=True,
    ),
    RegularizerRow(
        "group-lasso",
        "the sum of sqrt(size) times the norm of each group",
        "Σ_g √d_g ‖w_g‖₂",
        _l2_groups,
        {"groups": NEEDED},
        radius=True,
    ),
    RegularizerRow(
        "sparse-group-lasso",
        "the value of group-lasso plus S times the 1-norm",
        "S ‖W‖₁ + Σ_g √d_g ‖w_g‖₂",
        _sparse_groups,
        {"groups": NEEDED, "l1": 1.0},
        radius=True,
    ),
    RegularizerRow(
        "exclusive-lasso",
        "the sum of the squared 1-norm of each group",
        "Σ_g ‖w_g‖₁²",
        _made("groups.group_norms:ExclusiveLasso"),
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
        _made("groups.group_norms:L2Groups", ROWS),
        radius=True,
        needs=COLUMNS,
        single="l1",
    ),
    RegularizerRow(
        "l1inf",
        "the sum over features of the largest absolute value of their weights",
        "Σ_j max |W_j|",
        _made("groups.group_norms:LinfGroups", ROWS),
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
        omega = _made("bounded:Bounded")(omega, low, high)
    if choices.unpenalized is not None:
        limit = LIMIT if choices.limit is None else choices.limit
        kind = "spectral:UnpenalizedSpectral" if row.name == "trace-norm" else "bounded:Unpenalized"
        omega = _made(kind)(omega, choices.unpenalized, limit)
    return omega


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
