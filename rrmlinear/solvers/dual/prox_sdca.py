"""Proximal stochastic dual coordinate ascent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.products import product
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.risks.terms import ScalarTerms
from rrmlinear.solvers.dual._momentum import RunningAverage
from rrmlinear.solvers.dual._prox_sdca import DualAscent
from rrmlinear.solvers.dual.dual_descent import MIN_VISIT_GAP
from rrmlinear.solvers.dual.shared_passes import SharedPasses, why_not_shared
from rrmlinear.solvers.dual.streamed.row_ascent import RowAscent
from rrmlinear.solvers.dual.streamed.shrinking import Shrinking
from rrmlinear.solvers.loop.first import checked_start, nearest_allowed
from rrmlinear.solvers.loop.inner import SLICE_WORK, pieces
from rrmlinear.solvers.loop.rounding import slopes_near
from rrmlinear.solvers.loop.rules.rule import Point
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.loop.team import Team

# The kernel's step for each option of the paper. For losses of one score II equals I, as the
# maximum lies on the line. IV is III with the largest curvature for every example.
OPTIONS = {"I": "maximum", "II": "maximum", "III": "bound", "IV": "bound", "V": "fixed"}
SAMPLINGS = ("permutation", "uniform")
# Parts of the rows that several threads measure.
MEASURING_PARTS = 16


class ProxSDCA(RowAscent):
    """minimize Ω(w) + Σ_i c_i φ(x_i'w, y_i) over w, Ω strongly convex.

    Dual: maximize −Σ (c_i φ)*(−α_i) − Ω*(v) with v = Σ c_i α_i x_i and w = ∇Ω*(v). Each visit
    raises it in one α_i. In the paper's scale c_i = 1/(λn) and Ω = g, plus (σ/λ)‖w‖₁ for L1–L2.

    The choice ``option`` is the length of a step: "I" to the maximum;
    "II" to the best point between α_i and −φ'(x_i'w), which for losses of one score is that
    maximum; "III" on that line as far as a bound says, "IV" the same with the largest ‖x_i‖² for
    all, "V" a fixed part of the line (smooth losses only). ``sampling``: a "permutation" for each
    pass, which leaves out examples with a small gap for a while; or n "uniform" draws, as the
    paper's theorems assume; of streamed rows, the draws of a pass are sorted by the blocks that are
    in memory together. The task's start are α_i, cut to the bounds of the loss. They are per
    unit of cost, so that they serve for other costs too.

    With ``averaging`` the points are averages of w and α over all visits since the last pass whose
    number is a power of two: at least half of all visits. One thread is used.

    ``threads`` share passes (`SharedPasses`); the same seed and number of them give the same bits.

    Raises ValueError for choices that do not go together. Source: Shalev-Shwartz and Zhang,
    Accelerated proximal stochastic dual coordinate ascent, figure 1 and theorem 1.
    """

    loss: ScalarLoss
    state: DualAscent
    #: The averages, where they are chosen.
    average: RunningAverage | None = None

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self.y, loss, choices = task.targets, task.loss, task.choices
        option, sampling = choices.option or "I", choices.sampling or "permutation"
        if option not in OPTIONS:
            raise ValueError(f"option must be one of {', '.join(OPTIONS)}, got {option!r}")
        if option == "V" and not loss.smoothing > 0:
            lacks = "has no bound of its second derivative" if loss.differentiable else "has a kink"
            raise ValueError(
                f"option V needs a smooth loss, and {type(loss).__name__} {lacks}; "
                "take option I or smooth the loss"
            )
        if sampling not in SAMPLINGS:
            raise ValueError(f"sampling must be one of {', '.join(SAMPLINGS)}, got {sampling!r}")
        self.option, self.sampling, self.averaging = option, sampling, bool(choices.averaging)
        self.threads, self.shared = choices.threads, SharedPasses(self.rows, choices.threads)
        start = task.start
        self.first_duals = None if start is None else checked_start(start, loss, self.y)
        self.team, self.number = Team(1), 0

    def start(self) -> None:
        self._settle_threads()
        if self.averaging:
            longest = int(self.rows.lengths().max()) + 1
            self.average = RunningAverage(self.regularizer, self.n, self.rows.width, longest)
        average = self.average
        uniform, even = self.sampling == "uniform", self.option in ("IV", "V")
        from_zero = self.first_duals is None and average is None and not even and not uniform
        joined = from_zero and self.joins_reading and self.rows.blocks is not None
        curvature = np.zeros(self.n) if joined else self.curvatures() / self.regularizer.modulus
        if even:
            curvature[:] = curvature.max()
        self.state = DualAscent(
            self.rows,
            self.loss,
            self.regularizer,
            self.y,
            self.costs,
            curvature,
            OPTIONS[self.option],
            average,
            self.threads,
        )
        if not joined and not even and self.regularizer.modulus == 1:
            self.squares = self.state.curvatures  # these are the same: one array less
        if joined:
            self.visit_while_reading(self.state.curvatures, self._visit_first)
        if not uniform:
            self.stream()
        self.slice = max(256, int(SLICE_WORK * self.n / max(self.rows.n_stored, self.n)))
        self.team = Team(self.threads, _this_processor)
        if self.first_duals is not None:
            self.state.start_from(self.first_duals)
            self.gap_sum = self.state.gap_sum

    def _visit_first(self, begin: int, end: int) -> None:
        order = self.state.begin_pass(0, self.seed + begin, False, [(begin, end)])
        self.state.sweep(order, 0, len(order))

    def _settle_threads(self) -> None:
        of_largest = self.rule is not None and self.rule.of_largest and not self.loss.differentiable
        is_uniform = self.sampling == "uniform"
        reason = why_not_shared(self.rows, self.averaging, is_uniform, of_largest)
        if reason and self.threads > 1:
            self.notes.append(f"one thread is used, not {self.threads}: {reason}")
            self.threads = 1

    def run_pass(self, number: int) -> None:
        if self.shrinking is not None:
            self._pass_by_turns(self.shrinking)
            return
        if self.average is not None and number & (number - 1) == 0:
            self.average.restart()
        self.number = number
        uniform = self.sampling == "uniform"
        thorough, self.rule_is_open = self.rule_is_open, False
        if thorough:
            self.state.activate_above(0.0)  # without a gap an example violates nothing
        order = self.state.begin_pass(number, self.seed, uniform)
        limits = number, self.quiet(), self.calm(self.gap_sum)
        least = 0.0 if uniform or thorough else MIN_VISIT_GAP * self.gap_sum / self.n
        blocks = self.rows.blocks
        if blocks is not None:
            for begin, end in blocks.gathered(order, [self.seed, number]):
                self._pass_alone(order[begin:end], limits, least)
                if self.is_late():
                    break
        elif not self.shared.run(self, order, limits, least):
            self._pass_alone(order, limits, least)
        self.moved, self.gap_sum = self.state.moved, self.state.gap_sum
        self.scores = None
        # Where every visit has moved its dual, all examples are active. Duals
        # of another model may be near enough to end the run. Dense rows of many features, whose
        # gaps fall fast, skip too many passes without that measurement.
        may = self.loss.differentiable and self.first_duals is None and not self.rows.is_dense
        if number == 1 and self.moved == len(order) and may:
            self.measures_first = False

    def _pass_by_turns(self, shrinking: Shrinking) -> None:
        turns = self.begin_turns(shrinking)
        moved, least = 0, MIN_VISIT_GAP * self.gap_sum / self.n

        def sweep(spans: list[tuple[int, int]], place: int, above: float) -> int:
            nonlocal moved
            order = self.state.begin_pass(turns.number, self.seed + place, False, spans, above)
            self.state.sweep(order, 0, len(order), least)
            moved += self.state.moved
            return len(order)

        self.take_turns(shrinking, turns, sweep)
        self.moved, self.gap_sum, self.expected = moved, turns.gap, turns.expected

    def _pass_alone(
        self, order: NDArray[np.int64], limits: tuple[int, float, float], least: float
    ) -> None:
        def visit(begin: int, end: int) -> None:
            visits = order, begin, end, least, *limits
            self.team.alone("", self.state.sweep, *visits, amount=end - begin)

        self.in_pieces(order, lambda: self.slice, visit)

    def shrink(self) -> None:
        if self.turns is None:
            self.state.shrink_below(self.quiet(), self.number)

    def estimate(self) -> tuple[float, float]:
        return self.dual(), self.likely_gap

    def measure(self) -> None:
        if self.average is not None:
            self._measure_averages()
            return
        losses = self.losses()
        self.activate()
        self.shrink()
        primal = losses + self.regularizer.value_of(self.present_weights())
        self.certificate.offer_weights(self.present_weights, primal=primal)
        self.certificate.offer_duals(self.present_duals, dual=self.dual())

    def _measure_averages(self) -> None:
        weights, duals = self.present_weights(), self.present_duals()
        scores = product(self.rows, weights[:, None], self.rows.shape[1])[:, 0]
        losses = float(self.costs @ self.loss.values(self.y, scores))
        conjugates = float(self.costs @ self.loss.conjugates(self.y, duals))
        v = self.state.combination(duals)
        primal = losses + self.regularizer.value_of(weights)
        dual = -conjugates - self.regularizer.conjugate_of(v)
        self.certificate.offer_weights(self.present_weights, primal=primal)
        self.certificate.offer_duals(self.present_duals, dual=dual)

    def present(self) -> Point:
        if self.average is not None:
            return super().present()  # copies: the state has duals that are not averages
        # the duals as they lie in the state: a copy of all takes memory
        return Point(self.present_weights(), self.state.alphas, self.scores)

    def known_scores(self) -> NDArray[np.float64] | None:
        return self.scores if self.average is None else None

    def dual(self) -> float:
        """The present dual value."""
        conjugate = self.regularizer.conjugate_of(self.state.dual_vector)
        return -self.state.conjugate_sum - conjugate

    @property
    def dual_vector(self) -> NDArray[np.float64]:
        return self.state.dual_vector

    def rebuild(self, z: NDArray[np.float64]) -> None:
        self.state.dual_vector[:] = z + self.state.combination(self.state.alphas.copy())

    def replace_duals(self, duals: NDArray[np.float64]) -> None:
        self.state.alphas[:] = duals
        self.state.resume()

    def conjugates(self) -> float:
        return self.state.conjugate_sum

    def losses(self) -> float:
        weights = self.present_weights()
        scores = np.empty(self.n) if self.turns is None else None
        losses = self.summed(lambda first, end, _: self.state.measure(weights, scores, first, end))
        self.scores = scores
        return losses

    def losses_of(self, scores: NDArray[np.float64]) -> float:
        """`losses` where the scores at the measured vector are known: no rows are read."""
        none = np.empty(0)
        losses = self.summed(
            lambda begin, end, thread: self.state.measure(none, scores, begin, end, knows=True)
        )
        self.scores = scores
        return losses

    def summed(self, part: Callable[[int, int, int], float]) -> float:
        """Σ part(begin, end, thread) over all rows, which measures their examples."""
        chunk = -(-self.n // MEASURING_PARTS) if self.team.threads > 1 else self.n
        losses = self.over_rows(chunk, part)
        self.state.add_up()
        self.gap_sum = self.state.gap_sum
        return losses

    def present_weights(self) -> NDArray[np.float64]:
        v = self.state.dual_vector
        return self.regularizer.primal_of(v) if self.average is None else self.average.weights(v)

    def present_duals(self) -> NDArray[np.float64]:
        if self.average is None:
            return self.state.alphas.copy()
        return nearest_allowed(self.average.duals(self.state.alphas), self.loss, self.y)

    def dual_sizes(self) -> tuple[float, float]:
        total, support, at_bound = self.state.sizes(self.loss.lipschitz)
        return total / max(1, support), at_bound / max(1, support)

    def margin_unit(self) -> float:
        slope = value = 0.0
        for piece in pieces(self.n):
            y, at_zero = self.y[piece], np.zeros(piece.stop - piece.start)
            slope += float(np.abs(self.loss.derivatives(y, at_zero)).sum())
            value += float(self.loss.values(y, at_zero).sum())
        return value / slope if slope > 0 and value > 0 else 1.0

    def shares(self, duals: Any) -> NDArray[np.float64]:
        sizes = np.abs(duals)
        return np.multiply(sizes, self.costs, out=sizes)

    def slopes(
        self, piece: slice, scores: NDArray[np.float64], moves: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        y = self.y[piece]
        return slopes_near(lambda some: self.loss.derivatives(y, some), scores[:, 0], moves)

    def value_at_zero(self) -> float:
        omega = self.regularizer.value_of(np.zeros(self.rows.width))
        losses = 0.0
        for piece in pieces(self.n):
            at_zero = np.zeros(piece.stop - piece.start)
            losses += ScalarTerms(self.loss, self.y[piece], self.costs[piece]).total(at_zero)
        return losses + omega

    def close(self) -> None:
        self.team.close()


def _this_processor() -> int:
    """Imported only where threads share a pass: one thread needs no module of blocks."""
    from rrmlinear.solvers.dual.blocks._block_descent import this_processor

    return this_processor()
