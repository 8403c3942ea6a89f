"""The SequenceProblem: sequences of labelled positions over one matrix of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.records import record
from rrmlinear.data.array_rows import take_rows
from rrmlinear.data.labels import group_labels
from rrmlinear.data.problem import Examples, Problem
from rrmlinear.data.rows import Rows
from rrmlinear.data.sequence_lists import checked_weights, joined, numbered, stack_with_edges


@record()
class SequenceProblem(Examples):
    """m sequences of n positions in all, each position a row over d features with a label.

    Sequence s is positions ``starts[s]`` … ``starts[s + 1] − 1`` of ``rows`` and ``label``, at
    least one. ``label`` (int32) has a number in 0 … k − 1 for each position: its place in
    ``labels``. From a file, ``labels`` are whole numbers in order of first appearance. In Python
    they are any sorted values. ``weights`` c_s ≥ 0, one for each sequence, multiply costs:
    C_s = C · c_s.

    ``edges`` are features of edges, if there are some. An edge is a pair of neighbours t and t + 1
    in a sequence. ``edges`` has n − m rows, in the order of t.

    ``empty`` are the places of lists of a batch that had no position. They are none of the m
    sequences; `split` has an empty array for each.

    Examples
    --------
    >>> import numpy as np
    >>> from rrmlinear import SequenceProblem
    >>> words = [np.eye(3), np.eye(3)[:2]]
    >>> problem = SequenceProblem.from_lists(words, [["a", "b", "b"], ["b", "a"]])
    >>> problem.starts, problem.labels
    (array([0, 3, 5]), array(['a', 'b'], dtype='<U1'))
    """

    rows: Rows
    label: NDArray[np.int32]
    starts: NDArray[np.int64]
    labels: NDArray[Any]
    weights: NDArray[np.float64] | None = None
    edges: Rows | None = None
    empty: tuple[int, ...] = ()
    feature_names: Sequence[str] | None = None

    @property
    def n_sequences(self) -> int:
        return len(self.starts) - 1

    @property
    def n_positions(self) -> int:
        return self.rows.shape[0]

    @property
    def n_labels(self) -> int:
        return len(self.labels)

    @property
    def n_edge_features(self) -> int:
        """Features of edges."""
        return 0 if self.edges is None else self.edges.shape[1]

    def take(self, chosen: NDArray[np.int64]) -> Self:
        """The chosen sequences, in that order (their rows are copied); the labels stay."""
        starts, places = _places(self.starts, chosen)
        edges = self.edges
        if edges is not None:
            before = self.starts - np.arange(len(self.starts))
            edges = take_rows(edges, _places(before, chosen)[1])
        return replace(
            self,
            rows=take_rows(self.rows, places),
            label=self.label[places],
            starts=starts,
            weights=None if self.weights is None else self.weights[chosen],
            edges=edges,
            empty=(),
        )

    def split(self, of_positions: NDArray[Any]) -> list[NDArray[Any]]:
        """An array with an entry for each position as a list of arrays, one for each sequence."""
        return self.with_empty(np.split(of_positions, self.starts[1:-1]), of_positions[:0])

    def with_empty(self, of_sequences: list[Any], nothing: Any) -> list[Any]:
        """A list with an entry for each sequence, and ``nothing`` for each empty one."""
        for place in self.empty:  # in rising order
            of_sequences.insert(place, nothing)
        return of_sequences

    def to_problem(self) -> Problem:
        """The positions as examples with query ids 1 … m, to be written as SVM-hmm's text.

        Raises ValueError where labels are no numbers.
        """
        if self.labels.dtype.kind not in "iuf":
            raise ValueError(f"LIBSVM text has numbers as labels, not {self.labels[0]!r}")
        ids = np.repeat(np.arange(1, self.n_sequences + 1), np.diff(self.starts))
        return Problem(self.rows, self.labels[self.label].astype(np.float64), None, ids)

    def with_edges(self, of_positions: SequenceProblem) -> SequenceProblem:
        """The problem with features of edges. The edge of positions t and t + 1 has the row of
        position t + 1 in ``of_positions``, which has the same sequences with the same labels.

        Raises ValueError where sequences or labels differ, with the position from 1, and where the
        first position of a sequence has features.
        """
        theirs, n = of_positions, self.n_positions
        if theirs.n_positions != n:
            raise ValueError(
                f"the features of edges have {theirs.n_positions} positions, and there are {n}"
            )
        differ = self.labels[self.label] != theirs.labels[theirs.label]
        begins = np.zeros((2, n), dtype=bool)
        begins[0, self.starts[:-1]] = begins[1, theirs.starts[:-1]] = True
        first = begins[0]
        for wrong, sentence in (
            (differ, "has another label in the features of edges"),
            (begins[0] != begins[1], "is in another sequence in the features of edges"),
            (first & (theirs.rows.lengths() > 0), "is the first of a sequence and has no edge"),
        ):
            if wrong.any():
                raise ValueError(f"position {int(wrong.argmax()) + 1} {sentence}")
        return replace(self, edges=take_rows(theirs.rows, np.flatnonzero(~first)))

    def edges_to_problem(self) -> Problem:
        """The features of edges as examples, which `with_edges` takes: a row for each position,
        without features for the first ones.

        Raises ValueError where there are none, and where labels are no numbers.
        """
        if self.edges is None or self.edges.indptr is None:
            raise ValueError("there are no features of edges, or they are dense")
        numbers = np.zeros(self.n_positions, dtype=np.int64)
        numbers[np.delete(np.arange(self.n_positions), self.starts[:-1])] = self.edges.lengths()
        indptr = np.concatenate(([0], np.cumsum(numbers)))
        edges = self.edges
        rows = Rows(edges.values, edges.indices, indptr, edges.shape[1])
        return replace(self.to_problem(), rows=rows)

    @classmethod
    def from_problem(cls, problem: Problem) -> Self:
        """The sequences of a problem whose query ids tell them: equal ids in a row are one.

        Raises ValueError where there are no query ids, where an id comes back after another, for
        labels that are not whole numbers, and for weights.
        """
        ids = problem.query_ids
        if ids is None:
            raise ValueError("the examples have no query ids, which tell the sequences")
        if problem.weights is not None:
            raise ValueError("weights of examples have no meaning in sequences")
        at = returning(ids)
        if at is not None:
            raise ValueError(f"query id {ids[at]} comes back at example {at + 1} after another")
        starts = starts_of(ids)
        labels, label = group_labels(problem.labels)
        return cls(problem.rows, label, starts, labels, feature_names=problem.feature_names)

    @classmethod
    def from_lists(
        cls,
        X: Sequence[Any],
        y: Sequence[Any],
        weights: Any = None,
        *,
        labels: Any = None,
        bias: float = -1.0,
    ) -> Self:
        """The problem of m matrices, sparse or dense, of d columns and a row for each position,
        and of m lists of labels. With features of edges X has pairs of such a matrix and one with a
        row for each position but the first.

        ``labels`` are all labels, sorted, where some may be missing from y. Sequences without a
        position are ``empty``. Raises ValueError where there is no position, for lengths and widths
        that differ, NaN and infinity, unknown labels, labels that mix numbers and text, and
        negative weights; sequences count from 0.
        """
        starts, rows, edges = stack_with_edges(X)
        if y is None:
            raise ValueError("y is None; it must have a list of labels for each sequence")
        if len(y) != len(X):
            raise ValueError(f"y has {len(y)} sequences and X has {len(X)}")
        for s, (part, length) in enumerate(zip(y, np.diff(starts), strict=True)):
            if np.ndim(part) != 1 or len(part) != length:
                raise ValueError(
                    f"y[{s}] must be a list of {length} labels, one for each row of X[{s}], and "
                    f"has shape {np.shape(part)}"
                )
        names, label = numbered(joined(y), labels)
        empty = empty_places(starts)
        if weights is not None:
            weights = np.delete(checked_weights(weights, len(X)), empty)
        starts = np.delete(starts, empty)
        return cls(rows, label, starts, names, weights, edges, tuple(empty)).with_bias(bias)

    @classmethod
    def unlabelled(cls, X: Sequence[Any]) -> Self:
        """The problem of parts as in `from_lists` whose labels are not known, to predict them."""
        starts, rows, edges = stack_with_edges(X)
        unknown = np.zeros(rows.shape[0], dtype=np.int32)
        empty = empty_places(starts)
        starts = np.delete(starts, empty)
        return cls(rows, unknown, starts, np.zeros(1), edges=edges, empty=tuple(empty))


def empty_places(starts: NDArray[np.int64]) -> list[int]:
    """The sequences without a position."""
    return np.flatnonzero(np.diff(starts) == 0).tolist()


def starts_of(ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the runs of equal ids begin, and the number of ids at the end."""
    changes = np.flatnonzero(ids[1:] != ids[:-1]) + 1
    return np.concatenate(([0], changes, [len(ids)]))


def returning(ids: NDArray[np.int64]) -> int | None:
    """The first place at which an id comes back after another; None if no one does."""
    starts = starts_of(ids)[:-1]
    _, at = np.unique(ids[starts], return_index=True)
    if len(at) == len(starts):
        return None
    return int(np.delete(starts, at).min())


def _places(
    starts: NDArray[np.int64], chosen: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Starts of the chosen sequences behind each other, and the places of their rows."""
    lengths = np.diff(starts)[chosen]
    new = np.concatenate(([0], np.cumsum(lengths)))
    return new, np.arange(new[-1]) + np.repeat(starts[chosen] - new[:-1], lengths)
