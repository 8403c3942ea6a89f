"""A condition on the duals of a risk: the duals that it admits, and those that attain F."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.line import Line
from rrmlinear.risks.terms import ScalarTerms

Vector = NDArray[np.float64]


class Condition(Protocol):
    """A condition as callers give it to a risk, without data."""

    @property
    def has_intercept(self) -> bool: ...

    def over(self, terms: ScalarTerms) -> Any:
        """The condition on the duals of these examples."""
        ...


class Bound:
    """A condition on the duals of given examples. It does not change.

    ``warm`` is the end of an earlier search, None at first. Those below have `best` too, of scores
    and ``warm``: the admitted α with the largest −Σ c_i (s_i α_i + φ*(−α_i)), and the multipliers;
    `dual_steps`, as those of a risk, with admitted duals; and `admits`, of duals.
    """

    #: The names in `Risk.offers` of a risk under this condition.
    offers: frozenset[Hashable] = frozenset()
    #: Whether the duals that `best` finds attain F, from wherever it begins.
    attains = True

    def moved(self, scores: Any, best: Any) -> Any:
        """Scores at which Σ c_i φ is F less `added`."""
        return scores + best.intercept

    def added(self, best: Any) -> float:
        """What the condition adds to F."""
        return 0.0

    def total(self, best: Any) -> float | None:
        """Σ c_i φ at the moved scores, where the search found it."""
        return None

    def kept(self, curvatures: Vector, best: Any) -> Vector:
        """c_i φ'' at the moved scores, 0 where example i does not enter ∇²F."""
        return curvatures

    def directions(self, best: Any) -> tuple[Vector, ...]:
        """The directions in which scores are free, for `Hessian`."""
        return (np.ones(len(best.alphas)),)

    def nearby(self, at: Any, warm: Any) -> Any:
        """See `Evaluation.nearby`."""
        return warm

    def line(self, at: Any, moves: Any) -> Line:
        """See `Evaluation.line`."""
        return Line(at, moves)


@dataclass(frozen=True)
class Search:
    """The end of a search for one number.

    ``move`` is the distance it went, 0 if unknown; ``rate`` the rate at which the sum fell, None if
    unknown.
    """

    at: float = 0.0
    move: float = 0.0
    rate: float | None = None

    def moved(self, shift: float) -> Search:
        """The search that begins at the number moved by ``shift``."""
        return replace(self, at=self.at + shift)


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
    #: Σ c_i φ at the moved scores, where the search found it.
    total: float | None = None


def check_scores(scores: Vector) -> None:
    """Raise FloatingPointError for scores that have overflowed."""
    if not np.isfinite(scores.sum()):
        raise FloatingPointError("scores are not finite; scale the data")
