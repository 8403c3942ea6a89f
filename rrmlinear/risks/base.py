"""F at given scores: the interface of risks to solvers over all examples."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.cached import cached_property
from rrmlinear.risks.hessian import Hessian
from rrmlinear.risks.line import ClassLine, Line, moved
from rrmlinear.risks.terms import ScalarTerms

Array = NDArray[np.float64]


class Risk(Protocol):
    """F(w), a convex function of the scores X w, and its conjugate.

    A risk has no state. A search may start at the end of an earlier one, which callers pass as
    ``warm``; the same arguments give the same bits.
    """

    #: Names of abilities that only some risks have.
    #:
    #: "hessian": `Evaluation.hessian`. "gram": `gram`. "envelope": ``smoothed`` also of a loss that
    #: is smooth already. "balance": duals have Σ c_i α_i = 0 over all examples. "box": each dual
    #: has an interval of its own and no condition but "balance"; ``rows`` are the rows of X.
    #: "boxes": the same for each of ``tasks``, with a sum of 0 in each where ``is_free``.
    offers: Any = frozenset()

    @property
    def shape(self) -> tuple[int, ...]: ...
    def scores(self, w: Array) -> Array: ...
    def at(self, scores: Array, warm: Any = None) -> Evaluation: ...
    def gradient(self, derivatives: Array) -> Array: ...
    def conjugate(self, alphas: Array) -> float: ...

    def duals(self, alphas: Array) -> Array:
        """The duals α in the form that a Result holds."""
        return alphas

    def complete(self, w: Array, at: Evaluation | None = None) -> Array:
        """The weights w in the form that a Result holds; ``at`` is F at their scores, if known."""
        return w


class Evaluation:
    """F at scores. Each quantity is computed at its first use and kept.

    ``terms`` are the sums Σ c_i φ(s_i, y_i) without a condition, as in `ScalarTerms`.
    """

    #: The ends of searches, for the next `at` or `dual_steps`; None without a search.
    warm: Any = None
    #: The best intercept: None without one, a number, or an array of one for each task.
    intercept: Any = None
    #: Whether ``value`` is above F where a search begins far from the best intercepts.
    is_above: bool = False

    def __init__(self, risk: Any, terms: Any, scores: Array) -> None:
        self.risk, self.terms, self.scores = risk, terms, scores

    @cached_property
    def value(self) -> float:
        """F."""
        return self.terms.total(self.scores)

    @cached_property
    def derivatives(self) -> Array:
        """∂F/∂s_i over c_i: minus the duals that attain F."""
        return self.terms.derivatives(self.scores)

    @cached_property
    def curvatures(self) -> Array:
        """h_i = c_i φ''; the second derivative of F is X' diag(h) X."""
        return self.terms.curvatures(self.scores)

    def tangent(self) -> tuple[float, Array]:
        """``value`` and ``derivatives``, for callers that need both: one pass over the data."""
        known = vars(self)
        if "value" not in known and "derivatives" not in known:
            known["value"], known["derivatives"] = self.terms.tangent(self.scores)
        return self.value, self.derivatives

    def derivative_along(self, moves: Array) -> float:
        """The derivative of F along a line on which the scores change by ``moves``."""
        return self._weighed(moves)

    def along(
        self, moves: Array, x: float, warm: Any = None, *, value: bool = True, keep: bool = True
    ) -> tuple[Evaluation, float]:
        """F at the scores moved by x · ``moves``, and its derivative by x there.

        For searches along a line. They say whether they need the value, and whether to ``keep``
        what the trial computes; without that it is computed again where it is asked for.
        """
        at = self.risk.at(moved(self.scores, moves, x), warm)
        if value:
            at.tangent()
        return at, at.derivative_along(moves)

    def attains(self) -> bool:
        """Whether `conjugate` is known: F is of these terms alone, at derivatives that hold its
        condition.
        """
        return self.terms is not None

    def conjugate(self) -> float:
        """F* of the derivatives, of a differentiable loss: ⟨s, F'⟩ − F, without a search for the
        scores of slopes.
        """
        return self._weighed(self.scores) - float(self.value)

    def _weighed(self, moves: Array) -> float:
        """Σ c_i φ'_i times the moves."""
        if moves.ndim == 1 and isinstance(self.terms, ScalarTerms):
            return self.terms.rate(self.derivatives, moves)
        return float(np.vdot(self.terms.costs * self.derivatives, moves))

    def line(self, moves: Array) -> Line:
        """The derivatives of F along a line on which the scores change by ``moves``."""
        return Line(self, moves)

    def nearby(self, warm: Any) -> Any:
        """``warm``, the end of a search at near scores for another smoothing, or a better begin."""
        return warm

    def square(self, change: Array) -> float:
        """Σ c_i ‖·‖² of the entries of a vector like the derivatives."""
        return float(np.vdot(self.risk.costs * change, change))

    def product(self, change: Array, moves: Array) -> float:
        """Σ c_i times the products of the entries of two vectors like the derivatives."""
        return float(np.vdot(self.risk.costs * change, moves))

    @property
    def squares(self) -> Array:
        """The diagonal of Σ c_i x_i x_i'."""
        return Hessian(self.risk.rows, self.risk.costs.ravel()).diagonal()

    @property
    def directions(self) -> tuple[Array, ...]:
        """The directions in which scores are free, for `Hessian`."""
        return ()

    def hessian(self) -> Any:
        """∇²F as a function of the weights, for a smooth loss."""
        return self.risk.hessian(self)


class Unconditioned(Evaluation):
    """F without a condition, of terms that have `along`: those of one score and of k."""

    def derivative_along(self, moves: Array) -> float:
        known = vars(self)
        if "derivatives" in known:
            return self.terms.rate(self.derivatives, moves)
        rate, total, _, _ = self.terms.along(self.scores, moves, 0.0, "value" not in known, False)
        known.setdefault("value", total)
        return rate

    def along(
        self, moves: Array, x: float, warm: Any = None, *, value: bool = True, keep: bool = True
    ) -> tuple[Evaluation, float]:
        """As above, in one way through memory."""
        rate, total, derivatives, scores = self.terms.along(self.scores, moves, x, value, keep)
        at = self.risk.at(scores) if keep else Trial(self, moves, x)
        known = vars(at)
        if keep:
            known["derivatives"] = derivatives
        if value:
            known["value"] = total
        return at, rate

    def line(self, moves: Array) -> Line:
        return (Line if moves.ndim == 1 else ClassLine)(self, moves)


class Trial(Unconditioned):
    """F at a place of a line of which nothing was kept: the scores are made when asked for."""

    def __init__(self, begin: Evaluation, moves: Array, x: float) -> None:
        self.risk, self.terms = begin.risk, begin.terms
        self._line = begin.scores, moves, x

    @cached_property
    def scores(self) -> Array:  # type: ignore[override]
        return moved(*self._line)


class Conditioned(Evaluation):
    """F under a condition on the duals; one search gives all its quantities."""

    def __init__(self, risk: Any, terms: Any, scores: Array, condition: Any, warm: Any) -> None:
        super().__init__(risk, terms, scores)
        self.condition = condition
        self._given = warm

    @cached_property
    def best(self) -> Any:
        """The duals that attain F, and the multipliers of the condition."""
        return self.condition.best(self.scores, self._given)

    @property
    def warm(self) -> Any:  # type: ignore[override]
        return self.best.warm

    @property
    def intercept(self) -> Any:  # type: ignore[override]
        return self.best.intercept

    def attains(self) -> bool:
        return bool(self.condition.admits(self.best.alphas))

    @property
    def is_above(self) -> bool:  # type: ignore[override]
        return not self.condition.attains

    @cached_property
    def moved(self) -> Array:
        """Scores at which Σ c_i φ is F less the part that the condition adds."""
        return self.condition.moved(self.scores, self.best)

    @cached_property
    def value(self) -> float:
        known = self.condition.total(self.best)
        total = self.terms.total(self.moved) if known is None else known
        return total + self.condition.added(self.best)

    @cached_property
    def derivatives(self) -> Array:
        return -self.best.alphas

    @cached_property
    def curvatures(self) -> Array:
        return self.condition.kept(self.terms.curvatures(self.moved), self.best)

    def tangent(self) -> tuple[float, Array]:
        return self.value, self.derivatives

    def line(self, moves: Array) -> Line:
        return self.condition.line(self, moves)

    def nearby(self, warm: Any) -> Any:
        return self.condition.nearby(self, warm)

    @property
    def directions(self) -> tuple[Array, ...]:
        return self.condition.directions(self.best)
