"""Duals and weights to start from, checked against the problem."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.dual_builders import joint
from rrmlinear.catalog.selection import Selection
from rrmlinear.core.deadline import TimeIsUpError, ends_within
from rrmlinear.core.records import record
from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.solvers.loop.result import DualBlocks, OnPass, Result, TraceRow
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.solvers.loop.tolerances import MIN_CURVATURE
from rrmlinear.training.model import Model

# Passes for several classes at once, before each class goes on alone: most duals of losses with a
# box rest then, and examples without duals skip passes. Those of other losses move in each pass.
# With kinks most classes of text have a gap of 3e-3 after 12 passes, and end by it.
KINK_JOINT_PASSES, JOINT_PASSES, BOXLESS_JOINT_PASSES = 12, 8, 5
# Classes that share a pass: their weights of a feature fill a line of the cache.
JOINT_CLASSES = 8
# Fewer classes gain little. So do classes whose weights, one class at a time, stay in the first
# cache.
MIN_JOINT_CLASSES, MIN_JOINT_WIDTH = 4, 4096
# Duals of the classes that share a pass take at most this number of bytes for each stored value: a
# quarter of the rows where these are not packed. Packed ones are solved in the same way.
JOINT_BYTES = 3.0


@record()
class Point:
    """Weights and duals of another run, to begin from.

    ``weights`` are None or those of `Model.weights`, d × k with a line for the bias where there is
    one, and k = 1 of two classes and of regression. ``duals`` are None, DualBlocks, or α_i: n, or
    n × k of one-vs-rest problems. Classes stand in the order of `group_labels`. ``climbed`` are
    those of a `Task`, never of a caller's.
    """

    weights: NDArray[np.float64] | None = None
    duals: Any = None
    climbed: tuple[NDArray[np.float64], ...] = ()

    def column(self, j: int) -> Point:
        """The start of the problem of class j against the rest."""
        weights = None if self.weights is None else self.weights[:, j : j + 1]
        duals = None if self.duals is None else np.ascontiguousarray(self.duals[:, j])
        return Point(weights, duals)


#: A model, weights and duals, or duals alone: blocks, or α_i: n, or n × k of one-vs-rest problems.
Start = Model | Point | DualBlocks | NDArray[np.float64] | None


def point_of(start: Start, width: int, labels: NDArray[np.int64]) -> Point:
    """The start of a problem with rows of this width.

    Weights are left out where their width or a number that is not finite shows that they are of
    another problem. ValueError for a model without duals or with other labels.
    """
    weights = start.weights if isinstance(start, Model | Point) else None
    if weights is not None:
        weights = np.asarray(weights, dtype=np.float64)
        if len(weights) != width or weights.ndim != 2 or not np.isfinite(weights).all():
            weights = None
    return Point(weights, _duals_of(start, labels))


def _duals_of(start: Any, labels: NDArray[np.int64]) -> Any:
    if isinstance(start, Point):
        return start.duals
    if not isinstance(start, Model):
        return start
    if start.result is None:
        raise ValueError("a loaded model has no duals to start from")
    if not np.array_equal(start.labels, labels):
        raise ValueError(
            f"the model to start from has labels {start.labels.tolist()}; "
            f"the problem has {labels.tolist()}"
        )
    return start.result.duals


def scalar_duals(duals: Any, shape: tuple[int, ...]) -> NDArray[np.float64] | None:
    """Duals of losses of one score as an array of this shape, or a ValueError."""
    if duals is None:
        return None
    if isinstance(duals, DualBlocks):
        raise ValueError("the duals to start from are those of a multiclass loss")
    array = np.ascontiguousarray(duals, dtype=np.float64)
    if array.shape != shape:
        raise ValueError(f"the duals to start from have shape {array.shape}, not {shape}")
    if not np.isfinite(array).all():
        at = tuple(np.argwhere(~np.isfinite(array))[0].tolist())
        place = ", ".join(map(str, at))
        raise ValueError(f"duals[{place}] is {array[at]}; the duals to start from must be finite")
    return array


def block_duals(duals: Any, label: NDArray[np.int32], n_classes: int) -> DualBlocks | None:
    """Duals of a loss of all classes, or a ValueError."""
    if duals is None:
        return None
    if not isinstance(duals, DualBlocks):
        raise ValueError("the duals to start from are not those of a multiclass loss")
    duals.check(label, n_classes)
    return duals


def _passes_of(loss: ScalarLoss) -> int:
    if not loss.has_box:
        return BOXLESS_JOINT_PASSES
    return KINK_JOINT_PASSES if loss.smoothing == 0 else JOINT_PASSES


class JointStarts:
    """Duals to start from, of one class against the rest: up to JOINT_CLASSES ascend together.

    Rows are read once for all classes of a group. ``factors`` multiply the costs of each class in
    its own problem. A group's duals are made when the first of them is asked for, and do not depend
    on the threads that ask.
    """

    def __init__(
        self,
        rows: Rows,
        loss: ScalarLoss,
        label: NDArray[np.int32],
        costs: NDArray[np.float64],
        factors: NDArray[np.float64],
        seed: int,
    ) -> None:
        self.rows, self.loss, self.seed = rows, loss, seed
        self.label, self.costs, self.factors = label, costs, factors
        self.passes = _passes_of(loss)
        self.squares = np.maximum(rows.squared_norms(), MIN_CURVATURE)
        # whole lines of the cache first, not groups of one size
        whole = np.arange(JOINT_CLASSES, len(factors), JOINT_CLASSES)
        self.groups = np.split(np.arange(len(factors)), whole)
        self.group = np.arange(len(factors)) // JOINT_CLASSES
        self.locks = [threading.Lock() for _ in self.groups]
        #: The (duals, vectors, scores) of a group, classes as rows.
        self.found: dict[int, tuple[NDArray[np.float64], ...]] = {}
        #: Classes of each group whose duals were not asked for yet.
        self.left = [len(each) for each in self.groups]

    @classmethod
    def of(
        cls,
        rows: Rows,
        chosen: Selection,
        label: NDArray[np.int32],
        costs: NDArray[np.float64],
        factors: NDArray[np.float64],
    ) -> JointStarts | None:
        """The starts of ascents on enough classes and features, if their duals take little memory
        beside the rows; else None.
        """
        k, y = len(factors), np.where(label == 0, 1.0, -1.0)
        duals = 2 * 8 * rows.shape[0] * min(k, JOINT_CLASSES)  # and as many scores
        if k < MIN_JOINT_CLASSES or rows.width < MIN_JOINT_WIDTH:
            return None
        if duals > JOINT_BYTES * rows.n_stored:
            return None
        if not chosen.ascends_first(rows, y, costs):
            return None
        if not np.isfinite(rows.squared_norms()).all():
            return None  # the solver says which example is at fault
        return cls(rows, chosen.loss, label, costs, factors, chosen.choices.seed)

    def solved(
        self,
        j: int,
        solve: Callable[[Point, Stopping, OnPass | None], Result],
        stopping: Stopping,
        see: OnPass | None,
    ) -> Result:
        """The problem of class j solved from its start, whose passes and seconds count."""
        if stopping.max_passes <= self.passes:
            return solve(Point(), stopping, see)
        begun = time.perf_counter(), time.process_time()
        with ends_within(stopping.time_limit):
            point = self._column(j)
        wall, cpu = time.perf_counter() - begun[0], time.process_time() - begun[1]

        def later(row: TraceRow) -> TraceRow:
            return replace(row, number=row.number + self.passes, seconds=row.seconds + wall)

        result = solve(
            point,
            replace(stopping, max_passes=stopping.max_passes - self.passes),
            None if see is None else lambda row: see(later(row)),
        )
        note = f"{self.passes} passes for up to {JOINT_CLASSES} classes at a time come first"
        return replace(
            result,
            trace=[later(row) for row in result.trace],
            cpu_seconds=result.cpu_seconds + cpu,
            notes=(note, *result.notes),
        )

    def _column(self, j: int) -> Point:
        # the start of the problem of class j, asked for once
        group = int(self.group[j])
        first = int(self.groups[group][0])
        with self.locks[group]:
            if group not in self.found:
                self.found[group] = self._made(first, len(self.groups[group]))
            duals, *climbed = (each[j - first] for each in self.found[group])
            self.left[group] -= 1
            if not self.left[group]:
                del self.found[group]
        if not all(np.isfinite(each).all() for each in (duals, *climbed)):
            return Point()
        return Point(None, duals, tuple(climbed))

    def _made(self, first: int, count: int) -> tuple[NDArray[np.float64], ...]:
        factors = self.factors[first : first + count]
        ascent = joint(self.rows, self.loss, self.label, first, self.costs, factors, self.squares)
        with suppress(TimeIsUpError):
            for number in range(1, self.passes + 1):
                ascent.run_pass(number, self.seed)
        duals, scores = (np.ascontiguousarray(each.T) for each in (ascent.duals, ascent.scores()))
        return duals, ascent.vectors, scores
