"""Proximal stochastic dual coordinate ascent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.risks.terms import ScalarTerms
from rrmlinear.solvers.dual._prox_sdca import DualAscent
from rrmlinear.solvers.dual._running_average import RunningAverage
from rrmlinear.solvers.dual.allowed_duals import checked_start, nearest_allowed
from rrmlinear.solvers.dual.dual_descent import SLICE_WORK
from rrmlinear.solvers.dual.shared_passes import SharedPasses, why_not_shared
from rrmlinear.solvers.dual.streamed.rough import LEAST_TOLERANCE
from rrmlinear.solvers.dual.streamed.row_ascent import RowAscent
from rrmlinear.solvers.dual.streamed.shrinking import Shrinking
from rrmlinear.solvers.loop.inner import pieces
from rrmlinear.solvers.loop.rules.rule import Point
from rrmlinear.solvers.loop.team import Team

# The kernel's step for each option of the paper. For losses of one score II equals I, as the
# maximum lies on the line. IV is III with the largest curvature for every example.
OPTIONS = {"I": "maximum", "II": "maximum", "III": "bound", "IV": "bound", "V": "fixed"}
SAMPLINGS = ("permutation", "uniform")

# A visit leaves a dual unchanged if its gap is at most this fraction of the mean. A larger fraction
# skips more visits, but small problems then take many more passes for their last digits.
MIN_VISIT_GAP = 0.003
# Parts of the rows that several threads measure.
MEASURING_PARTS = 16
# A rule looks at this fraction of all examples at most, before it looks at all.
MAX_BUSY = 1 / 8


class ProxSDCA(RowAscent):
    """minimize Ω(w) + Σ_i c_i φ(x_i'w, y_i) over w, Ω strongly convex.

    Dual: maximize −Σ (c_i φ)*(−α_i) − Ω*(v) with v = Σ c_i α_i x_i and w = ∇Ω*(v). Each visit
    raises it in one α_i. In the paper's scale c_i = 1/(λn) and Ω = g, plus (σ/λ)‖w‖₁ for L1–L2.

    ``y`` are labels as the loss takes them. ``option`` is the length of a step: "I" to the maximum;
    "II" to the best point between α_i and −φ'(x_i'w), which for losses of one score is that
    maximum; "III" on that line as far as a bound says, "IV" the same with the largest ‖x_i‖² for
    all, "V" a fixed part of the line (smooth losses only). ``sampling``: a "permutation" for each
    pass, which leaves out examples with a small gap for a while, or n "uniform" draws, as the
    paper's theorems assume; of streamed rows, the draws of a pass are sorted by the blocks that
    are in memory together. ``start`` are α_i to begin from, cut to the bounds of the loss. They are
    per unit of cost, so that they serve for other costs too. ``climbed`` are v = Σ c_i α_i x_i of
    these and the gaps of the examples, as far as another ascent on the same problem has found them.

    ``threads`` share passes (`SharedPasses`); the same seed and number of them give the same bits.

    Raises ValueError for choices that do not go together. Source: Shalev-Shwartz and Zhang,
    Accelerated proximal stochastic dual coordinate ascent, figure 1.
    """

    #: Whether the state keeps averages; see `AveragedSDCA`.
    averaging = False

    def __init__(
        self,
        rows: Rows,
        y: NDArray[np.float64],
        costs: NDArray[np.float64],
        loss: ScalarLoss,
        regularizer: Regularizer,
        seed: int = 0,
        *,
        option: str = "I",
        sampling: str = "permutation",
        threads: int = 1,
        start: NDArray[np.float64] | None = None,
        climbed: tuple[NDArray[np.float64], ...] = (),
    ) -> None:
        super().__init__(rows, costs, seed)
        self.y, self.loss, self.regularizer = y, loss, regularizer
        if option not in OPTIONS:
            raise ValueError(f"option must be one of {', '.join(OPTIONS)}, got {option!r}")
        if option == "V" and not loss.smoothing > 0:
            raise ValueError(
                f"option V needs a smooth loss, and {type(loss).__name__} has a kink; "
                "take option I or smooth the loss"
            )
        if sampling not in SAMPLINGS:
            raise ValueError(f"sampling must be one of {', '.join(SAMPLINGS)}, got {sampling!r}")
        self.option, self.sampling = option, sampling
        self.threads, self.shared = threads, SharedPasses(rows, threads)
        self.climbed = climbed
        self.first_duals = start if start is None or climbed else checked_start(start, loss, y)
        self.team, self.number = Team(1), 0
        #: The losses at v, where the last pass was one that only measures.
        self.known_losses: float | None = None

    def start(self) -> None:
        self._settle_threads()
        average = self._average()
        uniform, even = self.sampling == "uniform", self.option in ("IV", "V")
        from_zero = self.first_duals is None and average is None and not even and not uniform
        joined = from_zero and self.joins_reading and self.rows.blocks is not None
        # a rule is looked at more often than a gap, and each time the rows themselves would be read
        self.shortens = joined and self.rule is None and self.tolerance >= LEAST_TOLERANCE
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
        if joined:
            self.visit_while_reading(self.state.curvatures, self._visit_first)
            if self.exact is not None:
                sizes = self.shares(self.state.alphas)
                self.exact_size = float(sizes @ np.sqrt(self.squares))
                self.first_vector = self.dual_vector.copy()
                self.state.first[:] = self.state.alphas
        if not uniform:
            self.stream()
        self.slice = max(256, int(SLICE_WORK * self.n / max(self.rows.n_stored, self.n)))
        self.team = Team(self.threads, _this_processor)
        if self.first_duals is not None:
            self.state.start_from(self.first_duals, *self.climbed)
            self.gap_sum = self.state.gap_sum

    def _average(self) -> RunningAverage | None:
        return None

    def _visit_first(self, begin: int, end: int) -> None:
        order = self.state.begin_pass(0, self.seed + begin, False, [(begin, end)])
        self.state.sweep(order, 0, len(order))

    def _settle_threads(self) -> None:
        of_largest = self.rule is not None and self.rule.of_largest and not self.loss.smoothing > 0
        is_uniform = self.sampling == "uniform"
        reason = why_not_shared(self.rows, self.averaging, is_uniform, of_largest)
        if reason and self.threads > 1:
            self.notes.append(f"one thread is used, not {self.threads}: {reason}")
            self.threads = 1

    def run_pass(self, number: int) -> None:
        if self.shrinking is not None:
            self._pass_by_turns(self.shrinking)
            return
        self.number, self.known_losses = number, None
        if number == 1 and self._looks_first():
            self._measure_start()
            return
        uniform = self.sampling == "uniform"
        thorough, self.rule_is_open = self.rule_is_open, False
        if thorough:
            self.state.wake_above(0.0)  # without a gap an example violates nothing
        order = self.state.begin_pass(number, self.seed, uniform)
        asleep = number, self.quiet(), self.calm(self.gap_sum)
        least = 0.0 if uniform or thorough else MIN_VISIT_GAP * self.gap_sum / self.n
        blocks = self.rows.blocks
        if blocks is not None:
            for begin, end in blocks.gathered(order, [self.seed, number]):
                self._pass_alone(order[begin:end], asleep, least)
                if self.is_late():
                    break
        elif not self.shared.run(self, order, asleep, least):
            self._pass_alone(order, asleep, least)
        self.moved, self.gap_sum = self.state.moved, self.state.gap_sum
        self.scores = None

    def _looks_first(self) -> bool:
        # Where the duals are the end of another ascent, which has found no gaps: whether the rule
        # may hold there, as far as some examples tell. Without a widest gap a run does not look at
        # it after the first pass.
        if self.rule is None or not self.rule.of_parts or len(self.climbed) != 1:
            return False
        if not np.isfinite(self.rule.widest_gap):
            return False
        return self.rule.ratio(self._some_of(np.flatnonzero(self.costs > 0))) <= 1

    def _measure_start(self) -> None:
        self.known_losses, self.moved = self.losses(), self.n
        self.work += self.n
        self.visits += self.n

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
        self, order: NDArray[np.int64], asleep: tuple[int, float, float], least: float
    ) -> None:
        def visit(begin: int, end: int) -> None:
            self.team.alone("", self.state.sweep, order, begin, end, least, amount=end - begin)
            self.state.note(order, begin, end, *asleep)

        self.in_pieces(order, lambda: self.slice, visit)

    def rest(self) -> None:
        if self.turns is None:
            self.state.rest_below(self.quiet(), self.number)

    def estimate(self) -> tuple[float, float]:
        return self.dual(), self.likely_gap

    def present(self) -> Point:
        if self.mean is not None:
            return super().present()
        # the duals as they lie in the state: a copy of all takes memory
        return Point(self.present_weights(), self.state.alphas, self.scores)

    def known_scores(self) -> NDArray[np.float64] | None:
        return self.scores if self.mean is None and self.state.average is None else None

    def with_gap(self) -> Point | None:
        if self.turns is not None:
            return None
        return self._some_of(np.flatnonzero(self.state.gaps > 0))

    def _some_of(self, examples: NDArray[np.int64]) -> Point:
        # duals and scores of at most MAX_BUSY of all, taken from these examples
        examples = examples[:: 1 + int(len(examples) / (MAX_BUSY * self.n))].copy()
        known = self.known_scores()
        if known is not None:
            scores = known[examples]
        else:
            weights = self.regularizer.primal_of(self.state.dual_vector)
            scores = self.rows.scores_of(examples, weights)
        return Point(None, self.state.alphas[examples], scores, None, examples)

    def proven_losses(self) -> float:
        return super().proven_losses() if self.known_losses is None else self.known_losses

    def dual(self) -> float:
        """The present dual value."""
        conjugate = self.regularizer.conjugate_of(self.state.dual_vector)
        return -self.state.conjugate_sum - conjugate

    def measure(self) -> None:
        losses = self.proven_losses()
        self.wake()
        self.rest()
        primal = losses + self.regularizer.value_of(self.present_weights())
        dual = self.dual() - self.unproved
        self.certificate.offer_weights(self.present_weights, primal=primal)
        self.certificate.offer_duals(self.present_duals, dual=dual)

    @property
    def dual_vector(self) -> NDArray[np.float64]:
        return self.state.dual_vector

    def rebuild(self, z: NDArray[np.float64]) -> None:
        self.state.dual_vector[:] = z + self.state.combination(self.state.alphas.copy())
        self.exact_size, self.state.first[:] = 0.0, 0.0  # v is of the present rows alone

    def replace_duals(self, duals: NDArray[np.float64]) -> None:
        self.state.alphas[:] = duals
        self.state.resume()

    def conjugates(self) -> float:
        return self.state.conjugate_sum

    def losses(self) -> float:
        weights = self.regularizer.primal_of(self.measured_vector)
        scores = np.empty(self.n) if self.turns is None else None
        losses, self.scores = self.summed(self._measuring_at(weights, scores)), scores
        return losses

    def losses_of(self, scores: NDArray[np.float64]) -> float:
        """`losses` where the scores at the measured vector are known: no rows are read."""
        none = np.empty(0)
        losses = self.summed(
            lambda begin, end, thread: self.state.measure(none, scores, begin, end, knows=True)
        )
        self.scores = scores
        return losses

    def _measuring_at(
        self, weights: NDArray[np.float64], scores: NDArray[np.float64] | None
    ) -> Callable[[int, int, int], float]:
        return lambda begin, end, thread: self.state.measure(weights, scores, begin, end)

    def summed(self, part: Callable[[int, int, int], float]) -> float:
        """Σ part(begin, end, thread) over all rows, which measures their examples."""
        losses = self.over_rows(self._chunk(), part)
        self.state.add_up()
        self.gap_sum = self.state.gap_sum + self.slack()
        return losses

    def _chunk(self) -> int:
        return -(-self.n // MEASURING_PARTS) if self.team.threads > 1 else self.n

    def losses_at(self, vector: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights, gaps = self.regularizer.primal_of(vector), self.state.gaps.copy()
        losses = self.over_rows(self._chunk(), self._measuring_at(weights, None))
        self.state.gaps[:] = gaps
        return losses, weights

    def present_weights(self) -> NDArray[np.float64]:
        return self.regularizer.primal_of(self.measured_vector)

    def present_duals(self) -> NDArray[np.float64]:
        return self.state.alphas.copy()

    def add_duals(self, sums: NDArray[np.float64], weight: float) -> None:
        for piece in pieces(self.n):
            sums[piece] += weight * self.state.alphas[piece]

    def duals_of(self, means: NDArray[np.float64]) -> NDArray[np.float64]:
        return nearest_allowed(means, self.loss, self.y)

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
