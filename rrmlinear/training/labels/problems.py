"""The problems of all labels: together where rows can be shared, else label by label."""

from __future__ import annotations

from contextvars import copy_context
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.builders.dual import labels_together
from rrmlinear.catalog.selection import GAP_TOL, Selection
from rrmlinear.catalog.solvers import AUTO
from rrmlinear.core.deadline import TimeIsUpError, check_time
from rrmlinear.core.pool import thread_pool
from rrmlinear.core.records import replace
from rrmlinear.data.array_rows import shared_rows
from rrmlinear.data.label_sets import MultilabelProblem
from rrmlinear.data.problem import Problem
from rrmlinear.solvers.loop.label_ends import Column, LabelEnd, Labels
from rrmlinear.solvers.loop.result import Status
from rrmlinear.training.classes.class_problems import values_at_zero
from rrmlinear.training.labels.ends import Ends
from rrmlinear.training.single import solve_scalars
from rrmlinear.training.starts import Point

Vector = NDArray[np.float64]


class LabelProblems:
    """A problem for each label of a `MultilabelProblem`; ``sides`` multiply costs of rows with it
    and of others.
    """

    def __init__(
        self,
        problem: MultilabelProblem,
        chosen: Selection,
        costs: Vector,
        sides: tuple[Vector, Vector],
        prune: float,
    ) -> None:
        self.problem, self.chosen, self.costs, self.sides = problem, chosen, costs, sides
        self.prune, self.tolerance = prune, _gap_of(chosen)
        self.is_joint = _shares_rows(chosen) and problem.rows.blocks is None
        if prune and not self.is_joint:
            raise ValueError(
                f"prune is {prune:g}; weights are dropped under the regularizer l2 alone, and by "
                "the automatic solver or one of LIBLINEAR's types"
            )

    def solve(self, on_label: Any, keeps_duals: bool, start: Any, journal: Any = None) -> Ends:
        """Solve each; ``on_label`` sees the ends, and ``start`` is a model to begin from. Labels in
        the ``journal`` are there already, and those that end go into it.
        """
        names, counts = self.problem.labels.names, self.problem.labels.counts
        ends = Ends(len(counts), self.problem.bias, keeps_duals)
        constant = (counts == 0) | (counts == self.problem.n_examples)
        for j in np.flatnonzero(constant).tolist():
            ends.set_constant(j, 1.0 if counts[j] else -1.0)
        if constant.any():
            ends.notes.append(
                f"{np.count_nonzero(constant)} labels are of no row or of all rows: their score is "
                "-1 or 1"
            )
        stops = False
        for j, end in ({} if journal is None else journal.found).items():
            ends.add(j, end)

        def see(j: int, end: Any) -> bool:
            nonlocal stops
            ends.add(j, end)
            if journal is not None and end.has_ended:
                journal.add(j, end)
            stops |= on_label is not None and on_label(names[j], end) is True
            return stops

        open_labels = np.flatnonzero(~constant & ~ends.seen)
        how = self._together if self.is_joint else self._in_turn
        try:
            if len(open_labels):
                how(open_labels, ends, see, start)
        except TimeIsUpError:
            pass
        left = np.flatnonzero(~constant & ~ends.seen)
        for j, (primal, dual) in zip(left.tolist(), self._at_zero(left), strict=True):
            ends.set_unseen(j, primal, dual)
        if len(left):
            ends.notes.append(f"{len(left)} labels were not reached: their weights are 0")
        ends.status = self._status(ends, stops, bool(len(left)))
        return ends

    def _status(self, ends: Ends, stops: bool, is_late: bool) -> Status:
        if ends.ended.all():
            return Status.SOLVED
        if stops:
            return Status.STOPPED_BY_CALLER
        try:
            check_time()
        except TimeIsUpError:
            is_late = True
        if is_late:
            return Status.TIME_LIMIT
        return ends.worst or Status.PASS_LIMIT

    def _together(self, labels: NDArray[np.int64], ends: Ends, see: Any, start: Any) -> None:
        sets, choices = self.problem.labels, self.chosen.choices
        every = Labels(sets.begins, sets.members, *self.sides)
        ascent = labels_together(
            shared_rows(self.problem.rows),
            self.chosen.loss,
            self.costs,
            every if len(labels) == sets.n_labels else every.taken(labels),
            seed=choices.seed,
            threads=choices.threads,
            prune=self.prune,
            keeps_duals=ends.keeps_duals,
            is_free=choices.free_bias,
        )
        begun = {} if start is None else start.duals_of(sets.names[labels], self.problem)
        limit, left = self.chosen.stopping.max_passes, []

        def ended(place: int, end: Any) -> Any:
            j = int(labels[place])
            if not end.has_ended and end.passes < limit and end.duals is not None:
                left.append((place, end))
                return False
            return see(j, end)

        is_whole = ascent.run(self.tolerance, limit, ended, begun)
        for place, end in left:
            j, found = int(labels[place]), end
            if is_whole:  # slow ones: by the solver of one problem
                found = self._alone(j, end)
                found = ascent.pruned(place, found) if self.prune else found
            see(j, found)

    def _alone(self, j: int, end: Any) -> Any:
        duals = np.zeros(self.problem.n_examples)
        duals[end.duals.places] = end.duals.values
        return self._solved(j, Point(None, duals), end.passes)

    def _solved(self, j: int, point: Point, passes: int = 0) -> Any:
        y = np.full(self.problem.n_examples, -1.0)
        y[self.problem.labels.of(j)] = 1.0
        costs = self.costs * np.where(y > 0, self.sides[0][j], self.sides[1][j])
        stopping = replace(self.chosen.stopping, gap_tol=self.tolerance, delta=None)
        gaps = replace(self.chosen.choices, gap_tol=self.tolerance, threads=1)
        chosen = replace(self.chosen, choices=gaps)
        problem = Problem(self.problem.rows, y, self.problem.weights)
        result = solve_scalars(problem, chosen, y, costs, point, None, stopping)
        d, weights = self.problem.n_features, result.weights
        return LabelEnd(
            Column.of(weights[:d]),
            float(weights[d]) if len(weights) > d else 0.0,
            result.primal,
            result.dual,
            result.gap,
            passes + result.passes,
            result.solved,
            None if result.duals is None else Column.of(result.duals),
            result.status,
        )

    def _in_turn(self, labels: NDArray[np.int64], ends: Ends, see: Any, start: Any) -> None:
        threads = min(self.chosen.choices.threads, max(1, len(labels)))
        stops = False

        def solve(j: int) -> Any:
            if stops:
                return None
            check_time()
            return self._solved(j, Point())

        if threads == 1:
            for j in labels.tolist():
                if see(j, solve(j)):
                    return
            return
        contexts = [copy_context() for _ in labels]
        with thread_pool(threads) as pool:
            found = pool.map(lambda c, j: c.run(solve, j), contexts, labels.tolist())
            for j, end in zip(labels.tolist(), found, strict=True):
                if end is not None and see(j, end):
                    stops = True

    def _at_zero(self, labels: NDArray[np.int64]) -> list[tuple[float, float]]:
        total = float(self.costs.sum())
        own = np.array([self.costs[self.problem.labels.of(j)].sum() for j in labels])
        sums = [self.sides[0][labels] * own, self.sides[1][labels] * (total - own)]
        return values_at_zero(self.chosen.loss, np.column_stack(sums)) if len(labels) else []


def _shares_rows(chosen: Selection) -> bool:
    """Whether labels may share rows: an ascent on the duals under ½‖w‖² serves."""
    omega, choices = chosen.regularizer, chosen.choices
    is_norm = omega.quadratic_l1 == 0 and omega.modulus == 1
    serves = chosen.solver.number == AUTO or chosen.solver.is_liblinear
    return bool(is_norm and choices.budget is None and serves)


def _gap_of(chosen: Selection) -> float:
    """The relative gap that each label is solved to."""
    if chosen.choices.gap_tol is not None:
        return float(chosen.choices.gap_tol)
    return min(GAP_TOL, chosen.widest_gap)
