"""The loop of rounds: parts go up on their models, and their changes are added with one step."""

from __future__ import annotations

import math
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.tolerances import DUAL_FALL_ROUNDING
from rrmlinear.solvers.rounds.fleet import Fleet, PartsLostError
from rrmlinear.solvers.rounds.orders import Order, Packed, Report

# σ' is MARGIN times the ratio ‖Σ_k Δv_k‖² / Σ_k ‖Δv_k‖² of the last round, the smallest that would
# have made its models a bound.
MARGIN = 1.5
# κ balances the squares of the weights against those of the parts' vectors, times FACTOR; a
# correction within RANGE follows the ratio of lag to gaps, over LAG, to the power POWER. On ijcnn1,
# a9a and news20 the best κ had ratios of 0.1 to 1.
FACTOR, LAG, POWER, RANGE = 2.0, 0.3, 0.15, 30.0
# Both are set anew each time that the rounds have grown by GROWTH: rounds converge while κ stands
# still.
GROWTH = 1.2
# Passes over a part in a round. On three sets fewer passes took more rounds, and ten passes hardly
# fewer.
PASSES = 3
# Quick parts make at most this number of times the passes of the others. The seconds of passes are
# means in which the last round has this weight.
MOST_TIMES, NEWEST = 3, 0.5


class Balance:
    """Passes of each part, so that all take as long: the median part makes ``passes``."""

    def __init__(self, size: int, passes: int) -> None:
        self.passes, self.seconds = passes, [0.0] * size

    def see(self, times: tuple[tuple[int, int, float], ...]) -> None:
        """Take the (place, passes, seconds) of a round."""
        for place, passes, seconds in times:
            each, known = seconds / passes, self.seconds[place]
            self.seconds[place] = NEWEST * each + (1 - NEWEST) * known if known else each

    def of_parts(self) -> tuple[int, ...]:
        """The passes of the next round."""
        if not all(self.seconds):
            return (self.passes,) * len(self.seconds)
        whole = self.passes * median(self.seconds)
        most = MOST_TIMES * self.passes
        return tuple(min(most, max(1, round(whole / each))) for each in self.seconds)


class Pace:
    """σ' and κ of the next round, for ``size`` parts.

    A part's model is Ω̃*(v + σ' Δv_k)/σ': with σ' = ``size`` the sum of the models is a bound for
    any changes, by convexity, and the whole step an ascent. Smaller ones are better where changes
    of different parts are nearly orthogonal, and the search along their sum keeps the ascent.

    κ/2 ‖w − y‖², y the last w, keeps parts from undoing each other's steps. A part with more
    examples than the weights need determines weights of its own. Then a round is one of the method
    of multipliers. One part alone needs none, κ = 0.
    """

    def __init__(self, size: int) -> None:
        self.size, self.sigma, self.kappa = size, float(size), 0.0
        self.correction, self.rounds, self.next_change = 1.0, 0, 1

    def see(self, ratio: float, apart: float, weights: float, lag: float, gaps: float) -> None:
        """Set both after a round.

        ``ratio`` is that of the squared changes, ``apart`` Σ_k ‖u_k − u/K‖², and ``weights`` ‖w‖².
        The gap is ``lag``, Ω(w) + Ω*(u) − ⟨u, w⟩, plus the ``gaps`` of the examples.
        """
        self.rounds += 1
        if self.rounds < self.next_change:
            self.sigma = min(float(self.size), max(self.sigma, MARGIN * ratio))
            return
        self.next_change = math.ceil(GROWTH * self.rounds)
        self.sigma = min(float(self.size), max(1.0, MARGIN * ratio))
        if lag > 0 and gaps > 0:
            wanted = self.correction * (LAG * gaps / lag) ** POWER
            self.correction = min(RANGE, max(1 / RANGE, wanted))
        self.kappa = 0.0
        if apart > 0 and weights > 0:
            self.kappa = FACTOR * self.correction * math.sqrt(self.sigma * apart / weights)


# A step that is longer than this counts as whole: the gain of a shorter one is in the third digit.
WHOLE_STEP = 0.95
# Halvings of the interval of steps where ∇Ω* is not linear.
HALVINGS = 12
# A round that is lost with its part is run again; this number in a row ends the run.
MAX_LOST_ROUNDS = 10


def best_step(
    regularizer: Regularizer, vector: NDArray[np.float64], change: Packed, report: Report
) -> float:
    """The t of 0 … 1 that minimizes h(t) + Ω*(v + t Δv), nearly: the dual never falls.

    h is the sum of the conjugates at the fraction t of the duals. It is taken as the parabola
    through its values at 0, ½ and 1. This is exact for conjugates that are linear or quadratic
    where they are finite. For others the step is taken only if h's chords, an upper bound, say that
    it is no worse than 0. Source: Lee and Chang, Distributed block-diagonal approximation methods
    for regularized empirical risk minimization, 2019.
    """
    slope, bend = parabola(report)
    if regularizer.linear:
        modulus = regularizer.modulus
        curvature = change.square / modulus + 2 * bend
        downhill = -(slope + change.dot(vector) / modulus)
        step = downhill / curvature if curvature > 0 else 1.0
    else:
        step = _by_halving(regularizer, vector, change, slope, bend)
    if step >= WHOLE_STEP:
        step = 1.0
    return step if step > 0 and _is_safe(regularizer, vector, change, report, step) else 0.0


def parabola(report: Report) -> tuple[float, float]:
    """(b, c) of h(t) = h(0) + b t + c t²."""
    bend = max(0.0, 2 * (report.after - 2 * report.middle + report.before))
    return report.after - report.before - bend, bend


def _by_halving(
    regularizer: Regularizer, vector: NDArray[np.float64], change: Packed, slope: float, bend: float
) -> float:
    dense = change.dense()

    def derivative(t: float) -> float:
        weights = regularizer.primal_of((vector + t * dense).ravel())
        return slope + 2 * bend * t + float(np.vdot(weights, dense.ravel()))

    if derivative(1.0) <= 0:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if derivative(middle) <= 0 else (low, middle)
    return low


def _is_safe(
    regularizer: Regularizer,
    vector: NDArray[np.float64],
    change: Packed,
    report: Report,
    step: float,
) -> bool:
    half = min(step, 0.5), max(0.0, step - 0.5)
    chords = report.before + 2 * (
        half[0] * (report.middle - report.before) + half[1] * (report.after - report.middle)
    )
    moved = vector.copy()
    change.add_to(moved, step)
    here = report.before + regularizer.conjugate_of(vector.ravel())
    there = chords + regularizer.conjugate_of(moved.ravel())
    return there <= here + DUAL_FALL_ROUNDING * abs(here)


class Rounds(Solver):
    """minimize Ω(w) + Σ_k Σ_{i in part k} c_i φ(x_i'w, y_i) over w, the parts held by a ``fleet``.

    In round t every part goes up on its duals, against the others' held where they are, by
    passes of its own ascent on

        −Σ_{i in k} c_i φ*(−α_i) − Ω̃*(v + σ' Δv_k) / σ',   Δv_k = Σ_{i in k} c_i Δα_i x_i,

    Ω̃(w) = Ω(w) + κ/2 ‖w − y‖² with y the last weights. The changes are summed, and `best_step`
    searches along their sum, so that the dual with Ω̃ does not fall. κ = 0 with σ' = K,
    or σ' = 1 and steps of 1/K, is CoCoA+; with σ' = 1 it is Lee and Chang's method. `Pace` chooses
    σ' and κ.

    The certificate belongs to the problem itself, whose dual may fall in a round. It has the losses
    at the weights that began the round, and the dual value at the present duals. Both come from a
    sum of seven numbers. Duals stay with their parts: the Result has none.

    ``shape`` is that of the weights. ``passes`` are those of every round. With ``balances`` parts
    that are slow make fewer, and quick ones more; the seconds that are measured then decide on the
    bits. ``resumes`` says that the parts have duals to go on from, which another solver gave them.
    The fleet may lose parts and load them again: the round is given up, u is added up anew, and the
    run goes on.

    Source: Ma, Konečný, Jaggi, Smith, Jordan, Richtárik and Takáč, Distributed optimization with
    arbitrary local solvers, 2017; Lee and Chang (see `best_step`); Boyd, Parikh, Chu, Peleato and
    Eckstein, Distributed optimization by the alternating direction method of multipliers, 2011. The
    choice of σ' and κ is ours.
    """

    def __init__(
        self,
        fleet: Fleet,
        regularizer: Regularizer,
        shape: tuple[int, int],
        passes: int = PASSES,
        resumes: bool = False,
        balances: bool = False,
    ) -> None:
        super().__init__()
        self.resumes, self.number = resumes, 0
        self.fleet, self.regularizer, self.shape = fleet, regularizer, shape
        self.passes, self.balances = passes, balances

    def start(self) -> None:
        facts = self.fleet.facts()
        self.n, self.size = sum(each.n for each in facts), len(facts)
        self.pace = Pace(self.size)
        self.balance = Balance(self.size, self.passes) if self.balances else None
        #: The gaps at the beginning of the last two rounds, and whether passes came after the last.
        self.gaps: tuple[float, float] | None = None
        self.has_moved = False
        self.losses_at_zero = math.fsum(each.zero for each in facts)
        self.u, self.y = np.zeros(self.shape), np.zeros(self.shape)
        self.step = 1.0
        if self.resumes:
            self._add_up(1)
        self.measuring_work = 0.0

    def _add_up(self, number: int) -> None:
        """Add up u anew, before round ``number``."""
        self.u = self.fleet.give_up(number, self.step).dense(copy=True)

    def settle(self) -> None:
        """Bring the duals of the parts to the end of the last round."""
        self.fleet.give_up(self.number + 1, self.step)

    def run_pass(self, number: int) -> None:
        self.number = number
        for _ in range(MAX_LOST_ROUNDS):
            kappa = self.pace.kappa
            vector = self.u + kappa * self.y
            looks = self._may_end()
            passes = self.balance.of_parts() if self.balance else (self.passes,)
            passes = (0,) if looks else passes
            order = Order(number, self.step, vector, kappa, self.pace.sigma, passes)
            try:
                change, report = self.fleet.round(order)
                break
            except PartsLostError as error:
                self.notes.append(str(error))
                self._add_up(number)
        else:
            raise ConnectionError(f"round {number} was lost {MAX_LOST_ROUNDS} times in a row")
        if looks:
            self._offer(vector, kappa, report)
            self.has_moved = False
            self.work, self.moved, self.step = self.work + self.n, self.n, 1.0
            return
        self.work += self.n * self.passes
        self.moved = int(report.moved)
        self._take(vector, kappa, change, report)
        self.has_moved = True
        if self.balance is not None:
            self.balance.see(report.times)

    def _may_end(self) -> bool:
        """Whether the gap is below its target now if it has fallen as in the round before.

        Then a round without passes measures it, at the cost of one pass.
        """
        if self.gaps is None or not self.has_moved:
            return False
        before, last = self.gaps
        return 0 < last < before < math.inf and last * (last / before) <= self.target

    def _offer(
        self, vector: NDArray[np.float64], kappa: float, report: Report
    ) -> tuple[float, float]:
        """Offer the points that began the round; the gap of Ω, and that of the losses."""
        problem = self.regularizer
        omega = problem.with_quadratic(kappa) if kappa else problem
        weights = omega.primal_of(vector.ravel())
        u = self.u.ravel()
        value, conjugate = problem.value_of(weights), problem.conjugate_of(u)
        primal, dual = report.losses + value, -report.before - conjugate
        self.certificate.offer_weights(weights.reshape(self.shape), primal=primal, exact=True)
        self.certificate.offer_duals(None, dual=dual, exact=True)
        lag = value + conjugate - float(np.vdot(u, weights))
        gap = primal - dual
        if self.gaps is None or self.has_moved:  # a point that a look has seen has the gap it had
            self.gaps = (math.inf if self.gaps is None else self.gaps[1]), gap
        return lag, gap - lag

    def _take(
        self, vector: NDArray[np.float64], kappa: float, change: Packed, report: Report
    ) -> None:
        """Offer the points that began the round, and take its step."""
        lag, gaps = self._offer(vector, kappa, report)
        omega = self.regularizer.with_quadratic(kappa) if kappa else self.regularizer
        u = self.u.ravel()
        apart = report.own - float(np.vdot(u, u)) / self.size
        self.step = self.searched(omega, vector, change, report)
        change.add_to(self.u, self.step)
        self.y = omega.primal_of((self.u + kappa * self.y).ravel()).reshape(self.shape)
        ratio = change.square / report.square if report.square else 1.0
        square = float(np.vdot(self.y, self.y))
        self.pace.see(ratio, apart, square, lag, gaps)

    def searched(self, *on_the_line: Any) -> float:
        """The step along the sum of the changes."""
        return best_step(*on_the_line)

    def value_at_zero(self) -> float:
        return self.losses_at_zero + self.regularizer.value_of(np.zeros(math.prod(self.shape)))
