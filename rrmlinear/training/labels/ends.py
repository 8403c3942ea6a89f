"""What the problems of all labels ended with, gathered label by label."""

from __future__ import annotations

from typing import Any

import numpy as np

from rrmlinear.solvers.loop.result import Status


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
        #: The labels in the order of their ends: those of a block have columns of the same arrays.
        self.order: list[int] = []
        self.notes: list[str] = []
        #: How the run ended, and how the last label that did not reach the tolerance did.
        self.status = Status.SOLVED
        self.worst: Status | None = None

    def add(self, j: int, end: Any) -> None:
        """The end of label j."""
        self.primal[j], self.dual[j], self.proven[j] = end.primal, end.dual, end.proven
        self.passes[j], self.ended[j] = end.passes, end.has_ended
        self.intercept[j] = self.bias * end.bias if self.bias > 0 else 0.0
        self.of_weights[j], self.seen[j] = end.weights, True
        self.order.append(j)
        if self.keeps_duals:
            self.of_duals[j] = end.duals
        if not end.has_ended and end.status is not None:
            self.worst = end.status

    def set_constant(self, j: int, score: float) -> None:
        """Label j has no problem and always this score."""
        self.intercept[j] = score
        self.ended[j] = self.seen[j] = True

    def set_unseen(self, j: int, primal: float, dual: float) -> None:
        """Label j was not reached: its values at weights of 0."""
        self.primal[j], self.dual[j], self.proven[j] = primal, dual, primal - dual

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
    values = np.empty(begins[-1], np.result_type(*kinds))
    places = np.empty(begins[-1], np.int32)
    for j in order:
        if columns[j] is not None:
            places[begins[j] : begins[j + 1]] = columns[j].places
            values[begins[j] : begins[j + 1]] = columns[j].values
            columns[j] = None
    small = begins.astype(np.int32) if begins[-1] < 2**31 else begins
    return csc_array((values, places, small), shape=(n_rows, len(columns)))
