"""The Weston–Watkins SVM by block coordinate descent on its dual."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import BlockLoss
from rrmlinear.solvers._block_descent import BlockDescent, this_processor
from rrmlinear.solvers.dual_descent import SLICE_WORK, DualDescent
from rrmlinear.solvers.result import DualBlocks
from rrmlinear.solvers.team import Team

# Passes over faces after each full pass: one for every so many lines of 8 classes, up to 8.
LINES_PER_FACE_PASS = 16
MOST_FACE_PASSES = 8
# Multiplications in a visit from which threads repay their meeting.
SHARED_WORK = 8_000
# In how many parts the first pieces of work are cut, on which it is tried whether threads pay.
TRIAL_PARTS = 8


class WestonWatkinsDescent(DualDescent):
    """minimize ½‖W‖² + Σ_i C_i Σ_{j≠y_i} max(0, 1 − (w_{y_i} − w_j)'x_i) over W, d × k.

    Dual: maximize Σ β_ij − ½‖W(β)‖² over 0 ≤ β_ij ≤ C_i, with w_j = −Σ_{y_i≠j} β_ij x_i +
    Σ_{y_i=j} (Σ_j' β_ij') x_i. Each visit maximizes it over the block of one example, exactly as
    the loss's block solver does. Shrinking: examples that hold little of the gap are passed over
    for a while, and with many classes most passes visit only the faces (the classes whose duals are
    not zero); no stop is made but on a measurement of the whole problem.

    ``start`` are duals to begin from, of the same examples and classes; they are cut to C_i.
    ``label`` holds classes 0 … k − 1 (int32), ``costs`` the C_i ≥ 0. Gaps are in the scale of this
    objective. Source: Wang and Scott, An Exact Solver for the Weston–Watkins SVM Subproblem,
    algorithm 1; block order and shrinking are ours.
    """

    def __init__(
        self,
        rows: Rows,
        label: NDArray[np.int32],
        n_classes: int,
        costs: NDArray[np.float64],
        loss: BlockLoss,
        seed: int = 0,
        threads: int = 1,
        start: DualBlocks | None = None,
    ) -> None:
        super().__init__(rows, costs, seed)
        self.label, self.n_classes = label, n_classes
        self.loss, self.threads = loss, threads
        self.first_duals = start
        self.team = Team(1)
        self.sum_duals = self.half_norm = 0.0
        self.faces_since_full = 0
        self.full_gap = self.full_dual = 0.0

    def start(self) -> None:
        curvature = self.curvatures()
        lines = (self.n_classes + 7) // 8
        work = max(1.0, self.rows.n_stored / self.n * lines * 8)
        self.slice = max(64, int(SLICE_WORK / work))
        self.face_passes = min(MOST_FACE_PASSES, lines // LINES_PER_FACE_PASS)
        if self.threads > 1 and work < SHARED_WORK:
            self.notes.append(
                f"one thread is used, not {self.threads}: an example takes {work:.0f} "
                f"multiplications, and threads repay their meeting from {SHARED_WORK}"
            )
            self.threads = 1
        elif self.threads > lines:  # the kernels share no line of 8 classes
            self.notes.append(
                f"{lines} of {self.threads} threads are used: each takes at least 8 classes, and "
                f"there are {self.n_classes}"
            )
            self.threads = lines
        self.state = BlockDescent(
            self.rows,
            self.loss,
            self.label,
            self.n_classes,
            self.costs,
            curvature,
            self.threads,
        )
        self.team = Team(self.threads, this_processor)
        if self.first_duals is not None:
            first = self.first_duals
            self.sum_duals = self.state.start_from(first.indptr, first.classes, first.values)
            self.half_norm = self.state.half_norm()

    def run_pass(self, number: int) -> None:
        quiet, calm = self.quiet(), self.calm(self.full_gap)
        face = self._face_is_due(number)
        self.faces_since_full = self.faces_since_full + 1 if face else 0
        order = self.state.begin_pass(number, self.seed, face, quiet)
        kind = "face" if face else "full"

        def length() -> int:
            step = min(self.slice, len(order))
            return step if self.team.is_settled(kind) else -(-step // TRIAL_PARTS)

        def visit(begin: int, end: int) -> None:
            visits = (order, begin, end, number, face, quiet, calm)
            self.team.shared(kind, self.state.sweep, *visits, amount=end - begin)

        self.in_pieces(order, length, visit)
        if self.state.out_of_memory:
            raise MemoryError("no memory for the dual variables")
        sum_rise, norm_rise, self.moved = self.state.since_begin()
        self.sum_duals += sum_rise
        self.half_norm += norm_rise
        self.gap_sum = float(self.state.gaps.sum())
        if not face:
            self.full_gap, self.full_dual = self.gap_sum, self.sum_duals - self.half_norm

    def _face_is_due(self, number: int) -> bool:
        if number == 1 or self.faces_since_full >= self.face_passes:
            return False
        # Once the faces are solved well enough, only a full pass can find more.
        return self.faces_since_full == 0 or self.gap_sum > 0.3 * self.target

    def estimate(self) -> tuple[float, float]:
        dual = self.sum_duals - self.half_norm
        # After a pass over faces: what the last full pass saw, less what the dual has gained.
        return dual, max(self.gap_sum, self.full_gap - (dual - self.full_dual))

    def measure(self) -> tuple[float, float]:
        # Always the same chunks, so that the sum has the same bits for any number of threads.
        chunk = max(1024, -(-self.n // 64))
        chunks = [(b, min(b + chunk, self.n)) for b in range(0, self.n, chunk)]
        sums = np.zeros((len(chunks), 2))

        def some(thread: int) -> None:
            for at in range(thread, len(chunks), self.threads):
                sums[at] = self.state.measure(*chunks[at], thread)

        self.team.on_each(self.threads, some)
        losses, conjugates = sums.sum(axis=0).tolist()
        self.half_norm, self.sum_duals = self.state.half_norm(), -conjugates
        dual = self.sum_duals - self.half_norm
        self.gap_sum = self.full_gap = float(self.state.gaps.sum())
        self.full_dual = dual
        if np.isfinite(self.target):
            self.state.wake_above(self.quiet())
        return self.half_norm + losses, dual

    def final_weights(self) -> NDArray[np.float64]:
        return self.state.weights

    def duals(self) -> DualBlocks:
        return DualBlocks(*self.state.blocks())

    def support(self) -> dict[str, int]:
        examples, duals, at_bound = self.state.count_support()
        return {"examples": examples, "duals": duals, "at_bound": at_bound}

    def close(self) -> None:
        self.team.close()
