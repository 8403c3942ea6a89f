"""Boosting of each class against the rest, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rrmlinear.solvers.boosting.generation import ColumnGeneration
from rrmlinear.solvers.loop.result import OnPass, Result, Stopping, TraceRow
from rrmlinear.training.classes.together import OneVsRestResult, Sums, together


def solve_in_turn(
    solvers: Sequence[ColumnGeneration], stopping: Stopping, on_pass: OnPass | None = None
) -> OneVsRestResult:
    """Solve each; the certificate is that of all, its weights a row of w for each.

    ``on_pass`` sees rows that sum over all; where it returns True, each solver still to come makes
    one pass.
    """
    # before its first pass a problem has edges between −1 and 1
    sums, results, trace = Sums([(1.0, -1.0)] * len(solvers)), list[Result](), list[TraceRow]()
    stopped = False

    def see(row: TraceRow) -> bool:
        nonlocal stopped
        stopped = stopped or (on_pass is not None and on_pass(sums.row(row)) is True)
        return stopped

    for solver in solvers:
        result = solver.solve(stopping, see)
        trace += [sums.row(row) for row in result.trace]
        sums.end(result)
        results.append(result)
    return together(results, np.array([each.weights for each in results]), trace)
