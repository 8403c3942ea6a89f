"""The pace of an accelerated ascent: its κ, when an inner problem is done, how far y is ahead."""

from __future__ import annotations

import math

# Where κ follows what is seen: the logarithm of what n visits should leave of the inner gap. With
# the κ of the theory it is between ½ and 1.
RATE = 0.7
# A κ whose rate is off by at most NEAR stays; others change by at most the factor FAR at once.
NEAR, FAR = 1.5, 4.0
LEAST_KAPPA = 0.5  # of the modulus
# Passes by which the plain ascent is judged, and inner problems by which a κ is.
PLAIN_PASSES, STEPS = 4, 3
# Passes for an inner problem: one more than it takes to see its gap fall, and not many.
LEAST_PASSES, MOST_PASSES = 2, 4
# Where so many inner problems have not taken the outer gap down to this part of itself, they were
# solved too coarsely: its dual is off by the inner gap times 1 + κ / modulus.
IDLE_STEPS, PROGRESS, LONGER = 10, 0.9, 1.5


def eta_of(kappa: float, modulus: float) -> float:
    """η with η² = μ/(μ + κ), μ half the modulus."""
    return math.sqrt(modulus / (modulus + 2 * kappa))


def momentum_of(kappa: float, modulus: float) -> float:
    """β = (1 − η)/(1 + η)."""
    eta = eta_of(kappa, modulus)
    return (1 - eta) / (1 + eta)


class Practice:
    """Few passes for each inner problem, and momentum that starts again where it leads uphill.

    ``kappa`` None: κ = 0, the plain ascent, as long as n visits take away enough of its gap; from
    then on κ + modulus follows the rate at which the inner gaps fall, which grows with it, up to
    ``most_kappa``.
    ``passes``: so many for each inner problem; None: until its gap is at most κ/2 ‖w − y‖².
    """

    verified = False
    bound = math.inf

    def __init__(
        self, modulus: float, kappa: float | None, most_kappa: float, passes: int | None
    ) -> None:
        self.modulus, self.adapts = modulus, kappa is None
        self.most_kappa = max(most_kappa, LEAST_KAPPA * modulus)
        self.kappa = 0.0 if kappa is None else kappa
        self.least = LEAST_PASSES if passes is None else passes
        self.most = MOST_PASSES if passes is None else passes
        #: Most passes from one look at the inner problem to the next; `see` counts looks.
        self.longest_blindness = MOST_PASSES if passes is None else 1
        self.best_gap, self.idle_steps = math.inf, 0
        self.sequence = 1.0
        self.last: tuple[float, float] | None = None
        self.fallen = self.visited = 0.0
        self.passes = self.problems = 0

    def see(self, inner_gap: float, distance: float, visited: float) -> bool:
        """Whether the inner problem is done.

        ``distance`` is κ/2 ‖w − y‖², ``visited`` all visits until now over n.
        """
        judged = self.kappa == 0 or self.passes < MOST_PASSES
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
        slow = self.fallen * NEAR < RATE * self.visited
        if not slow:
            self.passes, self.fallen, self.visited = 1, 0.0, 0.0
        return slow

    def step(self, uphill: bool, gap: float) -> tuple[float, float]:
        """(κ, β) of the next inner problem, where the outer one has come to this gap."""
        self._lengthen(gap)
        self.last, self.passes, self.problems = None, 0, self.problems + 1
        if self.adapts and (self.kappa == 0 or (self.problems >= STEPS and self.visited >= 1)):
            self._adapt()
        following = (1 + math.sqrt(1 + 4 * self.sequence**2)) / 2
        beta = min((self.sequence - 1) / following, momentum_of(self.kappa, self.modulus))
        self.sequence = following
        if uphill:
            self.sequence, beta = 1.0, 0.0
        return self.kappa, beta

    def _lengthen(self, gap: float) -> None:
        self.idle_steps += 1
        if gap <= PROGRESS * self.best_gap:
            self.best_gap, self.idle_steps = gap, 0
        elif self.idle_steps >= IDLE_STEPS and self.least < self.most:
            self.most, self.idle_steps = int(LONGER * self.most), 0

    def _adapt(self) -> None:
        rate = max(self.fallen / self.visited, RATE / FAR**2)
        change = RATE / rate
        if self.kappa > 0:
            change = min(max(change, 1 / FAR), FAR)
        if not 1 / NEAR <= change <= NEAR:
            kappa = (self.kappa + self.modulus) * change - self.modulus
            self.kappa = min(max(kappa, LEAST_KAPPA * self.modulus), self.most_kappa)
        self.fallen, self.visited, self.problems = 0.0, 0.0, 0


class Theory:
    """The paper's figure 2 to the letter: κ, constant β and the accuracy of each inner problem.

    ``kappa`` is R²/(γn) − λ in the scale at hand, ``first_gap`` P(w) − D(α) where it begins: as the
    proof needs nothing but that P(w) + μ/2 ‖z − w‖² − (1 + ρ/μ) (P(w) − D(α)) is below P(z), w and
    α need not be 0.
    """

    longest_blindness = 1
    verified = True  # an inner gap counts only when measured in full

    def __init__(self, modulus: float, kappa: float, first_gap: float) -> None:
        self.kappa, self.next_kappa = 0.0, kappa
        self.beta = momentum_of(kappa, modulus)
        self.eta = eta_of(kappa, modulus)
        self.xi = (1 + self.eta**-2) * first_gap

    def see(self, inner_gap: float, distance: float, visited: float) -> bool:
        """Whether the inner problem is done: to the accuracy η ξ / (2 (1 + η⁻²))."""
        return inner_gap <= self.eta * self.xi / (2 * (1 + self.eta**-2))

    def step(self, uphill: bool, gap: float) -> tuple[float, float]:
        """(κ, β) of the next inner problem."""
        if self.kappa:
            self.xi *= 1 - self.eta / 2
        beta, self.kappa = self.beta if self.kappa else 0.0, self.next_kappa
        return self.kappa, beta

    @property
    def bound(self) -> float:
        """What P(w) is at most above its minimum at the end of an inner problem: rule 1."""
        return self.xi * (1 - self.eta / 2)
