"""Accelerated dual ascent: an ascent inside on a better-conditioned problem, momentum outside."""

from __future__ import annotations

import math

import numpy as np

from rrmlinear.solvers.dual._momentum import look as look_ahead
from rrmlinear.solvers.dual._momentum import step as step_momentum
from rrmlinear.solvers.dual.ascents import OverAscent, ascent_of
from rrmlinear.solvers.dual.dual_descent import CLASS_COST, NONZERO_COST
from rrmlinear.solvers.dual.pace import Practice, Proximal, Theory, first_pace, theory_pace
from rrmlinear.solvers.dual.streamed.row_ascent import RowAscent
from rrmlinear.solvers.loop.rules.rule import Point
from rrmlinear.solvers.loop.task import Task

PACES = ("adaptive", "theory")

# Rough cost in nanoseconds of a look, for each weight.
LOOK_COST = 3.0
# If κ / modulus is at least this, κ y dominates v = κ y + Σ c_i α_i x_i, and the sum in v has fewer
# than nine digits. So the sum is added up anew for measurements, and when κ falls.
EXACT_KAPPA = 1e6
# Largest fraction of the time that looks may take.
MAX_LOOKING_TIME = 0.2


class Accelerated(OverAscent):
    """minimize P(w) = Ω(w) + Σ_i c_i φ_i by an ascent on the duals of P(w) + κ/2 ‖w − y‖².

    y is the solution w of the last inner problem, or looks ahead of it by momentum. The certificate
    is that of P itself: P(w), and the best dual value for P at the α of the ascent. If the paper's
    second rule bounds P(w) − min P more tightly, it ends the run as BOUNDED. Where the caller adds
    a ``shift`` z to the dual vector, the estimates are of P(w) − z'w.

    The choice ``inner`` is the pace of inner problems:

    - "adaptive" (default): for a smooth loss two passes, with momentum and a quarter of the
      theory's κ. For others the plain ascent (κ = 0) runs while it converges fast, and then the
      proximal point method, a pass for each problem, its κ following the duals. The loss is not
      changed.
    - a number of passes for each, κ as before.
    - "theory": figure 2 to the letter, after a first plain pass: κ = R²/(γn) − λ, constant β, each
      inner problem to the accuracy of the theorem. A loss that is not smooth is smoothed by the γ
      that takes half the tolerance; gap and bound stay those of the loss itself.

    With ``observe``, some smooth losses are treated like losses with kinks: accelerated only if the
    plain ascent proves slow. This is so where the theory expects no gain, and where features are
    more than half as many as examples: few rows may be nearly orthogonal.

    Source: Shalev-Shwartz and Zhang, Accelerated proximal stochastic dual coordinate ascent,
    figure 2, lemmas 2 and 3, remark 1; restarts of the momentum and κ by the duals are ours.
    """

    def __init__(self, task: Task, *, observe: bool = False, repeats: bool | None = None) -> None:
        super().__init__()
        self.regularizer, self.observe = task.regularizer, observe
        self.pacing: str | int = task.choices.inner or "adaptive"
        if repeats is None:
            repeats = observe and task.choices.inner is None
        self.ascent: RowAscent = ascent_of(task, repeats)
        self.loss = self.ascent.loss
        self.measuring_work = self.ascent.measuring_work
        self.measures_first = self.ascent.measures_first
        self.kappa = self.smoothing_cost = 0.0
        self.shift: np.ndarray | float = 0.0
        self.step_is_due = False
        self.looked_at, self.blind_passes = -math.inf, 0

    def start(self) -> None:
        ascent, modulus = self.ascent, self.regularizer.modulus
        ascent.deadline, ascent.rule = self.deadline, self.rule
        ascent.joins_reading = True
        # the theory's pace measures with another loss than it proves with
        ascent.tolerance = 0.0 if self.pacing == "theory" else self.tolerance
        ascent.start()
        ascent.notes[:0] = self.notes
        self.notes = ascent.notes
        size, rows = ascent.dual_vector.size, ascent.rows
        # without the padding of threads, so that all numbers of threads look after the same passes
        unpadded = ascent.in_order(ascent.dual_vector).size
        columns = unpadded / max(1, rows.width)
        visit = max(1.0, rows.n_stored / rows.shape[0]) * (NONZERO_COST + CLASS_COST * columns)
        self.looking_work = LOOK_COST * unpadded / (MAX_LOOKING_TIME * visit)
        passes = self.pacing if isinstance(self.pacing, int) else None
        self.pace: Practice | Proximal | Theory
        self.pace, pays = first_pace(ascent, modulus, self.observe, passes, self.looking_work)
        self.center = np.zeros(size)
        has_momentum = isinstance(self.pace, Practice)
        self.previous = np.zeros(size) if has_momentum else self.center
        self.theory_is_due = self.pacing == "theory" and pays

    def run_pass(self, number: int) -> None:
        if self.theory_is_due and number == 2:
            self._follow_theory()
        if self.step_is_due:
            self._step()
        # shrinking depends on the target
        self.ascent.target = math.inf if self.kappa else self.target
        self.ascent.rule_is_open, self.rule_is_open = self.rule_is_open, False
        self.ascent.run_pass(number)
        if self.pace.kappa == 0 and not self.theory_is_due:
            # with momentum more passes are needed where the first is not measured
            self.measures_first = self.ascent.measures_first
        # where an inner problem is too easy for a move, κ falls: the run has not stalled
        self.work, self.moved = self.ascent.work, self.ascent.moved or int(self.pace.easy)
        self.blind_passes += 1
        worth = self.work - self.looked_at >= self.looking_work
        if worth or self.kappa == 0 or self.blind_passes >= self.pace.longest_blindness:
            self._look_at_outer()

    def _follow_theory(self) -> None:
        gamma, modulus = self.loss.smoothing, self.regularizer.modulus
        if gamma == 0:
            lipschitz = self.ascent.lipschitz() ** 2 * float(self.ascent.costs.sum())
            gamma = self.target / lipschitz
            self.smoothing_cost = gamma / 2 * lipschitz
            self.ascent.relax(self.loss.smoothed(gamma))
        first_gap = self.first_gap + self.smoothing_cost
        self.pace = theory_pace(self.ascent, gamma, modulus, first_gap)
        if isinstance(self.pace, Theory):
            self.previous = np.zeros(self.center.size)
            self.step_is_due = True

    def _look_at_outer(self) -> None:
        self.looked_at, self.blind_passes = self.work, 0
        inner_dual, inner_gap = self.ascent.estimate()
        if self.kappa == 0:
            distance, self.turn, primal, dual = 0.0, 0.0, inner_dual + inner_gap, inner_dual
        else:
            away, centred, self.turn, _, conjugate = self._vectors()
            distance, centred = self.kappa / 2 * away, self.kappa / 2 * centred
            primal = inner_dual + inner_gap - distance + centred
            dual = -self.ascent.conjugates() - conjugate
        dual = max(self.certificate.dual, dual)
        gap = min(primal - dual, self._bound(inner_gap, distance)) + self.smoothing_cost
        self.estimated = dual, gap
        self.step_is_due = self.pace.see(inner_gap, distance, self.ascent.visits / self.ascent.n)
        if self.step_is_due and self.pace.verified:
            self.ascent.losses()
            self.ascent.activate()
            inner_gap = self.ascent.estimate()[1]
            self.step_is_due = self.pace.see(
                inner_gap, distance, self.ascent.visits / self.ascent.n
            )

    def _bound(self, inner_gap: float, distance: float) -> float:
        """A bound of P(w) − min P by lemma 3; ``distance`` is κ/2 ‖w − y‖²."""
        rho_by_mu = 1 + 2 * self.kappa / self.regularizer.modulus
        return (1 + rho_by_mu) * inner_gap + rho_by_mu * distance

    def _step(self) -> None:
        """Give the inner problem its next κ and y."""
        kappa, beta = self.pace.step(self.turn, self.estimated[1])
        self.step_is_due = False
        if kappa == self.kappa == 0:
            return
        vectors = self.ascent.dual_vector, self.center, self.previous
        step_momentum(self.ascent.regularizer, *vectors, self.kappa, kappa, beta)
        left, self.kappa = self.kappa, kappa
        if kappa < left > EXACT_KAPPA * self.regularizer.modulus:
            self.ascent.rebuild(kappa * self.center + self.shift)
        self.ascent.retune(self.regularizer.with_quadratic(kappa) if kappa else self.regularizer)

    def _vectors(self) -> tuple[float, float, float, float, float]:
        ascent = self.ascent
        vectors = ascent.dual_vector, self.center, self.previous
        v, y, previous = (ascent.in_order(vector) for vector in vectors)
        return look_ahead(self.regularizer, ascent.regularizer, v, y, previous, self.kappa)

    def estimate(self) -> tuple[float, float]:
        return self.estimated

    def measure(self) -> None:
        if self.kappa > EXACT_KAPPA * self.regularizer.modulus:
            self.ascent.rebuild(self.kappa * self.center + self.shift)
            self.ascent.retune(self.ascent.regularizer)
        losses = self.ascent.losses()
        if self.kappa == 0 and self.regularizer.linear:  # w = v / s: both values are s/2 ‖w‖²
            vector = self.ascent.in_order(self.ascent.dual_vector)
            value = conjugate = self.regularizer.conjugate_of(vector)
            away = 0.0
        else:
            away, *_, value, conjugate = self._vectors()
        excess = self._bound(self.ascent.estimate()[1], self.kappa / 2 * away)
        if self.step_is_due:  # then w is the end of an inner problem
            excess = min(excess, self.pace.bound)
        self.certificate.excess = excess + self.smoothing_cost
        if self.smoothing_cost:
            relaxed = self.ascent.loss
            losses = self.ascent.relax(self.loss)
            conjugates = self.ascent.conjugates()
            self.ascent.relax(relaxed)
        else:
            conjugates = self.ascent.conjugates()
        primal, multiple = losses + value, self.ascent.multiple
        if multiple is not None and multiple.primal < primal:
            self.certificate.offer_weights(lambda: multiple.weights, primal=multiple.primal)
        else:
            self.certificate.offer_weights(self.ascent.present_weights, primal=primal)
        self.certificate.offer_duals(
            self.ascent.present_duals(), dual=-conjugates - conjugate, exact=True
        )
        self.ascent.activate()
        self.ascent.shrink()

    def present(self) -> Point:
        scores = self.ascent.known_scores() if self._by_weights() else None
        if scores is not None and self.rule is not None and self.rule.at_duals:
            return Point(None, self.duals(), scores)  # the rule takes no weights with scores
        return super().present()._replace(scores=scores)

    def _by_weights(self) -> bool:
        """Whether a rule takes the weights of the ascent, and not those of its duals."""
        # The duals of an inner problem violate little at its w, however far y is from the optimum.
        # So a rule takes the weights of the duals, unless a small gap is asked for with it and
        # the loss has kinks.
        by_gap = self.rule is not None and math.isfinite(self.rule.widest_gap)
        return self.kappa == 0 or (by_gap and not self.loss.differentiable)
