"""Boosting of each class against the rest, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rrmlinear.catalog.boosting_builders import ColumnGeneration
from rrmlinear.solvers.loop.result import OnPass, Result, TraceRow
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.training.in_turn import STATUSES, OneVsRestResult, Sums


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
    return OneVsRestResult(
        max((each.status for each in results), key=STATUSES.index),
        np.array([each.weights for each in results]),
        trace,
        sum(each.target for each in results),
        sum(each.cpu_seconds for each in results),
        sum(each.measuring_seconds for each in results),
        None,
        {},
        tuple(note for each in results for note in each.notes),
        tuple(results),
    )
