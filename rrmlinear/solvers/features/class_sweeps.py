"""Sweeps over the features of a loss of several scores, all weights of a feature at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.deadline import check_time
from rrmlinear.solvers.features._class_sweeps import ClassFeatureSweeps
from rrmlinear.solvers.features._cuts import scaled_columns

Array = NDArray[np.float64]

# A feature is skipped while its step promises at most SMALL_PROMISE of the mean promise in the last
# sweep. Each skip multiplies what it promised by GROWTH.
SMALL_PROMISE, GROWTH = 0.01, 4.0
# Features between two looks at the clock.
AT_ONCE = 4096


class ClassSweeps:
    """Newton steps on the k weights of one feature after the other, the longest columns first.

    Steps do not depend on the lengths of columns. Those of the longest columns decide the scores,
    so that they come first.
    """

    def __init__(self, risk: Any, modulus: float) -> None:
        rows, self.k = risk.rows, risk.shape[1]
        columns = scaled_columns(rows, np.ones(rows.shape[0]))
        squares = columns.squared_norms()
        order = np.argsort(-squares, kind="stable")
        #: The features that any example has, the longest first.
        self.order = order[squares[order] > 0].astype(np.int64)
        labels, costs = risk.labels, risk.costs.ravel()
        self.kernel = ClassFeatureSweeps(columns, risk.loss, labels, costs, self.k, modulus)
        self.least = 0.0
        #: What the step of each feature promised last.
        self.promises = np.full(rows.width, np.inf)

    def sweep(self, w: Array, at: Any) -> tuple[Array, Array, float]:
        """(weights, scores, the decrease that steps promised) after a sweep from weights w, with
        the loss evaluated ``at`` their scores.
        """
        w, scores, derivatives = w.copy(), at.scores.copy(), at.derivatives.copy()
        total = 0.0
        promises = self.promises
        is_due = promises[self.order] >= self.least
        due = self.order[is_due]
        promises[self.order[~is_due]] *= GROWTH
        for begin in range(0, len(due), AT_ONCE):
            check_time()
            some = due[begin : begin + AT_ONCE]
            total += self.kernel.sweep(some, w, scores, derivatives, promises, self.least)
        self.least = SMALL_PROMISE * total / max(len(self.order), 1)
        return w, scores, total
