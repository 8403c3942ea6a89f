"""A condition on the duals of a risk: the duals that it admits, and those that attain F."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.terms import ScalarTerms

Vector = NDArray[np.float64]


class Condition(Protocol):
    """A condition as callers give it to a risk, without data."""

    @property
    def has_intercept(self) -> bool: ...

    def over(self, terms: ScalarTerms) -> Bound:
        """The condition on the duals of these examples."""
        ...


class Bound(Protocol):
    """A condition on the duals of given examples. It does not change.

    ``warm`` is the end of an earlier search, None at first.
    """

    @property
    def offers(self) -> frozenset[Hashable]:
        """The names in `Risk.offers` of a risk under this condition."""
        ...

    def best(self, scores: Vector, warm: Any) -> Any:
        """The admitted α with the largest −Σ c_i (s_i α_i + φ*(−α_i)), and the multipliers."""
        ...

    def dual_steps(
        self, scores: Vector, alphas: Vector | float, curvatures: Vector | float, warm: Any
    ) -> tuple[Vector, Any]:
        """The admitted α' with the largest Σ c_i [−φ*(−α') − s_i α' − ½ q_i (α' − α_i)²]."""
        ...

    def admits(self, alphas: Vector) -> bool: ...
    def moved(self, scores: Vector, best: Any) -> Vector:
        """Scores at which Σ c_i φ is F less `added`."""
        ...

    def added(self, best: Any) -> float: ...
    def kept(self, curvatures: Vector, best: Any) -> Vector:
        """c_i φ'' at the moved scores, 0 where example i does not enter ∇²F."""
        ...

    def directions(self, best: Any) -> tuple[Vector, ...]:
        """The directions in which scores are free, for `Hessian`."""
        ...


@dataclass(frozen=True)
class Search:
    """The end of a search for one number.

    ``move`` is the distance it went, 0 if unknown; ``rate`` the rate at which the sum fell, None if
    unknown.
    """

    at: float = 0.0
    move: float = 0.0
    rate: float | None = None


@dataclass(frozen=True, eq=False)
class Best:
    """Duals that attain F.

    They are minus the derivatives at scores moved by ``intercept`` and, in the direction of α_i, by
    ``penalty`` η ≥ 0, the multiplier of a budget.
    """

    alphas: Vector
    intercept: float | None
    penalty: float
    warm: Any


def check_scores(scores: Vector) -> None:
    """Raise FloatingPointError for scores that have overflowed."""
    if not np.isfinite(scores.sum()):
        raise FloatingPointError("scores are not finite; scale the data")
