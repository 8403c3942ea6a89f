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
from rrmlinear.catalog.rows import BOUNDS, NEEDED, RegularizerRow, resolved
from rrmlinear.core.loading import named

if TYPE_CHECKING:
    from rrmlinear.regularizers.base import Regularizer

#: Largest absolute value of weights without penalty, where no limit is chosen.
LIMIT = 1000.0
# A weight within this fraction of its limit counts as at the limit.
NEAR_LIMIT = 1e-3
#: The choices of factors of penalties.
FACTORS = frozenset({"penalty_factors", "group_weights"})
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


def _weighted(place: str) -> Callable[..., Regularizer]:
    """What makes a regularizer of groups and their factors, if these are not the usual ones."""

    def build(groups: Any, factors: Any, radius: float | None = None) -> Regularizer:
        numbers = (groups,) if factors is USUAL else (groups, factors)
        return _made(f"groups.group_norms:{place}")(*numbers, radius=radius)

    return build


def _of_rows(place: str) -> Callable[..., Regularizer]:
    """What makes a regularizer whose groups are the weights of each feature, with their factors."""

    def build(factors: Any, radius: float | None = None) -> Regularizer:
        groups = ROWS if factors is USUAL else np.arange(np.size(factors))
        return _weighted(place)(groups, factors, radius=radius)

    return build


def _sparse_groups(
    groups: Any, l1: float, factors: Any, radius: float | None = None
) -> Regularizer:
    own = None if factors is USUAL else factors
    return _made("groups.group_norms:SparseGroups")(groups, own, l1, radius=radius)


def _squared_group_norm(groups: Any, factors: Any) -> Regularizer:
    inner = _weighted("L2Groups")(groups, factors)
    omega: Regularizer = named("regularizers.groups.of_norm:NormPower")(inner)
    return omega


def _trace_norm(radius: float | None = None) -> Regularizer:
    if radius is None:
        return _made("spectral:TraceNorm")()
    return _made("spectral:Spectral")(_l1(1, radius=radius))


_l1 = _made("separable:L1")
_l2_groups = _made("groups.group_norms:L2Groups")
#: Groups of the weights of a feature, and their usual factors.
ROWS, USUAL = "rows", ()


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
        excludes=tuple((name, "radius") for name in ("l1", *BOUNDS)),
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
        _weighted("L2Groups"),
        {"groups": NEEDED, "group_weights": USUAL},
        radius=True,
    ),
    RegularizerRow(
        "sparse-group-lasso",
        "the value of group-lasso plus S times the 1-norm",
        "S ‖W‖₁ + Σ_g √d_g ‖w_g‖₂",
        _sparse_groups,
        {"groups": NEEDED, "l1": 1.0, "group_weights": USUAL},
        radius=True,
    ),
    RegularizerRow(
        "exclusive-lasso",
        "the sum of the squared 1-norm of each group",
        "Σ_g ‖w_g‖₁²",
        _weighted("ExclusiveLasso"),
        {"groups": NEEDED, "group_weights": USUAL},
    ),
    RegularizerRow(
        "squared-group-norm",
        "the square of group-lasso",
        "(Σ_g √d_g ‖w_g‖₂)²",
        _squared_group_norm,
        {"groups": NEEDED, "group_weights": USUAL},
    ),
    RegularizerRow(
        "l21",
        "the sum over features of the norm of their weights",
        "Σ_j ‖W_j‖₂",
        _of_rows("L2Groups"),
        {"penalty_factors": USUAL},
        radius=True,
        needs=COLUMNS,
        single="l1",
    ),
    RegularizerRow(
        "l1inf",
        "the sum over features of the largest absolute value of their weights",
        "Σ_j max |W_j|",
        _of_rows("LinfGroups"),
        {"penalty_factors": USUAL},
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
    numbers, free = resolved(row.takes, choices), free_columns(choices)
    limit = LIMIT if choices.limit is None else choices.limit
    for name in FACTORS & numbers.keys():
        if numbers[name] is not USUAL:  # free weights are those of Unpenalized
            factors, is_one = checked_factors(numbers[name], name), np.ndim(numbers[name]) == 0
            numbers[name] = np.where(factors == 0, 1.0, factors)[0 if is_one else ...]
    radius = {"radius": choices.radius} if row.radius else {}
    omega: Regularizer = row.build(*numbers.values(), **radius)
    if row.bounded and any(getattr(choices, name) is not None for name in BOUNDS):
        low: Any = -np.inf if choices.lower is None else choices.lower
        high: Any = np.inf if choices.upper is None else choices.upper
        if np.ndim(low) == np.ndim(high) == 0 and low > high:
            raise ChoiceError(
                *(Named("lower", low), " is above ", Named("upper", high)),
                "; no weight lies between them",
            )
        each: Any = 1.0 if choices.penalty_factors is None else choices.penalty_factors
        return _made("bounded:Bounded")(omega, low, high, each, limit)
    if free is not None:
        kind = "spectral:UnpenalizedSpectral" if row.name == "trace-norm" else "bounded:Unpenalized"
        omega = _made(kind)(omega, free, limit)
    return omega


def checked_factors(factors: Any, name: str) -> NDArray[np.float64]:
    """Factors of at least 0, one or several. Raises ValueError for others, with the first."""
    checked: NDArray[np.float64] = named("regularizers.bounded:checked_factors")(factors, name)
    return checked


def free_columns(choices: Choices) -> NDArray[Any] | None:
    """The columns whose weights have no penalty: named, or of a factor of 0; None for none.

    Raises ValueError for numbers of columns and groups that are none.
    """
    for name in (*BOUNDS, "group_weights", "unpenalized"):
        if (value := getattr(choices, name)) is not None:
            check_numbers(name, value)
    if choices.unpenalized is not None:
        return np.asarray(choices.unpenalized)
    if choices.penalty_factors is not None and not np.all(choices.penalty_factors):
        return np.flatnonzero(np.asarray(choices.penalty_factors) == 0)
    if choices.group_weights is None or np.all(choices.group_weights):
        return None
    groups: Any = choices.groups
    if np.ndim(groups[0]) == 0:
        groups = [np.flatnonzero(np.equal(groups, number)) for number in np.unique(groups)]
    often = len(groups) if np.ndim(choices.group_weights) == 0 else 1  # one number stands for all
    factors = np.ravel(choices.group_weights).tolist() * often
    found = [each for each, factor in zip(groups, factors, strict=False) if factor == 0]
    return np.concatenate(found) if found else None


def check_numbers(name: str, value: Any) -> None:
    """Raise ValueError for the choice of this name that is no number and no list of them."""
    try:
        np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number or a list of them, got {value!r}") from None


def weight_at_limit(weights: NDArray[np.float64], choices: Choices) -> str:
    """A sentence on a weight (of d × k) without penalty that has come to its limit, or ""."""
    free = free_columns(choices)
    if free is None:
        return ""
    columns = np.sort(free)
    limit = LIMIT if choices.limit is None else choices.limit
    at = columns[np.abs(weights[columns]).max(axis=1) >= limit * (1 - NEAR_LIMIT)]
    if at.size == 0:
        return ""
    return (
        f"the weight of unpenalized column {at[0]} is at the limit {limit:g}: the minimum and the "
        "gap are those within the limit"
    )
