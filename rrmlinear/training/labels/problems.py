"""The problems of all labels: together where rows can be shared, else label by label."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.selection import Selection
from rrmlinear.core.deadline import TimeIsUpError, check_time
from rrmlinear.data.label_sets import MultilabelProblem
from rrmlinear.solvers.loop.label_ends import blocks_of
from rrmlinear.solvers.loop.result import Status
from rrmlinear.training.classes.class_problems import values_at_zero
from rrmlinear.training.labels.ends import Ends
from rrmlinear.training.labels.work import Crew, shares_rows

Vector = NDArray[np.float64]
#: A score whose probability is 1, and 0 with the other sign.
CERTAIN = 1000.0


class LabelProblems:
    """A problem for each label of a `MultilabelProblem`, which a crew solves; ``sides`` multiply
    costs of rows with it and of others.
    """

    def __init__(
        self,
        problem: MultilabelProblem,
        chosen: Selection,
        costs: Vector,
        sides: tuple[Vector, Vector],
        crew: Crew,
    ) -> None:
        self.problem, self.chosen, self.costs, self.sides = problem, chosen, costs, sides
        self.crew = crew

    def solve(self, on_label: Any, keeps_duals: bool, start: Any, journal: Any = None) -> Ends:
        """Solve each; ``on_label`` sees the ends, and ``start`` is a model to begin from. Labels in
        the ``journal`` are there already, and those that end go into it.
        """
        names, counts = self.problem.labels.names, self.problem.labels.counts
        ends = Ends(len(counts), self.problem.bias, keeps_duals)
        score = 1.0 if self.chosen.loss_row.link is None else CERTAIN
        constant = (counts == 0) | (counts == self.problem.n_examples)
        for j in np.flatnonzero(constant).tolist():
            ends.intercept[j] = score if counts[j] else -score
            ends.ended[j] = ends.seen[j] = True
        if constant.any():
            ends.notes.append(
                f"{np.count_nonzero(constant)} labels are of no row or of all rows: their score is "
                f"{-score:g} or {score:g}"
            )
        stops = False
        for j, end in ({} if journal is None else journal.found).items():
            ends.add(j, end)

        def see(j: int, end: Any) -> None:
            nonlocal stops
            ends.add(j, end)
            if journal is not None and end.has_ended:
                journal.add(j, end)
            if on_label is not None and on_label(names[j], end) is True:
                stops = True
                self.crew.stop()

        open_labels = np.flatnonzero(~constant & ~ends.seen)
        how = self._together if shares_rows(self.chosen) else self._in_turn
        try:
            if len(open_labels):
                how(open_labels, see, start)
        except TimeIsUpError:
            pass
        left = np.flatnonzero(~constant & ~ends.seen)
        for j, (primal, dual) in zip(left.tolist(), self._at_zero(left), strict=True):
            ends.primal[j], ends.dual[j], ends.proven[j] = primal, dual, primal - dual
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

    def _together(self, labels: NDArray[np.int64], see: Any, start: Any) -> None:
        sets, limit = self.problem.labels, self.chosen.stopping.max_passes
        begun: dict[int, Any] = {}
        if start is not None:
            found = start.duals_of(sets.names[labels], self.problem)
            begun = {int(labels[place]): duals for place, duals in found.items()}
        left: list[tuple[int, Any]] = []
        blocks = blocks_of(labels, sets.counts[labels], limit, begun)
        found_ends = self.crew.map("block", ((block,) for block in blocks))
        for block, found in zip(blocks, found_ends, strict=True):
            for j, end in zip(block.labels.tolist(), found or (), strict=False):
                if not end.has_ended and end.passes < limit and end.duals is not None:
                    left.append((j, end))
                else:
                    see(j, end)
        # slow ones: by the solver of one problem
        for (j, end), alone in zip(left, self.crew.map("alone", left), strict=True):
            see(j, end if alone is None else alone)

    def _in_turn(self, labels: NDArray[np.int64], see: Any, start: Any) -> None:
        begun = _Start(start, self.problem)
        tasks = ((j, *begun.of(j)) for j in labels.tolist())
        for j, end in zip(labels.tolist(), self.crew.map("one", tasks), strict=True):
            if end is not None:
                see(j, end)

    def _at_zero(self, labels: NDArray[np.int64]) -> list[tuple[float, float]]:
        total = float(self.costs.sum())
        own = np.array([self.costs[self.problem.labels.of(j)].sum() for j in labels])
        sums = [self.sides[0][labels] * own, self.sides[1][labels] * (total - own)]
        return values_at_zero(self.chosen.loss, np.column_stack(sums)) if len(labels) else []


class _Start:
    """Weights and duals of a model for the labels of a problem, one at a time."""

    def __init__(self, model: Any, problem: MultilabelProblem) -> None:
        self.model, self.problem, self.names = model, problem, problem.labels.names.tolist()
        self.places: dict[Any, int] = {}
        self.duals: dict[int, Any] = {}
        if model is None:
            return
        self.places = {name: j for j, name in enumerate(model.names.tolist())}
        if model.n_features != problem.n_features:
            raise ValueError(
                f"the model to start from has {model.n_features} features, and the problem "
                f"{problem.n_features}"
            )
        if model.result is not None and model.result.duals is not None:
            self.duals = model.duals_of(problem.labels.names, problem)

    def of(self, label: int) -> tuple[Vector | None, Any]:
        """Weights with that of the bias, and duals, of a label; None where there are none."""
        place = self.places.get(self.names[label])
        if place is None:
            return None, None
        weights = np.zeros(self.problem.rows.width)
        weights[: self.problem.n_features] = self.model.weights[:, [place]].toarray()[:, 0]
        if self.problem.bias > 0:
            weights[-1] = self.model.intercepts[place] / self.problem.bias
        return weights, self.duals.get(label)
