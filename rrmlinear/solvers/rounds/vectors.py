"""The vectors of a part, and sums over its examples at any scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.blas import one_blas_thread
from rrmlinear.solvers.rounds.orders import Packed
from rrmlinear.solvers.rounds.spread import Combination, Deed, Request, Sums

Array = NDArray[np.float64]
Place = tuple[float, Combination]

# The last evaluations and vectors of this number are kept, for those who ask at the same place.
KEPT = 3


class Vectors:
    """A part's vectors by their numbers. Deeds of a `Request` are methods of this.

    ``risk`` is the sum of the part's losses. ``own`` returns the duals of the part's ascent in the
    risk's form; ``keep`` gives it others. ``sample`` finds the weights of some examples, with costs
    this many times as high.
    """

    def __init__(
        self,
        risk: Any,
        own: Callable[[], Array],
        keep: Callable[[Array], None],
        sample: Callable[[float], Array],
    ) -> None:
        self.risk, self.own, self._keep, self.sample = risk, own, keep, sample
        self.known: dict[int, Array] = {}
        self.risks: dict[float, Any] = {0.0: risk}
        self.places: dict[Place, Any] = {}
        self.hessians: dict[Place, Any] = {}

    def answer(self, request: Request) -> Sums:
        """Make the vectors and return the sums. A request may come twice."""
        with one_blas_thread():
            for number in request.freed:
                self.known.pop(number, None)
            for number, deed in request.made:
                self.known[number] = getattr(self, deed.name)(*deed.arguments)
            sums: Sums = getattr(self, request.asked.name)(*request.asked.arguments)
            return sums

    def _of(self, combination: Combination) -> Any:
        total: Any = None
        for number, factor in combination:
            term = factor * self.known[number]
            total = term if total is None else total + term
        return self.scores(np.zeros(self.risk.shape)) if total is None else total

    def _at(self, place: Place) -> Any:
        if place not in self.places:
            smoothing, scores = place
            if smoothing not in self.risks:
                self.risks = {0.0: self.risk, smoothing: self.risk.smoothed(smoothing)}
            while len(self.places) >= KEPT:
                del self.places[next(iter(self.places))]
            self.places[place] = self.risks[smoothing].at(self._of(scores))
        return self.places[place]

    def _packed(self, weights: Array) -> Packed:
        return Packed.of(weights.reshape(self.risk.shape[0], -1))

    def scores(self, w: Array) -> Array:
        """Vector: X w."""
        scores: Array = self.risk.scores(w.reshape(self.risk.shape))
        return scores

    def constant(self, b: Array) -> Array:
        """Vector: the intercepts b at each example."""
        n = len(self.risk.costs)
        return np.full(n, b[0]) if len(self.risk.shape) == 1 else np.tile(b, (n, 1))

    def combined(self, combination: Combination) -> Array:
        """Vector: a combination of others."""
        vector: Array = self._of(combination)
        return vector

    def derivatives(self, place: Place) -> Array:
        """Vector: the derivatives of the losses."""
        derivatives: Array = self._at(place).derivatives
        return derivatives

    def steps(self, alphas: Combination, scores: Combination, curvature: float) -> Array:
        """Vector: the dual steps from duals."""
        duals: Array = self.risk.dual_steps(self._of(scores), self._of(alphas), curvature)[0]
        return duals

    def several(self, *deeds: Deed) -> Sums:
        """Sums: those of each deed."""
        return tuple(getattr(self, deed.name)(*deed.arguments) for deed in deeds)

    def costs(self) -> Sums:
        """Sum: the costs."""
        return (float(self.risk.costs.sum()),)

    def squares(self) -> Sums:
        """Sum: the diagonal of Σ c_i x_i x_i'."""
        return (Packed.of(self.risk.at(self._of(())).squares[:, np.newaxis]),)

    def of_sample(self, total: float) -> Sums:
        """Sums: n times the weights of a sample alone, where all costs are in ``total``, and n."""
        costs, n = float(self.risk.costs.sum()), len(self.risk.costs)
        if not costs > 0:
            return self._packed(np.zeros(self.risk.shape)), 0
        return self._packed(n * self.sample(total / costs)), n

    def value(self, place: Place) -> Sums:
        """Sum: the losses."""
        return (float(self._at(place).value),)

    def rates(self, place: Place, moves: Combination, steps: tuple[float, ...]) -> Sums:
        """Sums: the losses' derivative by t at each of ``steps``, where the scores have changed by
        t · ``moves``.
        """
        line = self._at(place).line(self._of(moves))
        return tuple(float(line.derivative(t)) for t in steps)

    def product_of(self, place: Place, change: Combination, moves: Combination) -> Sums:
        """Sum: c_i times the products of the entries of two vectors."""
        return (self._at(place).product(self._of(change), self._of(moves)),)

    def square(self, place: Place, change: Combination) -> Sums:
        """Sum: c_i ‖·‖² of the entries of a vector."""
        return (self._at(place).square(self._of(change)),)

    def dual(self, alphas: Combination) -> Sums:
        """Sums: c_i α_i x_i, the conjugates of duals α, and c_i |α_i|."""
        own = self._of(alphas)
        size = float((self.risk.costs.ravel() @ np.abs(own)).sum())
        return self._packed(self.risk.gradient(own)), float(self.risk.conjugate(own)), size

    def balance(self, place: Place) -> Sums:
        """Sums: c_i α_i for each score, c_i |α_i|, and how the first fall as intercepts rise."""
        at, costs = self._at(place), self.risk.costs.ravel()
        sums = -(costs @ at.derivatives)
        size = float((costs @ np.abs(at.derivatives)).sum())
        if at.derivatives.ndim == 1:
            return np.atleast_1d(sums), size, np.full((1, 1), at.curvatures.sum())
        return sums, size, self._hessian(place).of_ones()

    def moved(self, place: Place, moves: Combination) -> Sums:
        """Sum: how the c_i α_i of each score fall as the scores change by ``moves``."""
        at, change = self._at(place), self._of(moves)
        if change.ndim == 1:
            return (np.atleast_1d(at.curvatures @ change),)
        return (at.terms.moved(at.derivatives, change),)

    def keep(self, alphas: Combination) -> Sums:
        """Sum: the parts that have given their ascents these duals."""
        self._keep(self._of(alphas))
        return (1.0,)

    def product(self, place: Place, p: Array) -> Sums:
        """Sum: ∇²F p."""
        return (self._packed(self._hessian(place).product(p)),)

    def diagonal(self, place: Place) -> Sums:
        """Sum: the diagonal of ∇²F."""
        return (self._packed(self._hessian(place).diagonal()),)

    def matrix(self, place: Place) -> Sums:
        """Sum: ∇²F, its entries on the diagonal and below."""
        whole = self._hessian(place).matrix()
        lower = whole[np.tril_indices(len(whole))]
        return (Packed(len(lower), None, lower[:, np.newaxis]),)

    def _hessian(self, place: Place) -> Any:
        if place not in self.hessians:
            self.hessians = {place: self._at(place).hessian()}
        return self.hessians[place]
