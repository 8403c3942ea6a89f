"""A condition on the duals of a risk: which are admitted, and which of them attain F."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.terms import ScalarTerms

Vector = NDArray[np.float64]


class Condition(Protocol):
    """A condition as a risk is given it. It holds no data."""

    @property
    def has_intercept(self) -> bool: ...

    def over(self, terms: ScalarTerms) -> Bound:
        """The condition on the duals of these examples."""
        ...


class Bound(Protocol):
    """A condition on the duals of given examples. It does not change.

    ``warm`` is where an earlier search ended, None at first.
    """

    @property
    def offers(self) -> frozenset[Hashable]:
        """What a risk under it offers, as `Risk.offers` names it."""
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
        """Those of c_i φ'' at the moved scores that enter the second derivative of F."""
        ...

    def directions(self, best: Any) -> tuple[Vector, ...]:
        """Along which the scores move freely, as `Hessian` takes them."""
        ...


@dataclass(frozen=True)
class Search:
    """Where a search for one number ended.

    ``move`` is how far it went, 0 if unknown. ``rate`` is how fast the sum fell, None if unknown.
    """

    at: float = 0.0
    move: float = 0.0
    rate: float | None = None


@dataclass(frozen=True, eq=False)
class Best:
    """Duals that attain F.

    They are the derivatives, with a minus, at scores moved by ``intercept``, and by ``penalty``
    η ≥ 0, the multiplier of a budget, towards the side of α_i.
    """

    alphas: Vector
    intercept: float | None
    penalty: float
    warm: Any


def check_scores(scores: Vector) -> None:
    """Raise FloatingPointError for scores that have overflowed."""
    if not np.isfinite(scores.sum()):
        raise FloatingPointError("scores are not finite; scale the data")
