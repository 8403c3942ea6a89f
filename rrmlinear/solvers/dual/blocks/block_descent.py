"""Multiclass losses by block coordinate ascent on the dual."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from rrmlinear.losses.block_base import BlockLoss
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.risks.scores import BlockRisk
from rrmlinear.solvers.dual.blocks._block_descent import BlockDescent, this_processor
from rrmlinear.solvers.dual.blocks.busy import BusyPasses
from rrmlinear.solvers.dual.blocks.multiples import BestMultiple
from rrmlinear.solvers.dual.streamed.row_ascent import RowAscent
from rrmlinear.solvers.dual.streamed.shrinking import Shrinking
from rrmlinear.solvers.loop.certificate import gap_between
from rrmlinear.solvers.loop.inner import SLICE_WORK, pieces
from rrmlinear.solvers.loop.result import DualBlocks
from rrmlinear.solvers.loop.rounding import slopes_near
from rrmlinear.solvers.loop.rules.of_duals import ClassRange
from rrmlinear.solvers.loop.rules.rule import Point
from rrmlinear.solvers.loop.steps import INNER_GAP_FRACTION
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.loop.team import Team

# Passes over faces after each full pass: one for every 16 lines of 8 classes, at most 8.
LINES_PER_FACE_PASS = 16
MAX_FACE_PASSES = 8
# A visit takes this many times as long where weights are made from the dual vector (1-norm).
THRESHOLD_WORK = 4
# Smallest visit, in multiplications, worth a team of threads.
MIN_SHARED_WORK = 8_000


class BlockAscent(RowAscent):
    """minimize Ω(W) + Σ_i C_i φ(m_i) over W, d × k, in margins m_ij = cost + (w_j − w_{y_i})'x_i.

    Dual: maximize −Σ (C_i φ)*(−β_i) − Ω*(V) over blocks β_i of k numbers, with
    v_j = −Σ_{y_i≠j} β_ij x_i + Σ_{y_i=j} (Σ_j' β_ij') x_i and W = ∇Ω*(V). Each visit maximizes it
    over the block of one example, exactly by the loss's block solver (a lower bound of the
    dual where ∇Ω* is not linear). Shrinking: examples with a small gap are left out for a
    while, and with many classes most passes visit only the faces (the classes whose duals are not
    zero). The run stops only on a measurement of the whole problem.

    The task's start are duals of the same examples and classes; they are cut to C_i. With
    ``repeats`` and more features than examples in memory, busy examples get passes of their own
    (`BusyPasses`), which one thread makes, and a loss with kinks is proved by the best multiple of
    the weights (`BestMultiple`). Targets are classes 0 … k − 1 (int32), costs the C_i ≥ 0. Gaps are
    in the scale of this objective. Source: Wang and Scott, An Exact Solver for the Weston–Watkins
    SVM Subproblem, algorithm 1, and Shalev-Shwartz and Zhang, Accelerated proximal stochastic dual
    coordinate ascent, section 3; block order and shrinking are ours.
    """

    loss: BlockLoss
    load_passes = 1.0  # visits of several scores take longer
    #: The range of each example at its last measurement, which a rule reads.
    ranges: NDArray[np.float64] | None = None
    multiple: BestMultiple | None = None

    def __init__(self, task: Task, *, repeats: bool = False) -> None:
        super().__init__(task)
        assert task.n_classes is not None
        self.n_classes: int = task.n_classes
        # Ω*(V), and the gap and dual after the last measurement or the last pass over all classes
        self.conjugate = self.full_gap = self.full_dual = 0.0
        self.label, rows = task.targets, task.rows
        self.repeats = repeats and rows.blocks is None and rows.width > rows.shape[0]
        self.threads, self.first_duals = task.choices.threads, task.start
        self.team = Team(1)
        self.faces_since_full = 0

    def start(self) -> None:
        lines = (self.n_classes + 7) // 8
        work = max(1.0, self.rows.n_stored / self.n * lines * 8)
        made = 1 if self.regularizer.linear else THRESHOLD_WORK
        self.slice = max(64, int(SLICE_WORK / (made * work)))
        self.face_passes = min(MAX_FACE_PASSES, lines // LINES_PER_FACE_PASS)
        if self.threads > 1 and work < MIN_SHARED_WORK:
            self.notes.append(
                f"one thread is used, not {self.threads}: an example takes {work:.0f} "
                f"multiplications, and threads repay their meeting from {MIN_SHARED_WORK}"
            )
            self.threads = 1
        elif self.threads > lines:  # the kernels share no line of 8 classes
            self.notes.append(
                f"{lines} of {self.threads} threads are used: each takes at least 8 classes, and "
                f"there are {self.n_classes}"
            )
            self.threads = lines
        # a reading goes row by row, and threads share the classes of an example
        alone = self.threads == 1 and self.first_duals is None and self.regularizer.linear
        joined = self.joins_reading and alone and self.rows.blocks is not None
        self.curvature = np.zeros(self.n)
        if not joined:
            np.divide(self.curvatures(), self.regularizer.modulus, out=self.curvature)
        self.state = BlockDescent(
            self.rows,
            self.loss,
            self.regularizer,
            self.label,
            self.n_classes,
            self.costs,
            self.curvature,
            self.threads,
        )
        if isinstance(self.rule, ClassRange):
            self.ranges = np.zeros(self.n)
        if joined:
            self.visit_while_reading(self.curvature, self._visit_first)
            self.conjugate = self.state.conjugate_of_regularizer()
        self.stream()
        self.busy = BusyPasses(self.state)
        has_kinks = not self.loss.differentiable and self.rows.blocks is None
        if self.repeats and has_kinks and self.regularizer.linear and self.rule is None:
            losses = self.loss, self.label, self.n_classes, self.costs, self.threads
            self.multiple = BestMultiple(BlockRisk(self.rows, *losses), self.regularizer)
        self.team = Team(self.threads, this_processor)
        if self.first_duals is not None:
            first = self.first_duals
            self.state.start_from(first.indptr, first.classes, first.values)
            self.conjugate = self.state.conjugate_of_regularizer()

    def retune(self, regularizer: Regularizer) -> None:
        self.curvature *= self.regularizer.modulus / regularizer.modulus  # the kernel's own
        super().retune(regularizer)
        self.conjugate = self.state.conjugate_of_regularizer()
        self.multiple = None  # of the weights under the regularizer before

    def _visit_first(self, begin: int, end: int) -> None:
        order = self.state.begin_pass(0, self.seed + begin, False, 0.0, [(begin, end)])
        self.state.sweep(order, 0, len(order), 0, False, -1.0, -1.0, 1, 0)  # all stay active

    def run_pass(self, number: int) -> None:
        if self.shrinking is not None:
            self._pass_by_turns(self.shrinking)
            return
        quiet, calm = self.quiet(), self.calm(self.full_gap)
        face = self._face_is_due(number)
        self.faces_since_full = self.faces_since_full + 1 if face else 0
        order = self.state.begin_pass(number, self.seed, face, quiet)
        kind = "face" if face else "full"

        def visit(begin: int, end: int) -> None:
            visits = (order, begin, end, number, face, quiet, calm)
            self.team.shared(kind, self.state.sweep, *visits, amount=end - begin)

        self.in_pieces(order, lambda: self.team.timely(kind, min(self.slice, len(order))), visit)
        if self.repeats and not face:
            repeated = self.busy.run(order, self.slice, self.is_late)
            self.work, self.visits = self.work + repeated, self.visits + repeated
        if self.state.out_of_memory:
            raise MemoryError("no memory for the dual variables")
        rise, self.moved = self.state.since_begin()
        if self.regularizer.linear:
            self.conjugate += rise
        else:
            self.conjugate = self.state.conjugate_of_regularizer()
        self.gap_sum = float(np.add.reduce(self.state.gaps))
        if not face:
            self.full_gap, self.full_dual = self.gap_sum, self.dual()
            self._look_at_multiple()

    def _look_at_multiple(self) -> None:
        multiple, gap = self.multiple, self.full_gap
        if multiple is not None and multiple.is_due(gap, self.target, self.work / self.n):
            multiple.search(self.state.weights, gap, self.full_dual)
            self.work += self.n

    def _pass_by_turns(self, shrinking: Shrinking) -> None:
        turns = self.begin_turns(shrinking)
        quiet, self.moved = self.quiet(), 0

        def sweep(spans: list[tuple[int, int]], place: int, above: float) -> int:
            face, number, seed = above >= 0 and self.face_passes > 0, turns.number, self.seed
            order = self.state.begin_pass(number, seed + place, face, above, spans, above)
            visits = (order, 0, len(order), number, face, quiet, 0.0)
            kind = "face" if face else "full"
            self.team.shared(kind, self.state.sweep, *visits, amount=len(order))
            rise, moved = self.state.since_begin()
            self.conjugate, self.moved = self.conjugate + rise, self.moved + moved
            return len(order)

        self.take_turns(shrinking, turns, sweep)
        if self.state.out_of_memory:
            raise MemoryError("no memory for the dual variables")
        if not self.regularizer.linear:
            self.conjugate = self.state.conjugate_of_regularizer()
        self.gap_sum, self.full_gap, self.expected = turns.gap, turns.expected, turns.expected
        self.full_dual = self.dual()

    def _face_is_due(self, number: int) -> bool:
        if number == 1 or self.faces_since_full >= self.face_passes:
            return False
        # Once the faces are solved well enough, only a full pass can find more.
        return self.faces_since_full == 0 or self.gap_sum > INNER_GAP_FRACTION * self.target

    def estimate(self) -> tuple[float, float]:
        dual = self.dual()
        # After a pass over faces: the gap of the last full pass less the gain of the dual.
        gap = max(self.likely_gap, self.full_gap - (dual - self.full_dual))
        if self.multiple is not None:
            gap = min(gap, gap_between(self.multiple.primal, dual))
        return dual, gap

    def measure(self) -> None:
        losses = self.losses()
        if np.isfinite(self.target):
            self.state.activate_above(self.quiet())
        omega = self.conjugate  # Ω(∇Ω*(V)) = Ω*(V) where ∇Ω* is linear
        if not self.regularizer.linear:
            omega = float(self.regularizer.value_of(self.present_weights().ravel()))
        multiple, primal = self.multiple, omega + losses
        if multiple is not None and multiple.primal < primal:
            self.certificate.offer_weights(lambda: multiple.weights, primal=multiple.primal)
        else:
            self.certificate.offer_weights(self.present_weights, primal=primal)
        self.certificate.offer_duals(self.present_duals, dual=self.full_dual)

    def present(self) -> Point:
        if self.ranges is None:
            return super().present()
        return Point(None, None, ranges=self.ranges)  # of the measurement before the look

    def dual(self) -> float:
        """The present dual value."""
        return -self.conjugates() - self.conjugate

    def conjugates(self) -> float:
        """Σ (C_i φ_i)*."""
        return float(np.add.reduce(self.state.conjugates))

    def losses(self) -> float:
        """Σ C_i φ_i at the weights; updates the gap of every example."""
        part = partial(self.state.measure, ranges=self.ranges)
        losses = self.over_rows(max(1024, -(-self.n // 64)), part)
        self.conjugate = self.state.conjugate_of_regularizer()
        self.gap_sum = self.full_gap = float(self.state.gaps.sum())
        self.full_dual = self.dual()
        return losses

    @property
    def dual_vector(self) -> NDArray[np.float64]:
        """V in the kernel's layout, in one piece."""
        return self.state.panels.reshape(-1)

    def raise_conjugate(self, rise: float) -> None:
        """Told that Ω*(V) has risen by this, as V was moved."""
        self.conjugate += rise
        self.full_dual -= rise

    def rebuild(self, z: NDArray[np.float64]) -> None:
        self.state.rebuild(z)

    def replace_duals(self, duals: DualBlocks) -> None:
        self.state.replace(duals.indptr, duals.classes, duals.values)

    def in_order(self, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.state.in_order(vector)

    def lipschitz(self) -> float:
        return self.loss.lipschitz(self.n_classes)

    def present_weights(self) -> NDArray[np.float64]:
        weights: NDArray[np.float64] = self.state.weights
        return weights

    def present_duals(self) -> DualBlocks:
        return DualBlocks(*self.state.duals.arrays())

    def dual_sizes(self) -> tuple[float, float]:
        sizes, duals, at_bound = self.state.duals.sizes()
        support = max(1, int(np.count_nonzero(sizes)))
        return float(self.squares @ sizes) / support, at_bound / max(1, duals)

    def shares(self, duals: DualBlocks) -> NDArray[np.float64]:
        sums = np.empty(self.n)
        for piece in pieces(self.n):
            ends = duals.indptr[piece.start : piece.stop + 1]
            example = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
            values = 2.0 * duals.values[ends[0] : ends[-1]]  # its own class has minus the sum
            sums[piece] = np.bincount(example, values, len(ends) - 1)
        return sums

    def slopes(
        self, piece: slice, scores: NDArray[np.float64], moves: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        label = self.label[piece]
        return slopes_near(lambda some: self.loss.derivatives(some, label), scores, moves, label)

    def value_at_zero(self) -> float:
        omega = self.regularizer.value_of(np.zeros(self.rows.width * self.n_classes))
        zeros, label = np.zeros((1, self.n_classes)), np.zeros(1, dtype=np.int32)
        return float(self.costs.sum() * self.loss.values(zeros, label)[0]) + omega

    def support(self) -> dict[str, int]:
        examples, duals, at_bound = self.state.duals.count()
        return {"examples": examples, "duals": duals, "at_bound": at_bound}

    def close(self) -> None:
        self.team.close()
