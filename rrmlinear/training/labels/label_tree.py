"""A tree of clusters with the labels at its leaves: few scores of a row are computed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.parameter import Parameter
from rrmlinear.catalog.selection import select
from rrmlinear.core.cached import cached_property
from rrmlinear.core.plain_state import PlainState
from rrmlinear.core.records import record
from rrmlinear.data.array_rows import csr_of
from rrmlinear.training.labels.label_files import begins_with_labels
from rrmlinear.training.labels.label_model import LabelModel, check_rank
from rrmlinear.training.model_files.header import ModelFileError

#: Rows that descend the tree at once.
ROWS_AT_ONCE = 1024

Array = NDArray[Any]


@record()
class LabelTree(PlainState):
    """A tree whose K leaves are labels. Each node but the root has weights, against its siblings.

    ``edges`` is a `LabelModel` with a column for each node but the root, children of one node side
    by side; ``parents`` are the columns of their parents, −1 for the root. The columns that are no
    parents are the labels ``names``, in this order. The score of a label is −Σ φ(z, 1) over the
    scores z on its path, φ the loss of training: a log-probability for the logistic loss.

    Examples
    --------
    >>> import numpy as np
    >>> from rrmlinear import MultilabelProblem, Parameter, fit_label_tree
    >>> X, lists = np.eye(6), [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]
    >>> problem = MultilabelProblem.from_lists(X, lists, bias=1.0)
    >>> tree = fit_label_tree(problem, Parameter(C=10.0), branching=3)
    >>> places, scores = tree.predict_top_k(X, 1)
    >>> tree.names[places].ravel().tolist()
    ['a', 'b', 'c', 'd', 'e', 'f']
    """

    names: Array
    edges: LabelModel
    parents: NDArray[np.int32]

    @property
    def n_labels(self) -> int:
        return len(self.names)

    @property
    def n_features(self) -> int:
        return self.edges.n_features

    @property
    def feature_names(self) -> Any:
        return self.edges.feature_names

    @property
    def result(self) -> Any:
        """The certificates of the edges, a `LabelResult`."""
        return self.edges.result

    def predict_top_k(
        self, X: Any, k: int, beam: int = 10
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The places in ``names`` of k labels with large scores of each row, and these scores, both
        n × k in falling order.

        The search keeps the ``beam`` best nodes of each depth. Where it meets fewer than k labels
        the last places are −1, their scores −inf. Raises ValueError for k or beam below 1, and for
        k above the number of labels.
        """
        check_rank(k, self.n_labels)
        found = [_table(n, k, *_best(*met, k)) for n, met in self._searched(X, beam)]
        places, scores = zip(*found, strict=True)
        return np.concatenate(places), np.concatenate(scores)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The scores of all labels, n × K, without a search: all nodes are visited."""
        parents, leaves = self.parents, np.flatnonzero(self._leaves >= 0)
        found = []
        for _, z in self.edges.in_batches(X):
            gains = -self._loss.values(np.ones(z.size), z.ravel()).reshape(z.shape)
            scores, above = gains[:, leaves], parents[leaves]
            while (is_deep := above >= 0).any():
                scores[:, is_deep] += gains[:, above[is_deep]]
                above = np.where(is_deep, parents[above], -1)
            found.append(scores)
        return np.concatenate(found)

    @cached_property
    def limit(self) -> float:
        """The score of a label whose path loses φ(0, 1) in all. Labels above it are predicted: in
        a tree of one node those with z > 0, as without a tree.
        """
        return -float(self._loss.values(np.ones(1), np.zeros(1))[0])

    def _searched(self, X: Any, beam: int) -> Iterator[tuple[int, tuple[Array, Array, Array]]]:
        """Parts of the rows: how many, and all labels that the search meets, as rows of the part,
        places and scores.
        """
        if beam < 1:
            raise ValueError(f"beam is {beam}; it must be at least 1")
        matrix, d = csr_of(self.edges.examples_of(X)), self.n_features
        if matrix.shape[1] != d:  # columns beyond the model's count nothing, missing ones are 0
            matrix = matrix[:, :d].copy()
            matrix.resize((matrix.shape[0], d))
        for part in _parts(matrix.shape[0]):
            rows = matrix[part]
            yield rows.shape[0], self._met(rows, beam)

    @cached_property
    def _nodes(self) -> dict[int, tuple[int, Any, Array]]:
        """For each parent the first column of its children, their weights by features, and their
        intercepts.
        """
        begins = np.flatnonzero(np.diff(self.parents, prepend=-2))
        ends = np.append(begins[1:], len(self.parents))
        weights, intercepts = self.edges.weights, self.edges.intercepts
        return {
            int(self.parents[a]): (int(a), weights[:, a:b].tocsr(), intercepts[a:b])
            for a, b in zip(begins.tolist(), ends.tolist(), strict=True)
        }

    @cached_property
    def _leaves(self) -> NDArray[np.int64]:
        """For each column the place of its label, −1 for a cluster."""
        is_leaf = np.ones(len(self.parents), bool)
        is_leaf[self.parents[self.parents >= 0]] = False
        return np.where(is_leaf, np.cumsum(is_leaf) - 1, -1)

    @cached_property
    def _loss(self) -> Any:
        loss: Any = self.edges.loss
        return select(Parameter(loss=loss)).loss

    def _met(self, matrix: Any, beam: int) -> tuple[Array, Array, Array]:
        """Rows of a matrix down the tree: the labels that they meet."""
        n = matrix.shape[0]
        rows, nodes, scores = np.arange(n), np.full(n, -1), np.zeros(n)
        met: list[tuple[Array, Array, Array]] = []
        while len(rows):
            rows, nodes, scores = self._children(matrix, rows, nodes, scores)
            places = self._leaves[nodes]
            is_leaf = places >= 0
            met.append((rows[is_leaf], places[is_leaf], scores[is_leaf]))
            inner = rows[~is_leaf], nodes[~is_leaf], scores[~is_leaf]
            rows, nodes, scores = _best(*inner, beam)
        every = [np.concatenate(each) for each in zip(*met, strict=True)]
        return every[0], every[1], every[2]

    def _children(
        self, matrix: Any, rows: Array, nodes: Array, scores: Array
    ) -> tuple[Array, Array, Array]:
        """All children of the nodes that rows are at, with their scores."""
        found = []
        order = np.argsort(nodes, kind="stable")
        cuts = np.flatnonzero(np.diff(nodes[order])) + 1
        for part in np.split(order, cuts):
            first, weights, intercepts = self._nodes[int(nodes[part[0]])]
            z = (matrix[rows[part]] @ weights).toarray() + intercepts
            values = self._loss.values(np.ones(z.size), z.ravel()).reshape(z.shape)
            count = z.shape[1]
            found.append(
                (
                    np.repeat(rows[part], count),
                    np.tile(np.arange(first, first + count), len(part)),
                    (scores[part][:, np.newaxis] - values).ravel(),
                )
            )
        joined = [np.concatenate(each) for each in zip(*found, strict=True)]
        return joined[0], joined[1], joined[2]

    def predict(self, X: Any, top_k: int | None = 1, beam: int = 10) -> Any:
        """The n × K indicator of the ``top_k`` best labels of each row, a csr_array of int8; with
        None of the labels that the search meets with a score above `limit`.
        """
        if top_k is not None:
            check_rank(top_k, self.n_labels)
        found = self._found(X, top_k, 0.0, beam)
        found.data = np.ones(found.nnz, np.int8)
        return found

    def scores_above(self, X: Any, threshold: float = 0.0, beam: int = 10) -> Any:
        """The scores less `limit` of the labels that the search meets where these are above a
        threshold: a csr_array, n × K.
        """
        return self._found(X, None, threshold, beam)

    def _found(self, X: Any, top_k: int | None, threshold: float, beam: int) -> Any:
        from scipy.sparse import csr_array

        begin, found = 0, []
        for n, met in self._searched(X, beam):
            is_above = met[2] - self.limit > threshold
            own = _best(*met, top_k) if top_k is not None else [each[is_above] for each in met]
            found.append((own[0] + begin, *own[1:]))
            begin += n
        rows, places, scores = (np.concatenate(each) for each in zip(*found, strict=True))
        table = csr_array((scores - self.limit, (rows, places)), (begin, self.n_labels))
        table.sort_indices()
        return table

    def save(self, path: str | PathLike[str]) -> None:
        """Write the tree as `LabelModel.save` does, its parents beside the arrays."""
        from rrmlinear.training.labels.label_files import save_labels

        save_labels(self.edges, path, self)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> LabelTree:
        """A tree that `save` wrote; errors as of `LabelModel.load`."""
        found = load_label_model(path)
        if not isinstance(found, LabelTree):
            raise ModelFileError(f"{os.fsdecode(path)} is no tree of labels: LabelModel reads it")
        return found


def load_label_model(path: str | PathLike[str]) -> LabelModel | LabelTree:
    """A tree, or a model without one, that `save` wrote."""
    from rrmlinear.training.labels.label_files import load_labels

    if not begins_with_labels(path):
        return LabelModel.load(path)
    fields = load_labels(path)
    parents = fields.pop("parents", None)
    if parents is None:
        return LabelModel(**fields)
    names = fields.pop("names")
    return LabelTree(names, LabelModel(names=np.arange(len(parents)), **fields), parents)


def _parts(n: int) -> Iterator[slice]:
    for begin in range(0, n, ROWS_AT_ONCE):
        yield slice(begin, begin + ROWS_AT_ONCE)


def _best(rows: Array, nodes: Array, scores: Array, count: int) -> tuple[Array, Array, Array]:
    """The ``count`` best of each row, rows in order, best first; ties by the lower node."""
    order = np.lexsort((nodes, -scores, rows))
    rank = np.arange(len(order)) - np.searchsorted(rows[order], rows[order])
    kept = order[rank < count]
    return rows[kept], nodes[kept], scores[kept]


def _table(
    n: int, k: int, rows: Array, places: Array, scores: Array
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Labels of rows in order, at most k of each, as n × k; −1 and −inf where there are fewer."""
    best, at_best = np.full((n, k), -1, np.int64), np.full((n, k), -np.inf)
    rank = np.arange(len(rows)) - np.searchsorted(rows, rows)
    best[rows, rank], at_best[rows, rank] = places, scores
    return best, at_best
