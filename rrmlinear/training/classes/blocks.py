"""Losses of all classes at once: passes over blocks of duals in a compiled loop."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.selection import Selection
from rrmlinear.core.deadline import ends_within
from rrmlinear.core.loading import named
from rrmlinear.data.problem import Problem
from rrmlinear.data.rows import Rows
from rrmlinear.solvers.dual.dual_descent import CLASS_COST, NONZERO_COST
from rrmlinear.solvers.loop.result import DualBlocks, OnPass, Result, Stopping, TraceRow
from rrmlinear.training.classes.joint import (
    ALONE_COST,
    FIRST_PASSES,
    SCORE_COST,
    VISIT_COST,
    CompiledPasses,
    Left,
    are_few,
    clocks,
    row_of,
)
from rrmlinear.training.costs import checked_costs
from rrmlinear.training.single import solver_of
from rrmlinear.training.starts import Point, block_duals

Vector = NDArray[np.float64]
_NOTE = "one thread is used, not {}: the passes take less time than threads to meet"


def solve_blocks(
    problem: Problem,
    chosen: Selection,
    label: NDArray[np.int32],
    n_classes: int,
    costs: Vector,
    start: Point,
    on_pass: OnPass | None,
) -> Result:
    """minimize Ω(W) + Σ_i c_i φ(W'x_i, y_i) for classes y_i = 0 … k − 1, from ``start``.

    Raises ValueError for costs that overflow or are all 0, and for duals of another problem.
    """
    duals = block_duals(start.duals, label, n_classes)
    task = problem, chosen, label, n_classes, checked_costs(costs)
    left = Left(Point(start.weights, duals))
    if duals is None and start.weights is None:
        passes = BlockPasses.of(problem.rows, chosen, label, costs, n_classes)
        if passes is not None:
            found = passes.solved(chosen.stopping, on_pass)
            if isinstance(found, Result):
                return found
            left = found

    def see(row: TraceRow) -> bool | None:
        assert on_pass is not None
        return on_pass(left.later(row))

    solver = solver_of(*task, left.point)
    return left.whole(solver.solve(left.rest(chosen.stopping), on_pass and see))


class BlockPasses(CompiledPasses):
    """Passes of the plain block ascent under the squared norm; see `BlockAscent`."""

    @classmethod
    def of(
        cls, rows: Rows, chosen: Selection, label: NDArray[np.int32], costs: Vector, k: int
    ) -> BlockPasses | None:
        """The passes, or None where the problem takes another solver, or Python costs less."""
        lanes = (k + 7) // 8 * 8
        stored = rows.n_stored / max(1, rows.shape[0])
        visit = VISIT_COST + stored * (NONZERO_COST + CLASS_COST * lanes) + SCORE_COST * lanes
        cost = rows.shape[0] * visit
        if FIRST_PASSES * cost > ALONE_COST or not chosen.takes_blocks(rows):
            return None
        squares, modulus = rows.squared_norms(), chosen.regularizer.modulus
        if not are_few(chosen.loss, costs, squares, modulus, cost):
            return None
        made = cls(rows, chosen, label, costs, squares)
        made.n_classes, made.visit = k, visit
        return made

    n_classes, visit = 0, 0.0

    def solved(self, stopping: Stopping, see: OnPass | None) -> Result | Left:
        """The problem, or where it goes on alone."""
        begun, loss, omega = clocks(), self.loss, self.chosen.regularizer
        sizes = self.n_classes, self.costs, self.squares / omega.modulus, 1
        ascent = named("solvers.dual.blocks._block_descent:BlockDescent")(
            self.rows, loss, omega, self.label, *sizes
        )
        lipschitz = 0.0 if loss.differentiable else loss.lipschitz(self.n_classes)
        with ends_within(stopping.time_limit):
            stopped = self.run(ascent, (lipschitz, self.visit), stopping, see)
        if not ascent.passes:
            return Left()
        wall, cpu = (now - then for now, then in zip(clocks(), begun, strict=True))
        duals, trace = DualBlocks(*ascent.duals.arrays()), _trace(ascent, wall)
        status = self.status(ascent.has_ended, stopped, ascent.passes, stopping)
        if status is None:
            is_finite = np.isfinite(ascent.primal) and np.isfinite(duals.values).all()
            return Left(Point(None, duals), tuple(trace), wall, cpu) if is_finite else Left()
        tolerance = self.chosen.widest_gap if self.is_ruled else stopping.gap_tol
        notes = (_NOTE.format(threads),) if (threads := self.chosen.choices.threads) > 1 else ()
        support = dict(zip(("examples", "duals", "at_bound"), ascent.duals.count(), strict=True))
        end: Any = trace, tolerance * abs(ascent.primal), cpu, 0.0, duals, support, notes
        return Result(status, ascent.weights, *end, by_rule=self.is_ruled)


def _trace(ascent: Any, seconds: float) -> list[TraceRow]:
    """A row for each pass; one that the clock ends has none."""
    part, rows = seconds / ascent.passes, ascent.rows_of_passes
    return [row_of(number, part * number, *row) for number, row in enumerate(rows, 1)]
