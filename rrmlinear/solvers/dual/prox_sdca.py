"""Proximal stochastic dual coordinate ascent."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.dual._momentum import RunningAverage
from rrmlinear.solvers.dual._prox_sdca import DualAscent
from rrmlinear.solvers.dual.allowed_duals import checked_start
from rrmlinear.solvers.dual.dual_descent import MIN_VISIT_GAP, SLICE_WORK
from rrmlinear.solvers.dual.measured_duals import MeasuredDuals
from rrmlinear.solvers.dual.shared_passes import SharedPasses, why_not_shared
from rrmlinear.solvers.dual.streamed.shrinking import Shrinking
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.loop.team import Team

# The kernel's step for each option of the paper. For losses of one score II equals I, as the
# maximum lies on the line. IV is III with the largest curvature for every example.
OPTIONS = {"I": "maximum", "II": "maximum", "III": "bound", "IV": "bound", "V": "fixed"}
SAMPLINGS = ("permutation", "uniform")


class ProxSDCA(MeasuredDuals):
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

    ``threads`` share passes (`SharedPasses`); the same seed and number of them give the same bits.

    Raises ValueError for choices that do not go together. Source: Shalev-Shwartz and Zhang,
    Accelerated proximal stochastic dual coordinate ascent, figure 1.
    """

    #: Whether the state keeps averages; see `AveragedSDCA`.
    averaging = False

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
        self.option, self.sampling = option, sampling
        self.threads, self.shared = choices.threads, SharedPasses(self.rows, choices.threads)
        start = task.start
        self.first_duals = None if start is None else checked_start(start, loss, self.y)
        self.team, self.number = Team(1), 0

    def start(self) -> None:
        self._settle_threads()
        average = self._average()
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

    def _average(self) -> RunningAverage | None:
        return None

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
        if number == 1 and self.moved == len(order):
            self._leave_out_first_measuring()

    def _leave_out_first_measuring(self) -> None:
        # Where every visit has moved its dual, all examples are active. Duals
        # of another model may be near enough to end the run. Dense rows of many features, whose
        # gaps fall fast, skip too many passes without that measurement.
        smooth = self.loss.differentiable
        if smooth and self.first_duals is None and not self.rows.is_dense:
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
        losses = self.proven_losses()
        self.activate()
        self.shrink()
        primal = losses + self.regularizer.value_of(self.present_weights())
        self.certificate.offer_weights(self.present_weights, primal=primal)
        self.certificate.offer_duals(self.present_duals, dual=self.dual())

    def close(self) -> None:
        self.team.close()


def _this_processor() -> int:
    """Imported only where threads share a pass: one thread needs no module of blocks."""
    from rrmlinear.solvers.dual.blocks._block_descent import this_processor

    return this_processor()
