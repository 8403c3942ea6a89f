"""The proximal point method with an ascent inside, for regularizers that are only convex."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.dual import _momentum
from rrmlinear.solvers.dual.prox_sdca import ProxSDCA
from rrmlinear.solvers.loop.certificate import gap_between
from rrmlinear.solvers.loop.solver import Solver

# Passes of the ascent for each y.
INNER_PASSES = 2
# κ relative to the mean of c_i ‖x_i‖² / γ: 0.3 to 1.2 took about as many passes on text-like data.
KAPPA_FACTOR = 1.0
# Examples whose conjugates are added up at once.
AT_ONCE = 1 << 16


class ProximalAscent(Solver):
    """minimize Ω(w) + Σ_i c_i φ(x_i'w, y_i) for a norm Ω and a smooth φ.

    Passes of an ascent on the duals of Ω(w) + κ/2 ‖w − y‖² + Σ_i c_i φ; after INNER_PASSES of them
    y becomes w. It reads examples alone, and so streams where solvers over features do not.
    ``make`` builds the ascent of a regularizer.

    Certificate: w, and the duals α scaled until Ω*(Σ c_i α_i x_i) is finite. Raises ValueError for
    a loss with a kink. Source: Rockafellar, Monotone operators and the proximal point algorithm,
    1976.
    """

    def __init__(self, make: Callable[[Regularizer], ProxSDCA], regularizer: Regularizer) -> None:
        super().__init__()
        self.regularizer = regularizer
        self.ascent = make(regularizer.with_quadratic(1.0))
        if not self.ascent.loss.smoothing > 0:
            raise ValueError(
                "proximal points by an ascent take a smooth loss, and "
                f"{type(self.ascent.loss).__name__} has a kink"
            )
        self.measuring_work = self.ascent.measuring_work
        self.measures_first = self.ascent.measures_first
        self.since_step = 0

    def start(self) -> None:
        ascent = self.ascent
        ascent.deadline = self.deadline
        ascent.start()
        ascent.notes[:0] = self.notes
        self.notes = ascent.notes
        mean = float(ascent.costs @ ascent.squares) / ascent.n
        self.kappa = KAPPA_FACTOR * mean / ascent.loss.smoothing
        ascent.retune(self.regularizer.with_quadratic(self.kappa))
        size = ascent.dual_vector.size
        self.center, self.previous = np.zeros(size), np.zeros(size)

    def run_pass(self, number: int) -> None:
        if self.since_step == INNER_PASSES:
            vectors = self.ascent.dual_vector, self.center, self.previous
            _momentum.step(self.ascent.regularizer, *vectors, self.kappa, self.kappa, 0.0)
            self.ascent.retune(self.ascent.regularizer)
            self.since_step = 0
        self.ascent.deadline = self.deadline
        self.ascent.run_pass(number)
        self.since_step += 1
        self.work, self.moved = self.ascent.work, self.ascent.moved

    def _scaled(self) -> tuple[float, float]:
        """(t, the dual value at t α), t ≤ 1 the largest at which it is finite."""
        ascent = self.ascent
        v = ascent.dual_vector - self.kappa * self.center
        t = self.regularizer.dual_scale_of(v)
        conjugates = 0.0
        for begin in range(0, ascent.n, AT_ONCE):
            part = slice(begin, begin + AT_ONCE)
            alphas = t * ascent.state.alphas[part]
            values = ascent.loss.conjugates(ascent.y[part], alphas)
            conjugates += float(ascent.costs[part] @ values)
        return t, -conjugates - self.regularizer.conjugate_of(t * v)

    def estimate(self) -> tuple[float, float]:
        """By the losses that the visits of the last pass have found."""
        ascent, kappa, y = self.ascent, self.kappa, self.center
        inner_dual, inner_gap = ascent.estimate()
        w = ascent.regularizer.primal_of(ascent.dual_vector)
        # the inner problem leaves out κ/2 ‖y‖²
        primal = inner_dual + inner_gap + kappa * float(w @ y) - kappa / 2 * float(w @ w)
        dual = max(self.certificate.dual, self._scaled()[1])
        return dual, gap_between(primal, dual)

    def measure(self) -> None:
        losses = self.ascent.losses()
        w = self.ascent.present_weights()
        t, dual = self._scaled()
        primal = losses + self.regularizer.value_of(w)
        self.certificate.offer_weights(w, primal=primal, exact=True)
        self.certificate.offer_duals(t * self.ascent.state.alphas, dual=dual, exact=True)

    def value_at_zero(self) -> float:
        return self.ascent.value_at_zero()

    def rounding(self) -> float:
        return self.ascent.rounding_of(self.certificate, self.target)

    def support(self) -> dict[str, int]:
        return {"features in use": int(np.count_nonzero(self.certificate.weights))}

    def close(self) -> None:
        self.ascent.close()
