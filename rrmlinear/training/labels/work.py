"""What is done for a block of labels, or for one label, and threads that do it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextvars import copy_context
from threading import Event
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.selection import GAP_TOL, Selection
from rrmlinear.catalog.solvers import AUTO
from rrmlinear.core.deadline import TimeIsUpError, check_time, ends_with
from rrmlinear.core.loading import named
from rrmlinear.core.machine import thread_pool
from rrmlinear.core.records import replace
from rrmlinear.data.array_rows import shared_rows
from rrmlinear.data.label_sets import MultilabelProblem
from rrmlinear.data.problem import Problem
from rrmlinear.solvers.loop.label_ends import (
    LANES,
    SINGLE_TOLERANCE,
    Block,
    Column,
    LabelEnd,
    Labels,
)
from rrmlinear.training.single import solve_scalars
from rrmlinear.training.starts import Point
from rrmlinear.training.streaming import bytes_beside

Vector = NDArray[np.float64]

# Bytes of a block for each example beside duals: labels, order and passes to skip; and scores of
# pruned weights. Bytes of all blocks: cost and squared norm.
VISIT_BYTES, PRUNED_BYTES, EXAMPLE_BYTES = 16, 40, 16


class LabelWork:
    """The problems of the labels of a `MultilabelProblem`, by their places; ``sides`` multiply
    costs of rows with a label and of others.
    """

    def __init__(
        self,
        problem: MultilabelProblem,
        chosen: Selection,
        costs: Vector,
        sides: tuple[Vector, Vector],
        prune: float,
        keeps_duals: bool,
    ) -> None:
        self.problem, self.chosen, self.costs, self.sides = problem, chosen, costs, sides
        self.prune, self.tolerance = prune, gap_of(chosen)
        if shares_rows(chosen):
            self.ascent = named("solvers.dual.labels.label_ascent:LabelAscent")(
                shared_rows(problem.rows),
                chosen.loss,
                costs,
                Labels(problem.labels.begins, problem.labels.members, *sides),
                seed=chosen.choices.seed,
                prune=prune,
                keeps_duals=keeps_duals,
                is_free=chosen.choices.free_bias,
            )

    def block(self, asked: Block) -> list[LabelEnd]:
        """Labels that share passes."""
        return self.ascent.solve(asked, self.tolerance)

    def alone(self, label: int, end: LabelEnd) -> LabelEnd:
        """A label that has not ended in blocks, by the solver of one problem."""
        assert end.duals is not None
        found = self.one(label, None, end.duals, end.passes)
        return self.ascent.pruned(label, found, self.tolerance) if self.prune else found

    def one(
        self, label: int, weights: Vector | None, duals: Column | None, passes: int = 0
    ) -> LabelEnd:
        """A label by itself, from weights with that of the bias, and from duals, or None."""
        n = self.problem.n_examples
        y = np.full(n, -1.0)
        y[self.problem.labels.of(label)] = 1.0
        costs = self.costs * np.where(y > 0, self.sides[0][label], self.sides[1][label])
        stopping = replace(self.chosen.stopping, gap_tol=self.tolerance, delta=None)
        gaps = replace(self.chosen.choices, gap_tol=self.tolerance, threads=1)
        chosen = replace(self.chosen, choices=gaps)
        problem = Problem(self.problem.rows, y, self.problem.weights)
        point = Point(
            None if weights is None else weights[:, np.newaxis],
            None if duals is None else duals.dense(n),
        )
        result = solve_scalars(problem, chosen, y, costs, point, None, stopping)
        d, found = self.problem.n_features, result.weights
        return LabelEnd(
            Column.of(found[:d]),
            float(found[d]) if len(found) > d else 0.0,
            result.primal,
            result.dual,
            result.gap,
            passes + result.passes,
            result.solved,
            None if result.duals is None else Column.of(result.duals),
            result.status,
        )


class Crew(Protocol):
    """Who does the work."""

    def map(self, name: str, tasks: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """What this method of `LabelWork` returns for each task, in order; None for one that was
        not begun: the time is up, or `stop` was called.
        """
        ...

    def stop(self) -> None:
        """Begin no task any more."""
        ...


class Threads:
    """Threads of this process."""

    def __init__(self, work: LabelWork, threads: int) -> None:
        self.work, self.threads, self.stops = work, threads, False

    def map(self, name: str, tasks: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        act = getattr(self.work, name)

        def done(task: tuple[Any, ...]) -> Any:
            try:
                check_time()
                return None if self.stops else act(*task)
            except TimeIsUpError:
                return None

        if self.threads == 1:
            yield from map(done, tasks)
            return
        event = Event()
        with thread_pool(self.threads) as pool, ends_with(event):
            try:
                yield from pool.map(lambda own, task: own.run(done, task), _contexts(), tasks)
            except (Exception, KeyboardInterrupt):  # tasks that run end soon
                self.stop()
                event.set()
                raise

    def stop(self) -> None:
        self.stops = True


def _contexts() -> Iterator[Any]:
    while True:
        yield copy_context()


def shares_rows(chosen: Selection) -> bool:
    """Whether labels may share rows: an ascent on the duals under ½‖w‖² serves."""
    omega, choices = chosen.regularizer, chosen.choices
    is_norm = omega.quadratic_l1 == 0 and omega.modulus == 1
    serves = chosen.solver.number == AUTO or chosen.solver.is_liblinear
    return bool(is_norm and choices.budget is None and serves)


def bytes_of(problem: MultilabelProblem, chosen: Selection, prune: float) -> int:
    """Bytes that training takes in addition to the examples: each thread has a block of labels."""
    n, width, threads = problem.n_examples, problem.rows.width, chosen.choices.threads
    if not shares_rows(chosen):
        return threads * bytes_beside(problem, 1)
    numbers = 4 * LANES if gap_of(chosen) >= SINGLE_TOLERANCE else 8 * LANES
    each = numbers * (n + 3 * width) + n * (VISIT_BYTES + (PRUNED_BYTES if prune else 0))
    return threads * each + n * EXAMPLE_BYTES + problem.labels.members.nbytes


def gap_of(chosen: Selection) -> float:
    """The relative gap that each label is solved to."""
    if chosen.choices.gap_tol is not None:
        return float(chosen.choices.gap_tol)
    return min(GAP_TOL, chosen.widest_gap)
