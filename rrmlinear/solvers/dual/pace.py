"""The pace of an accelerated ascent: κ, the end of inner problems, and how far y looks ahead."""

from __future__ import annotations

import math

from rrmlinear.solvers.loop.momentum import Momentum, is_uphill

# Target rate of a κ that adapts: n visits divide the inner gap by exp(TARGET_RATE). With the κ of
# the theory the rate is between ½ and 1.
TARGET_RATE = 0.7
# Keep κ while the measured rate is within the factor RATE_TOLERANCE of the target. Otherwise change
# it by at most the factor MAX_KAPPA_STEP.
RATE_TOLERANCE, MAX_KAPPA_STEP = 1.5, 4.0
# The smallest κ above 0, as a fraction of the modulus.
MIN_KAPPA = 0.5
# Passes that measure the rate of the plain ascent, and inner problems that measure that of a κ.
PLAIN_PASSES, PROBLEMS_PER_KAPPA = 4, 3
# Passes of an inner problem. Two show how its gap falls; more than four are rarely worth it.
MIN_INNER_PASSES, MAX_INNER_PASSES = 2, 4
# If IDLE_PROBLEMS inner problems leave more than OUTER_DECREASE of the outer gap, they were solved
# too roughly: the outer dual is off by the inner gap times 1 + κ / modulus. Then an inner problem
# may take more passes, by the factor PASSES_GROWTH, up to LONGEST_PROBLEM.
IDLE_PROBLEMS, OUTER_DECREASE, PASSES_GROWTH, LONGEST_PROBLEM = 10, 0.9, 1.5, 100_000


def eta_of(kappa: float, modulus: float) -> float:
    """η with η² = μ/(μ + κ), μ half the modulus."""
    return math.sqrt(modulus / (modulus + 2 * kappa))


def momentum_of(kappa: float, modulus: float) -> float:
    """β = (1 − η)/(1 + η)."""
    eta = eta_of(kappa, modulus)
    return (1 - eta) / (1 + eta)


class Practice:
    """Few passes for each inner problem, and momentum that restarts where it leads uphill.

    ``kappa`` None: the plain ascent, κ = 0, runs while its gap falls fast enough. Then κ + modulus
    follows the rate at which the inner gaps fall, which grows with it, up to ``max_kappa``.
    ``passes`` of each inner problem; None: until its gap is at most κ/2 ‖w − y‖².
    """

    verified = False
    bound = math.inf

    def __init__(
        self, modulus: float, kappa: float | None, max_kappa: float, passes: int | None
    ) -> None:
        self.modulus, self.adapts = modulus, kappa is None
        self.max_kappa = max(max_kappa, MIN_KAPPA * modulus)
        self.kappa = 0.0 if kappa is None else kappa
        self.least = MIN_INNER_PASSES if passes is None else passes
        self.most = MAX_INNER_PASSES if passes is None else passes
        #: Largest number of passes from one look at the inner problem to the next.
        self.longest_blindness = MAX_INNER_PASSES if passes is None else 1
        self.best_gap, self.idle_problems = math.inf, 0
        self.momentum = Momentum(1.0)
        self.last: tuple[float, float] | None = None
        self.fallen = self.visited = 0.0
        self.passes = self.problems = 0

    def see(self, inner_gap: float, distance: float, visited: float) -> bool:
        """Whether the inner problem is solved well enough.

        ``distance`` is κ/2 ‖w − y‖², ``visited`` all visits until now over n.
        """
        judged = self.kappa == 0 or self.passes < MAX_INNER_PASSES
        if judged and self.last is not None and self.last[0] > 0 and inner_gap > 0:
            self.fallen += math.log(self.last[0] / inner_gap)
            self.visited += visited - self.last[1]
        self.last = inner_gap, visited
        self.passes += 1
        if self.kappa == 0:
            return self.adapts and self._is_slow()
        near = inner_gap <= distance
        return self.passes >= self.most or (self.passes >= self.least and near)

    def _is_slow(self) -> bool:
        if self.passes <= PLAIN_PASSES:
            return False
        slow = self.fallen * RATE_TOLERANCE < TARGET_RATE * self.visited
        if not slow:
            self.passes, self.fallen, self.visited = 1, 0.0, 0.0
        return slow

    def step(self, turn: float, gap: float) -> tuple[float, float]:
        """(κ, β) of the next inner problem. ``gap`` is that of the outer one.

        ``turn`` is (y − w)'(w − w_last): the momentum restarts where it is positive.
        """
        self._lengthen(gap)
        self.last, self.passes, self.problems = None, 0, self.problems + 1
        measured = self.problems >= PROBLEMS_PER_KAPPA and self.visited >= 1
        if self.adapts and (self.kappa == 0 or measured):
            self._adapt()
        beta = min(self.momentum.ahead(), momentum_of(self.kappa, self.modulus))
        self.momentum.advance(turn)
        return self.kappa, 0.0 if is_uphill(turn) else beta

    def _lengthen(self, gap: float) -> None:
        self.idle_problems += 1
        if gap <= OUTER_DECREASE * self.best_gap:
            self.best_gap, self.idle_problems = gap, 0
        elif self.idle_problems >= IDLE_PROBLEMS and self.least < self.most:
            self.most = min(int(PASSES_GROWTH * self.most), LONGEST_PROBLEM)
            self.idle_problems = 0

    def _adapt(self) -> None:
        rate = max(self.fallen / self.visited, TARGET_RATE / MAX_KAPPA_STEP**2)
        change = TARGET_RATE / rate
        if self.kappa > 0:
            change = min(max(change, 1 / MAX_KAPPA_STEP), MAX_KAPPA_STEP)
        if not 1 / RATE_TOLERANCE <= change <= RATE_TOLERANCE:
            kappa = (self.kappa + self.modulus) * change - self.modulus
            self.kappa = min(max(kappa, MIN_KAPPA * self.modulus), self.max_kappa)
        self.fallen, self.visited, self.problems = 0.0, 0.0, 0


class Theory:
    """The paper's figure 2 to the letter: κ, constant β and the accuracy of each inner problem.

    ``kappa`` is R²/(γn) − λ in the scale at hand, ``first_gap`` P(w) − D(α) at the start. w and α
    need not be 0 there: the proof only needs P(w) + μ/2 ‖z − w‖² − (1 + ρ/μ) (P(w) − D(α)) ≤ P(z).
    """

    longest_blindness = 1
    verified = True  # an inner gap counts only when measured in full

    def __init__(self, modulus: float, kappa: float, first_gap: float) -> None:
        self.kappa, self.next_kappa = 0.0, kappa
        self.beta = momentum_of(kappa, modulus)
        self.eta = eta_of(kappa, modulus)
        self.xi = (1 + self.eta**-2) * first_gap

    def see(self, inner_gap: float, distance: float, visited: float) -> bool:
        """Whether the inner problem is solved: to the accuracy η ξ / (2 (1 + η⁻²))."""
        return inner_gap <= self.eta * self.xi / (2 * (1 + self.eta**-2))

    def step(self, turn: float, gap: float) -> tuple[float, float]:
        """(κ, β) of the next inner problem."""
        if self.kappa:
            self.xi *= 1 - self.eta / 2
        beta, self.kappa = self.beta if self.kappa else 0.0, self.next_kappa
        return self.kappa, beta

    @property
    def bound(self) -> float:
        """A bound of P(w) − min P at the end of an inner problem: rule 1."""
        return self.xi * (1 - self.eta / 2)
