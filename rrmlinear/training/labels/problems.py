"""The problems of all labels: together where rows can be shared, else label by label."""

from __future__ import annotations

from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.selection import Selection
from rrmlinear.core.deadline import TimeIsUpError, check_time
from rrmlinear.data.label_sets import MultilabelProblem
from rrmlinear.solvers.loop.label_ends import Column, blocks_of
from rrmlinear.solvers.loop.result import Status
from rrmlinear.training.classes.class_problems import values_at_zero
from rrmlinear.training.labels.work import Crew, shares_rows

# Bytes of a chunk. A process may map some 65 000 pieces of memory: one for each label is too many.
CHUNK = 1 << 22
Vector = NDArray[np.float64]
#: A score whose probability is 1, and 0 with the other sign.
CERTAIN = 1000.0


class Chunks:
    """Copies of columns, one after another in chunks of memory.

    A chunk goes back to the system with its last column. The heap would keep what lies below other
    arrays, and columns that are joined one by one would take their memory twice.
    """

    def __init__(self) -> None:
        self.free = memoryview(b"")

    def kept(self, column: Column) -> Column:
        """A copy of it."""
        return Column(self._copy(column.places), self._copy(column.values))

    def _copy(self, array: NDArray[Any]) -> NDArray[Any]:
        size = -(-array.nbytes // 8) * 8  # places of 8 bytes, as float64 needs them
        if not size:
            return array
        if size > len(self.free):
            self.free = _mapped(max(size, CHUNK))
        own = np.frombuffer(self.free, array.dtype, array.size)
        own[:], self.free = array, self.free[size:]
        return own


class Ends:
    """Arrays of numbers for K labels, and their weights and duals as columns of nonzeros."""

    def __init__(self, k: int, bias: float, keeps_duals: bool) -> None:
        self.bias = bias
        self.primal, self.dual, self.proven, self.intercept = (np.zeros(k) for _ in range(4))
        self.passes, self.ended, self.seen = (
            np.zeros(k, np.int64),
            np.zeros(k, bool),
            np.zeros(k, bool),
        )
        self.keeps_duals = keeps_duals
        self.of_weights: list[Any] = [None] * k
        self.of_duals: list[Any] = [None] * k
        #: The labels in the order of their ends, in which chunks hold their columns.
        self.order: list[int] = []
        self.weight_chunks, self.dual_chunks = Chunks(), Chunks()
        self.notes: list[str] = []
        #: How the run ended, and how the last label that did not reach the tolerance did.
        self.status = Status.SOLVED
        self.worst: Status | None = None

    def add(self, j: int, end: Any) -> None:
        """The end of label j."""
        self.primal[j], self.dual[j], self.proven[j] = end.primal, end.dual, end.proven
        self.passes[j], self.ended[j] = end.passes, end.has_ended
        self.intercept[j] = self.bias * end.bias if self.bias > 0 else 0.0
        self.of_weights[j], self.seen[j] = self.weight_chunks.kept(end.weights), True
        self.order.append(j)
        if self.keeps_duals and end.duals is not None:
            self.of_duals[j] = self.dual_chunks.kept(end.duals)
        if not end.has_ended and end.status is not None:
            self.worst = end.status

    def weights(self, n_features: int) -> Any:
        """The d × K weights, a csc_array."""
        return joined(self.of_weights, n_features, self.order)

    def duals(self, n: int) -> Any:
        """The n × K duals, a csc_array."""
        return joined(self.of_duals, n, self.order)


def joined(columns: list[Any], n_rows: int, order: list[int]) -> Any:
    """Columns of nonzeros as a csc_array; each is forgotten once it is copied, in this order."""
    from scipy.sparse import csc_array

    counts = [0 if each is None else len(each.places) for each in columns]
    begins = np.zeros(len(columns) + 1, np.int64)
    np.cumsum(counts, out=begins[1:])
    kinds = {each.values.dtype for each in columns if each is not None} or {np.dtype(np.float32)}
    size, kind = int(begins[-1]), np.result_type(*kinds)
    values = np.frombuffer(_mapped(size * kind.itemsize), kind, size)
    places = np.frombuffer(_mapped(size * 4), np.int32, size)
    for j in order:
        if columns[j] is not None:
            places[begins[j] : begins[j + 1]] = columns[j].places
            values[begins[j] : begins[j + 1]] = columns[j].values
            columns[j] = None
    small = begins.astype(np.int32) if begins[-1] < 2**31 else begins
    return csc_array((values, places, small), shape=(n_rows, len(columns)))


def _mapped(size: int) -> memoryview:
    """Memory whose pages are taken as they are written; large arrays of NumPy take 2 MiB at once,
    and columns are written all over it.
    """
    return memoryview(mmap(-1, max(size, 1), flags=MAP_PRIVATE | MAP_ANONYMOUS))


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
        labels, some = self.problem.labels, np.flatnonzero(self.costs)
        # rows of weight 0 do not count
        counts = (labels if len(some) == len(self.costs) else labels.take(some)).counts
        ends = Ends(len(counts), self.problem.bias, keeps_duals)
        score = 1.0 if self.chosen.loss_row.link is None else CERTAIN
        constant = (counts == 0) | (counts == len(some))
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
            if on_label is not None and on_label(labels.names[j], end) is True:
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
