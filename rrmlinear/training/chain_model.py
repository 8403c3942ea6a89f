"""The ChainModel: weights, transitions and labels that label sequences."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from numbers import Integral
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.records import record
from rrmlinear.data.products import product
from rrmlinear.data.rows import Rows
from rrmlinear.data.sequences import SequenceProblem
from rrmlinear.risks.layouts.chains._chain_sums import ChainSums, best_labellings
from rrmlinear.risks.layouts.chains._transitions import Transitions
from rrmlinear.training.labelling_model import LabellingModel, in_parts
from rrmlinear.training.model_files.header import ModelFileError
from rrmlinear.training.model_files.reading import load_model

#: Scores of positions that are held at a time.
SCORES_AT_ONCE = 1 << 22


class Sequences(NamedTuple):
    """Sequences to label: where they begin, their rows, and those of their edges or None."""

    starts: NDArray[np.int64]
    rows: Rows
    edges: Rows | None


class Part(NamedTuple):
    """Some of the sequences: sums, scores of nodes, transitions, their number and positions."""

    sums: ChainSums
    nodes: NDArray[np.float64]
    ready: Transitions
    m: int
    positions: slice


@record()
class ChainModel(LabellingModel):
    """A `StoredModel` with transitions, which labels sequences; else as `Model`.

    A labelling y of a sequence has the score Σ_t w_{y_t}'x_t + Σ_t T_t[y_{t−1}, y_t], T_t the
    ``transitions``, plus Σ_f z_tf ``edge_weights``[f] where edges have features z_t. Sequences are
    given as a `SequenceProblem`, whose labels do not count, or as a list of matrices, sparse or
    dense, with a row for each position; with features of edges, of pairs of such a matrix and one
    with a row for each position but the first. Columns beyond the model's features are ignored,
    missing ones are zero. Results stand position after position, as in the problem's ``rows``;
    `SequenceProblem.split` cuts them.

    Examples
    --------
    >>> import numpy as np
    >>> from rrmlinear import Parameter, SequenceProblem, fit_sequences
    >>> words = [np.eye(3), np.eye(3)[:2]]
    >>> problem = SequenceProblem.from_lists(words, [["a", "b", "b"], ["a", "b"]])
    >>> model = fit_sequences(problem, Parameter(solver="auto", loss="crf", C=10.0))
    >>> model.predict(problem).tolist()
    ['a', 'b', 'b', 'a', 'b']
    >>> model.transitions.shape
    (2, 2)
    """

    #: Mixtures of labellings that a later training may begin from, where the solver has some.
    labellings: Any = None

    def predict(self, X: Any, threads: int = 1) -> NDArray[Any]:
        """The label of each position, in the labelling of the highest score."""
        given = self._given(X)
        found = np.empty(given.rows.shape[0], dtype=np.int32)

        def some(part: Part) -> None:
            part.sums.best(
                part.nodes, part.ready, 0, part.m, np.empty(part.m), found[part.positions]
            )

        self._in_parts(given, threads, True, some)
        return self.labels[found]

    def predict_marginals(self, X: Any, threads: int = 1) -> NDArray[np.float64]:
        """The probability of each label at each position, n × k in the order of ``labels``.

        Raises ValueError for losses whose scores are no likelihoods.
        """
        self.check_marginals()
        given = self._given(X)
        marginals = np.empty((given.rows.shape[0], len(self.labels)))

        def some(part: Part) -> None:
            unused = np.zeros_like(self.pairs)
            of_positions = marginals[part.positions]
            part.sums.log_sums(
                part.nodes, part.ready, 0, part.m, np.empty(part.m), of_positions, unused
            )

        self._in_parts(given, threads, False, some)
        return marginals

    def predict_best(self, X: Any, most: int) -> list[tuple[NDArray[np.float64], NDArray[Any]]]:
        """For each sequence, the ``most`` highest scores and their labellings, each in a row.

        A sequence with fewer labellings has fewer. Raises ValueError for ``most`` below 1.
        """
        if not isinstance(most, Integral) or most < 1:
            raise ValueError(f"most must be at least 1, a whole number, got {most!r}")
        problem = X if isinstance(X, SequenceProblem) else SequenceProblem.unlabelled(X)
        given, k, result = self._given(problem), len(self.labels), []
        starts, edges = given.starts.tolist(), given.edges
        for s, (begin, end) in enumerate(pairwise(starts)):
            T = self.pairs[np.newaxis, :k]
            if edges is not None and end - begin > 1:
                of_edges = self.pairs[k:].reshape(-1, k * k)
                own = edges.between(begin - s, end - s - 1)
                T = T + product(own, of_edges, len(of_edges)).reshape(-1, k, k)
            nodes = self._nodes(given.rows.between(begin, end))
            scores, places = best_labellings(nodes, T, most)
            result.append((scores, self.labels[places]))
        nothing = np.zeros(1), np.empty((1, 0), dtype=self.labels.dtype)
        return problem.with_empty(result, nothing)

    @property
    def pairs(self) -> NDArray[np.float64]:
        """The weights of pairs of neighbours: the transitions, and those of features of edges."""
        assert self.transitions is not None
        parts = [self.transitions]
        if self.edge_weights is not None:
            parts.append(self.edge_weights.reshape(-1, len(self.labels)))
        return np.ascontiguousarray(np.concatenate(parts), dtype=np.float64)

    def fits(self, problem: SequenceProblem) -> bool:
        """Whether training on the problem may begin from this model."""
        edges = 0 if self.edge_weights is None else len(self.edge_weights)
        return (
            np.array_equal(self.labels, problem.labels)
            and self.weights.shape[0] == problem.rows.width
            and edges == problem.n_edge_features
        )

    def _given(self, X: Any) -> Sequences:
        """Sequences to label, with the features of edges that the model has."""
        given = X if isinstance(X, SequenceProblem) else SequenceProblem.unlabelled(X)
        given = self._by_names(given)
        edges = given.edges
        if (edges is None) != (self.edge_weights is None):
            sentence = "has no features of edges, and the model has some"
            if edges is not None:
                sentence = "has features of edges, and the model has none"
            raise ValueError(f"X {sentence}")
        if edges is not None and self.edge_weights is not None:
            edges = _columns_to(edges, len(self.edge_weights))
        return Sequences(given.starts, given.rows, edges)

    def _in_parts(
        self, given: Sequences, threads: int, best: bool, some: Callable[[Part], None]
    ) -> None:
        """Call ``some`` for the sequences in parts, with transitions that are ready."""
        starts, rows, edges = given
        k, pairs = len(self.labels), self.pairs
        n_parts = max(threads, -(-rows.shape[0] * k // SCORES_AT_ONCE))
        constant = Transitions(pairs, 1.0, best) if edges is None else None

        def part(first: int, last: int) -> None:
            begin, end = int(starts[first]), int(starts[last])
            nodes = self._nodes(rows.between(begin, end))
            label = np.zeros(end - begin, dtype=np.int32)
            own = starts[first : last + 1] - begin
            sums = ChainSums(label, own, k, np.ones(last - first))
            ready = constant
            if edges is not None:
                own_edges = edges.between(begin - first, end - last)
                ready = Transitions(pairs, 1.0, best, own_edges)
            some(Part(sums, nodes, ready, last - first, slice(begin, end)))

        in_parts(starts, n_parts, threads, part)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> ChainModel:
        """Read a model file, checking all of it; ModelFileError for one without transitions."""
        stored = load_model(path)
        if stored.transitions is None:
            raise ModelFileError(f"{path} has no transitions; {stored.read_by} reads it")
        return cls(**vars(stored))


def _columns_to(rows: Rows, width: int) -> Rows:
    """The rows without columns from ``width`` on."""
    if rows.shape[1] <= width:
        return rows
    if rows.is_dense:
        return Rows(np.ascontiguousarray(rows.values[:, :width]), None, None, width)
    indices: Any = rows.indices
    indptr: Any = rows.indptr
    kept = indices < width
    before = np.concatenate(([0], np.cumsum(kept)))
    return Rows(rows.values[kept], indices[kept], before[indptr], width)
