"""One class against the rest: a problem for each class, solved in turn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.selection import Selection
from rrmlinear.core.blas import one_blas_thread
from rrmlinear.core.records import replace
from rrmlinear.data.array_rows import shared_rows
from rrmlinear.data.problem import Problem
from rrmlinear.solvers.loop.result import OnPass
from rrmlinear.training.classes.class_problems import ClassProblems
from rrmlinear.training.classes.in_turn import solve_at_once, solve_each
from rrmlinear.training.classes.together import OneVsRestResult, Sums, of_columns
from rrmlinear.training.starts import Point

Vector = NDArray[np.float64]

#: Smallest pass, in multiplications, at which each thread solves a problem of its own. What happens
#: between passes takes one thread at a time.
MIN_WORK_AT_ONCE = 100_000


def solve_one_vs_rest(
    problem: Problem,
    chosen: Selection,
    label: NDArray[np.int32],
    costs: Vector,
    factors: Vector,
    start: Point,
    on_pass: OnPass | None = None,
) -> OneVsRestResult:
    """A problem for each class j: +1 its examples, with costs times factors[j], −1 the others.

    Each is solved to its own gap by the same rule, from its column of ``start``. The limit on
    passes holds for each problem, the limit on time for all together. Near its end a problem waits
    until each remaining one has had a first pass. After ``on_pass`` has returned True (it is not
    called again), each problem left gets one pass. Problems for which no time is left at all
    have weights and duals of 0, and a note gives their number. Several threads solve a problem each
    where passes are long enough; then ``on_pass`` sees the rows of a problem when it has ended.
    """
    problem = replace(problem, rows=shared_rows(problem.rows))
    threads = min(chosen.choices.threads, len(factors))
    work = problem.rows.n_stored + problem.n_examples
    at_once = threads > 1 and work >= MIN_WORK_AT_ONCE
    if at_once:
        chosen = replace(chosen, choices=replace(chosen.choices, threads=1))
    classes = ClassProblems(problem, chosen, label, costs, factors, start)
    stopping, steps, zeros = chosen.stopping, classes.steps, classes.at_zero()
    if at_once and steps is None:
        return solve_at_once(classes.solve, zeros, stopping, on_pass, threads)
    if steps is not None and on_pass is None and stopping.time_limit is None:
        with one_blas_thread():
            results, *columns = steps.solved
        sums, ended = Sums(zeros), [each for each in results if each is not None]
        if len(ended) == len(results):
            trace = [row for each in ended for row in sums.ended_rows(each)]
            return of_columns(ended, trace, *columns)
    return solve_each(classes.solve, zeros, stopping, on_pass)
