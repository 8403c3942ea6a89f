"""The pace of an accelerated ascent: whether it pays, κ, the end of inner problems, momentum."""

from __future__ import annotations

import math
from collections.abc import Callable

from rrmlinear.solvers.dual.streamed.row_ascent import RowAscent
from rrmlinear.solvers.loop.steps import STALLED_DECREASE, Momentum, is_uphill

# The plain ascent is slow if n visits divide its gap by less than exp(PLAIN_RATE), measured over
# PLAIN_PASSES. With 0.45 over four passes two small sets took 1.4 and 1.6 times as many visits, and
# ten larger ones up to 1.2 times.
PLAIN_RATE, PLAIN_PASSES = 0.6, 2
# κ of the proximal method as a fraction of ‖x_i‖² Σ_j |α_ij|, the part of an example's scores that
# its own duals make, in units of the margin. On ten problems of five sets the best κ was 0.3 to 0.6
# where few duals are at bounds. It was 0.5 to 4 where most are: BOUND_KAPPA is added for these.
# More lets free duals overshoot: at 1.0 dna with C = 1000 did not converge.
FREE_KAPPA, BOUND_KAPPA = 0.6, 2.0
# w lags behind the duals by ½‖w − V‖². While that is above MAX_LAG times the sum of the examples'
# gaps, κ falls by the factor FALL; else it rises again by RISE.
MAX_LAG, FALL, RISE = 10.0, 0.8, 1.1
# κ is halved for good if the best gap of the second half of the steps is above STALLED_DECREASE of
# that of the first half; compared after 2 FIRST_STEPS, and again when the steps have doubled.
FIRST_STEPS = 60
# Passes of an inner problem under momentum: with three and four, ten fits to 1e-5 took 1.1 and 1.2
# times as many passes. Most passes of the proximal method from one look at the gap to the next.
INNER_PASSES, LONGEST_BLINDNESS = 2, 4
# A gap that is this factor above the least one was driven up by momentum over inner problems that
# are solved too roughly.
DRIVEN_UP = 10.0
# An inner problem is too easy where w lags behind the duals by ½‖w − V‖² above EASY_LAG times its
# gap: nothing moves in it, and κ is divided by EASY_STEP. Runs that need their κ had up to 9e4.
EASY_LAG, EASY_STEP = 1e6, 4.0


def eta_of(kappa: float, modulus: float) -> float:
    """η with η² = μ/(μ + κ), μ half the modulus."""
    return math.sqrt(modulus / (modulus + 2 * kappa))


def momentum_of(kappa: float, modulus: float) -> float:
    """β = (1 − η)/(1 + η)."""
    eta = eta_of(kappa, modulus)
    return (1 - eta) / (1 + eta)


class Proximal:
    """The proximal point method: y = w after each inner problem, which is one pass, or ``passes``.

    The plain ascent, κ = 0, runs while its gap falls fast enough. Then κ follows the duals:
    ``sizes`` returns the mean of ‖x_i‖² Σ_j |α_ij| over the examples with duals, in units of the
    margin, and the fraction of the duals that are at bounds. A κ below ``min_kappa`` is not worth
    its steps: the ascent stays plain. Momentum is left out: inner problems of a loss with kinks are
    solved roughly, and it adds up their errors.
    """

    verified = easy = False
    bound = math.inf
    longest_blindness = LONGEST_BLINDNESS

    def __init__(
        self, sizes: Callable[[], tuple[float, float]], min_kappa: float, passes: int | None
    ) -> None:
        self.sizes, self.min_kappa, self.least = sizes, min_kappa, passes or 1
        self.kappa = 0.0
        self.caution = self.trust = 1.0
        self.lag = self.inner_gap = 0.0
        self.last: tuple[float, float] | None = None
        self.passes = 0
        self._watch()

    def _watch(self) -> None:
        self.gaps: list[float] = []
        self.next_look = 2 * FIRST_STEPS

    def see(self, inner_gap: float, distance: float, visited: float) -> bool:
        """Whether the inner problem is solved well enough.

        ``distance`` is κ/2 ‖w − y‖², ``visited`` all visits until now over n.
        """
        self.passes += 1
        self.inner_gap, self.lag = inner_gap, self.kappa * distance
        if self.kappa:
            return self.passes >= self.least
        if self.last is None:
            self.last = inner_gap, visited
        if self.passes <= PLAIN_PASSES:
            return False
        gap, begin = self.last
        slow = inner_gap > 0 and gap < inner_gap * math.exp(PLAIN_RATE * (visited - begin))
        self.last, self.passes = (inner_gap, visited), 1
        return slow

    def step(self, turn: float, gap: float) -> tuple[float, float]:
        """(κ, β) of the next inner problem. ``gap`` is that of the outer one."""
        size, bound = self.sizes()
        self._trust(gap)
        lags = self.lag > MAX_LAG * self.inner_gap
        self.caution = FALL * self.caution if lags else min(1.0, RISE * self.caution)
        fraction = (FREE_KAPPA + BOUND_KAPPA * bound**2) * self.caution * self.trust
        self.kappa, self.passes, self.last = fraction * size, 0, None
        if self.kappa < self.min_kappa:
            self.kappa = 0.0
        return self.kappa, 0.0

    def _trust(self, gap: float) -> None:
        self.gaps.append(gap)
        if len(self.gaps) < self.next_look:
            return
        half = len(self.gaps) // 2
        if min(self.gaps[half:]) < STALLED_DECREASE * min(self.gaps[:half]):
            self.next_look *= 2
        else:
            self.trust /= 2
            self._watch()


class Practice:
    """Few passes for each inner problem, and momentum that restarts where it leads uphill.

    ``passes`` of each inner problem, INNER_PASSES if None, and twice as many where it drove the gap
    up. κ = 0 is the plain ascent.
    """

    verified = False
    bound = math.inf

    def __init__(self, modulus: float, kappa: float, passes: int | None) -> None:
        self.modulus, self.kappa = modulus, kappa
        self.most = INNER_PASSES if passes is None else passes
        #: Largest number of passes from one look at the inner problem to the next.
        self.longest_blindness = INNER_PASSES if passes is None else 1
        self.momentum = Momentum(1.0)
        self.passes, self.least_gap = 0, math.inf
        #: Inner problems are far easier than the outer one. The κ of the theory can be 1e12 times
        #: that which separable data need, and w stands still.
        self.easy = False

    def see(self, inner_gap: float, distance: float, visited: float) -> bool:
        """Whether the inner problem is solved well enough.

        ``distance`` is κ/2 ‖w − y‖², ``visited`` all visits until now over n.
        """
        if self.kappa == 0:
            return False
        self.passes += 1
        self.easy = self.kappa * distance > EASY_LAG * inner_gap
        return self.passes >= self.most

    def step(self, turn: float, gap: float) -> tuple[float, float]:
        """(κ, β) of the next inner problem. ``gap`` is that of the outer one.

        ``turn`` is (y − w)'(w − w_last): the momentum restarts where it is positive.
        """
        self.passes = 0
        self.least_gap = min(self.least_gap, gap)
        if gap > DRIVEN_UP * self.least_gap:
            self.least_gap, self.most, self.momentum = gap, 2 * self.most, Momentum(1.0)
        if self.easy:
            self.kappa, self.momentum = self.kappa / EASY_STEP, Momentum(1.0)
        beta = min(self.momentum.ahead(), momentum_of(self.kappa, self.modulus))
        self.momentum.advance(turn)
        return self.kappa, 0.0 if is_uphill(turn) else beta


class Theory:
    """The paper's figure 2 to the letter: κ, constant β and the accuracy of each inner problem.

    ``kappa`` is R²/(γn) − λ in the scale at hand, ``first_gap`` P(w) − D(α) at the start. w and α
    need not be 0 there: the proof only needs P(w) + μ/2 ‖z − w‖² − (1 + ρ/μ) (P(w) − D(α)) ≤ P(z).
    """

    longest_blindness = 1
    verified = True  # an inner gap counts only when measured in full
    easy = False

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


# Acceleration pays where R²/(λγ) is larger than this times n.
MIN_CONDITION = 10.0
# κ + modulus as a fraction of the value in the theory. On text a quarter took the fewest passes at
# λ = 1e-6 to 1e-8.
THEORY_FACTOR = 0.25
# Up to this number of examples for each feature are likely to be separable, whatever their labels
# (Cover, Geometrical and statistical properties of systems of linear inequalities, 1965). There the
# plain ascent is observed first. On Gaussian rows it takes 0.2 to 1.2 of the passes at C = 1.
SEPARABLE = 2


def first_pace(
    ascent: RowAscent, modulus: float, observe: bool, passes: int | None, looking_work: float
) -> tuple[Practice | Proximal, bool]:
    """The pace of an ascent, and whether acceleration pays as far as the theory shows.

    ``looking_work`` is that of a look at the outer problem, in visits. With ``observe`` the plain
    ascent runs first in some cases of smooth losses: see `Accelerated`.
    """
    rows, gamma, pays = ascent.rows, ascent.loss.smoothing, True
    plain_first = not gamma > 0
    if gamma > 0:
        pays = _condition(ascent, gamma, modulus) > MIN_CONDITION
        wide = rows.shape[0] < SEPARABLE * rows.width
        plain_first = observe and (wide or not pays)
    if not pays:
        what = "not accelerated at first" if observe else "the plain ascent is used"
        _note_plain(ascent, what, gamma, modulus)
    if plain_first:
        return Proximal(_sizes_of(ascent), modulus * looking_work / ascent.n, passes), True
    kappa = 0.0
    if pays:
        mean = float((ascent.costs * ascent.squares).mean())
        kappa = max(THEORY_FACTOR * mean / gamma - modulus, 0.0)
    return Practice(modulus, kappa, passes), pays


def theory_pace(
    ascent: RowAscent, gamma: float, modulus: float, first_gap: float
) -> Practice | Theory:
    """The pace of the paper for a loss with this smoothing: plain where acceleration does not pay.

    ``first_gap`` is P(w) − D(α) at the start.
    """
    kappa = _largest_curvature(ascent) / gamma - modulus
    if kappa <= (MIN_CONDITION - 1) * modulus:
        _note_plain(ascent, "the plain ascent is used", gamma, modulus)
        return Practice(modulus, 0.0, None)
    return Theory(modulus, kappa, first_gap)


def _largest_curvature(ascent: RowAscent) -> float:
    return float((ascent.costs * ascent.squares).max())


def _condition(ascent: RowAscent, gamma: float, modulus: float) -> float:
    """R²/(λγ) over n."""
    return _largest_curvature(ascent) / (gamma * modulus)


def _note_plain(ascent: RowAscent, what: str, gamma: float, modulus: float) -> None:
    condition, limit = (
        _condition(ascent, gamma, modulus),
        f"acceleration pays from {MIN_CONDITION:g} n",
    )
    ascent.notes.append(f"{what}: R²/(λγ) is {condition:.3g} n, and {limit}")


def _sizes_of(ascent: RowAscent) -> Callable[[], tuple[float, float]]:
    """The ascent's `dual_sizes`, in units of the margin."""
    unit = 0.0

    def sizes() -> tuple[float, float]:
        nonlocal unit
        unit = unit or ascent.margin_unit()  # a pass over the labels, for ascents that are slow
        size, at_bound = ascent.dual_sizes()
        return size / unit, at_bound

    return sizes
