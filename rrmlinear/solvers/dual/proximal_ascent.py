"""The proximal point method with an ascent inside, for regularizers that are only convex."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.records import replace
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.risks.scores import ScalarRisk
from rrmlinear.solvers.dual.ascents import OverAscent
from rrmlinear.solvers.dual.pace import FALL, INNER_PASSES, RISE
from rrmlinear.solvers.dual.prox_sdca import ProxSDCA
from rrmlinear.solvers.loop.certificate import Certificate, gap_between
from rrmlinear.solvers.loop.inner import pieces
from rrmlinear.solvers.loop.task import Task

Array = NDArray[np.float64]

# The first κ relative to the mean of c_i ‖x_i‖² / γ: 0.3 to 1.2 took about as many passes on
# text-like data.
KAPPA_FACTOR = 0.5
# If κ/2 ‖w − y‖² is above LAG times the gap of the inner problem, this gap is smaller than the
# outer problem needs. Then κ is multiplied by FALL, else by RISE, up to its first value. On
# text with C = 10 and 100 this took a fifth of the passes, or solved what a fixed κ did not.
LAG = 0.1


class ProximalAscent(OverAscent):
    """minimize Ω(w) + Σ_i c_i φ(x_i'w, y_i) for a norm Ω and a smooth φ.

    Passes of an ascent on the duals of Ω(w) + κ/2 ‖w − y‖² + Σ_i c_i φ; after one or two of them y
    becomes w, and κ follows the accuracy of the inner problems. It reads examples alone, and so
    streams where solvers over features do not.

    Certificate: w, and the duals α scaled until Ω*(Σ c_i α_i x_i) is finite. Raises ValueError for
    a loss with a kink. Source: Rockafellar, Monotone operators and the proximal point algorithm,
    1976.
    """

    #: Whether κ follows the inner problems.
    follows = True

    def __init__(self, task: Task) -> None:
        super().__init__()
        self.notes += task.chosen("proximal points by an ascent are used")
        self.regularizer = task.regularizer
        self.ascent = ProxSDCA(self._visited(task).under(self._with_quadratic(1.0)))
        if not self.ascent.loss.smoothing > 0:
            raise ValueError(
                "proximal points by an ascent take a smooth loss, and "
                f"{type(self.ascent.loss).__name__} has a kink"
            )
        self.measuring_work = self.ascent.measuring_work
        self.measures_first = self.ascent.measures_first
        self.since_step = 0
        # a block takes turns while it is in memory: with two passes 434 MB of text took 25, not 14
        self.inner_passes = INNER_PASSES if self.ascent.rows.blocks is None else 1

    def _visited(self, task: Task) -> Task:
        """The task of the ascent."""
        return task

    def _with_quadratic(self, kappa: float) -> Regularizer:
        """Ω(w) + κ/2 ‖w‖²."""
        return self.regularizer.with_quadratic(kappa)

    def start(self) -> None:
        ascent = self.ascent
        ascent.deadline = self.deadline
        ascent.start()
        ascent.notes[:0] = self.notes
        self.notes = ascent.notes
        mean = float(ascent.costs @ ascent.squares) / ascent.n
        self.kappa = self.first_kappa = KAPPA_FACTOR * mean / ascent.loss.smoothing
        ascent.retune(self._with_quadratic(self.kappa))
        self.center = np.zeros(ascent.dual_vector.size)

    def run_pass(self, number: int) -> None:
        if self.since_step == self.inner_passes:
            self._step()
        self.ascent.deadline = self.deadline
        self.ascent.run_pass(number)
        self.since_step += 1
        self.work, self.moved = self.ascent.work, self.ascent.moved

    def _step(self) -> None:
        """y becomes w, with the next κ."""
        ascent, before = self.ascent, self.kappa
        w = ascent.regularizer.primal_of(ascent.dual_vector)
        moved = w - self.center
        if not self.follows:
            pass
        elif before / 2 * float(moved @ moved) > LAG * ascent.likely_gap:
            self.kappa *= FALL
        else:
            self.kappa = min(self.first_kappa, RISE * before)
        # v is Σ c_i α_i x_i + κ y
        v = ascent.dual_vector
        v += self.kappa * w - before * self.center
        self.center, self.since_step = w, 0
        ascent.retune(self._with_quadratic(self.kappa))

    def _of_weights(self, entries: Array) -> Array:
        """The entries of weights that Ω counts."""
        return entries

    def _scaled(self) -> tuple[float, float]:
        """(t, the dual value at t α), t ≤ 1 the largest at which it is finite."""
        ascent = self.ascent
        v = self._of_weights(ascent.dual_vector - self.kappa * self.center)
        t = self.regularizer.dual_scale_of(v)
        conjugates = 0.0
        for part in pieces(ascent.n):
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

    def support(self) -> dict[str, int]:
        return {"features in use": int(np.count_nonzero(self.certificate.weights))}


class InterceptProximalAscent(ProximalAscent):
    """`ProximalAscent` of Ω(w) + Σ_i c_i φ(x_i'w + b, y_i), b without a penalty.

    b is the weight of a column as long as a mean row, which Ω leaves out: it has the proximal term
    alone, so that κ stays. The task's risk is the sum, at the best b.

    Certificate: w with the best b for it, and minus the derivatives there, which have
    Σ c_i α_i = 0, scaled as there.
    """

    follows = False

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self.risk: ScalarRisk = task.whole()

    def _visited(self, task: Task) -> Task:
        norm = float(task.rows.with_bias(-1.0).squared_norms().mean()) or 1.0
        return replace(task, rows=task.rows.with_bias(math.sqrt(norm)))

    def _with_quadratic(self, kappa: float) -> Regularizer:
        return super()._with_quadratic(kappa).with_intercept()

    def _of_weights(self, entries: Array) -> Array:
        return entries[:-1]

    def start(self) -> None:
        super().start()
        self.certificate = Certificate(self.risk, self.regularizer)

    def measure(self) -> None:
        ascent, certificate = self.ascent, self.certificate
        ascent.losses()  # updates the gaps, by which shrinking goes
        w = self._of_weights(ascent.present_weights()).copy()
        at = certificate.at(self.risk.scores(w))
        certificate.offer_weights(w, at)
        certificate.offer_duals(-at.derivatives)

    def value_at_zero(self) -> float:
        return self.certificate.value_at_zero

    def rounding_of(self, certificate: Certificate, enough: float) -> float:
        return self.certificate.rounding()
