"""The risk of all parts, for solvers over all examples: every quantity is a sum over parts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.cached import cached_property
from rrmlinear.risks.base import Evaluation
from rrmlinear.solvers.rounds.fleet import Fleet
from rrmlinear.solvers.rounds.spread import Base, Combination, Deed, Request, Spread, Sums
from rrmlinear.solvers.rounds.vectors import KEPT

Array = NDArray[np.float64]


class Exchange:
    """Requests to all parts. Vectors are made together with the next sum that is asked for."""

    def __init__(self, fleet: Fleet) -> None:
        self.fleet = fleet
        self.count = self.generation = 0
        #: Vectors that nobody holds, and those of them that no request on its way needs.
        self.freed: list[int] = []
        self.due: tuple[int, ...] = ()
        self.made: list[tuple[int, Deed]] = []
        #: (Σ c_i α_i x_i, conjugates, Σ c_i |α_i|) of the last duals.
        self.duals: dict[Combination, tuple[Array, float, float]] = {}
        #: The last vectors that may be wanted again, by what they are made of.
        self.recent: dict[tuple[str, Any], Spread] = {}
        #: Sums that came before they are asked for.
        self.foreseen: dict[Deed, Sums] = {}

    def vector(self, name: str, *arguments: Any) -> Spread:
        """A vector that parts make by this method of `Vectors`."""
        self.count += 1
        self.made.append((self.count, Deed(name, arguments)))
        return Spread({self.count: (Base(self.count, self.freed.append), 1.0)}, self.generation)

    def known_vector(self, name: str, key: Any, argument: Any) -> Spread:
        """`vector`, or the last one with this key."""
        found = self.recent.pop((name, key), None) or self.vector(name, argument)
        while len(self.recent) >= KEPT:
            del self.recent[next(iter(self.recent))]
        self.recent[name, key] = found
        return found

    def sums(self, name: str, *arguments: Any) -> Sums:
        """The sums over all parts that this method returns."""
        deed = Deed(name, arguments)
        if any(name == each.name for each in self.foreseen):  # others may have no hash
            known = self.foreseen.pop(deed, None)
            if known is not None:
                return known
        return self._asked(deed)

    def foresee(self, *deeds: Deed) -> None:
        """Ask for sums that are needed next, all in one request."""
        self.foreseen = dict(zip(deeds, self._asked(Deed("several", deeds)), strict=True))

    def _asked(self, deed: Deed) -> Sums:
        freed, made = tuple(self.freed), tuple(self.made)
        found = self.fleet.answer(Request(self.due, made, deed))
        self.due = freed
        del self.freed[: len(freed)], self.made[: len(made)]
        return found

    def forget(self) -> None:
        """Drop all vectors: parts have been lost with theirs."""
        self.generation += 1
        self.made.clear()
        self.duals.clear()
        self.foreseen.clear()
        self.recent.clear()


# Scores that come from more vectors than this, by steps along lines, become one vector.
MOST_TERMS = 4


class Costs:
    """The costs of all examples, as far as they are told."""

    ndim = 1

    def __init__(self, risk: SummedRisk) -> None:
        self.risk = risk

    def __len__(self) -> int:
        return self.risk.n

    def sum(self) -> float:
        """Σ c_i."""
        return self.risk.total


class SummedRisk:
    """F(w) = Σ_k F_k(w) over the parts of a fleet; scores, derivatives and duals are `Spread`.

    ``loss`` is that of all examples, ``lipschitz`` its constant and ``shape`` that of the weights.
    """

    offers = frozenset({"hessian", "matrix"})

    def __init__(
        self, fleet: Fleet, loss: Any, lipschitz: float, shape: tuple[int, ...], n: int
    ) -> None:
        self.exchange = Exchange(fleet)
        self.loss, self.lipschitz, self.shape, self.n = loss, lipschitz, shape, n
        self.smoothing = 0.0

    @cached_property
    def total(self) -> float:
        """Σ c_i."""
        return float(self.exchange.sums("costs")[0])

    @cached_property
    def squares(self) -> Array:
        """The diagonal of Σ c_i x_i x_i'."""
        squares: Array = self.exchange.sums("squares")[0].dense().ravel()
        return squares

    def mean_curvature(self) -> float:
        """The mean φ'' at w = 0, as features see it."""
        diagonal = self.at(self.scores(np.zeros(self.shape))).hessian().diagonal()
        return float(diagonal.mean() / (self.squares.mean() or 1.0))

    def of_sample(self) -> Array:
        """The mean of the weights that are best for a sample of each part."""
        weights, n = self.exchange.sums("of_sample", self.total)
        return self.dense(weights) / max(n, 1)

    @property
    def costs(self) -> Costs:
        """Their number and sum."""
        return Costs(self)

    def dense(self, packed: Any) -> Array:
        """Weights of a sum."""
        dense: Array = packed.dense(copy=True).reshape(self.shape)
        return dense

    def smoothed(self, smoothing: float) -> SummedRisk:
        """The risk with this smoothing."""
        risk = SummedRisk.__new__(SummedRisk)
        risk.__dict__ |= self.__dict__ | {"smoothing": smoothing}
        return risk

    def scores(self, w: Array) -> Spread:
        """X w."""
        return self.exchange.vector("scores", w.copy())

    def at(self, scores: Spread, warm: Any = None) -> SummedEvaluation:
        """F at these scores."""
        if len(scores.terms) > MOST_TERMS:
            scores = self.combined(scores)
        return SummedEvaluation(self, scores)

    def combined(self, scores: Spread) -> Spread:
        """One vector in place of several."""
        known = scores.combination
        return self.exchange.known_vector("combined", known, known)

    def own_duals(self) -> Spread:
        """The duals of the parts' ascents."""
        return self.exchange.vector("own")

    def lost(self) -> None:
        """Bring all parts into step again, after some have been lost."""
        self.exchange.forget()
        self.exchange.fleet.give_up(1, 1.0)

    def holds(self, alphas: Any) -> bool:
        """Whether parts still have these duals."""
        return isinstance(alphas, Spread) and alphas.generation == self.exchange.generation

    def keep(self, alphas: Spread) -> None:
        """Give the parts' ascents these duals."""
        self.exchange.sums("keep", alphas.combination)

    def foresee(self, at: Any, scores: Any, alphas: Spread | None) -> None:
        """Ask at once for what a step needs next: F at ``scores``, the duals of ``at``, and their
        distance from ``alphas``.
        """
        derivatives = at.derivatives
        plain = at if alphas is None else self.at(scores, at.warm)
        deeds = [Deed("value", (plain.place,)), Deed("dual", ((-derivatives).combination,))]
        if alphas is not None:
            deeds.append(Deed("square", (at.place, (derivatives + alphas).combination)))
        self.exchange.foresee(*deeds)

    def gradient(self, derivatives: Spread) -> Array:
        """Σ c_i s_i x_i."""
        if derivatives.combination in self.exchange.duals:
            return self.dual(derivatives)[0]
        return -self.dual(-derivatives)[0]

    def conjugate(self, alphas: Spread) -> float:
        """Σ (c_i φ)*(−c_i α_i)."""
        return self.dual(alphas)[1]

    def dual(self, alphas: Spread) -> tuple[Array, float, float]:
        """Σ c_i α_i x_i, the conjugates and Σ c_i |α_i|, in one request."""
        known, key = self.exchange.duals, alphas.combination
        if key not in known:
            known.clear()
            vector, conjugate, size = self.exchange.sums("dual", key)
            known[key] = self.dense(vector), float(conjugate), float(size)
        return known[key]

    def dual_steps(
        self, scores: Spread, alphas: Spread, curvatures: float, warm: Any = None
    ) -> tuple[Spread, None]:
        """As `ScalarRisk` has them, from one curvature."""
        steps = self.exchange.vector("steps", alphas.combination, scores.combination, curvatures)
        return steps, None

    def duals(self, alphas: Spread) -> Spread:
        """The form of a Result is that of the parts."""
        return alphas

    def complete(self, w: Array, at: Any = None) -> Array:
        """The weights themselves."""
        return w


class SummedEvaluation(Evaluation):
    """F at scores; what parts have computed there, they keep for a while."""

    risk: SummedRisk

    def __init__(self, risk: SummedRisk, scores: Spread) -> None:
        self.risk, self.terms, self.scores = risk, None, scores  # type: ignore[assignment]
        self.place = risk.smoothing, scores.combination

    def sum_of(self, name: str, *arguments: Any) -> Any:
        """The sum that this method of `Vectors` returns here."""
        return self.risk.exchange.sums(name, self.place, *arguments)[0]

    @cached_property
    def value(self) -> float:
        return float(self.sum_of("value"))

    @cached_property
    def derivatives(self) -> Any:
        return self.risk.exchange.vector("derivatives", self.place)

    def tangent(self) -> tuple[float, Any]:
        if "value" not in vars(self):
            self.risk.foresee(self, self.scores, None)
        return self.value, self.derivatives

    def derivative_along(self, moves: Any) -> float:
        return float(self.sum_of("rates", moves.combination, (0.0,)))

    def line(self, moves: Any) -> SummedLine:  # type: ignore[override]
        return SummedLine(self, moves)

    def product(self, change: Any, moves: Any) -> float:
        return float(self.sum_of("product_of", change.combination, moves.combination))

    def square(self, change: Any) -> float:
        return float(self.sum_of("square", change.combination))

    @property
    def squares(self) -> Array:
        return self.risk.squares

    def hessian(self) -> SummedHessian:
        """∇²F by sums of matrices or products of the parts."""
        return SummedHessian(self)


class SummedLine:
    """F along a line, at several places with one request."""

    def __init__(self, begin: SummedEvaluation, moves: Spread) -> None:
        self.begin, self.moves = begin, moves

    def derivatives(self, steps: Sequence[float]) -> list[float]:
        """The derivatives by t at each of ``steps``."""
        risk, place = self.begin.risk, self.begin.place
        return list(risk.exchange.sums("rates", place, self.moves.combination, tuple(steps)))

    def at(self, t: float) -> SummedEvaluation:
        """F at t."""
        return self.begin.risk.at(self.begin.scores + t * self.moves)  # type: ignore[operator]


class SummedHessian:
    """∇²F; the rows of its factor Z lie in different parts, and do not meet."""

    #: More rows of Z than any system takes.
    size = math.inf
    #: Parts of classes are not sent: scores count as one.
    k = 1

    def __init__(self, at: SummedEvaluation) -> None:
        self.at = at

    def product(self, p: Array) -> Array:
        """∇²F p."""
        return self.at.risk.dense(self.at.sum_of("product", p)).ravel()

    def diagonal(self) -> Array:
        """Its diagonal."""
        return self.at.risk.dense(self.at.sum_of("diagonal")).ravel()

    def matrix(self) -> Array:
        """All of it."""
        d = math.prod(self.at.risk.shape)
        result = np.zeros((d, d))
        places = np.tril_indices(d)
        result[places] = self.at.sum_of("matrix").dense().ravel()
        result.T[places] = result[places]
        return result
