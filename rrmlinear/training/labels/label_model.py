"""The LabelModel: sparse weights of many labels that score, rank and predict."""

from __future__ import annotations

import os
from collections.abc import Sequence
from numbers import Integral
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.loading import named
from rrmlinear.core.plain_state import PlainState
from rrmlinear.core.records import record, replace
from rrmlinear.data.array_rows import rows_of
from rrmlinear.data.label_sets import array_of, sorted_labels
from rrmlinear.data.rows import Rows
from rrmlinear.exports.exported import Exported, Tabled
from rrmlinear.exports.scorer import LABELS, Scorer
from rrmlinear.training.labels._label_scores import largest_scores, scores_of
from rrmlinear.training.labels.label_files import begins_with_labels
from rrmlinear.training.model_files.header import ModelFileError

if TYPE_CHECKING:
    from rrmlinear.catalog.choices import Choices
    from rrmlinear.data.label_sets import MultilabelProblem
    from rrmlinear.training.labels.label_result import LabelResult

#: Scores that are held at once where labels are looked for row by row.
SCORES_AT_ONCE = 1 << 22


@record()
class LabelModel(Exported, Tabled, PlainState):
    """A trained model of K labels: the score of label j is x'w_j + b_j.

    ``names`` are the labels, ``weights`` a d × K scipy.sparse.csc_array, ``intercepts`` and
    ``counts`` (rows of each label in training) have K numbers. A label is predicted where its score
    is above 0, or above its one of ``thresholds``. ``result`` is the certificate of each label. A
    model that was loaded has no ``parameter``.

    Examples
    --------
    >>> import numpy as np
    >>> from rrmlinear import MultilabelProblem, Parameter, fit_labels
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> problem = MultilabelProblem.from_lists(X, [["a"], ["b"], ["a", "b"]], bias=1.0)
    >>> model = fit_labels(problem, Parameter(C=10.0))
    >>> model.predict_labels(X)
    [['a'], ['b'], ['a', 'b']]
    >>> places, scores = model.predict_top_k(X[:2], 1)
    >>> places.tolist()
    [[0], [1]]
    """

    names: NDArray[Any]
    weights: Any
    intercepts: NDArray[np.float64]
    bias: float
    loss: str
    solver_name: str
    counts: NDArray[np.int64]
    thresholds: NDArray[np.float64] | None = None
    parameter: Choices | None = None
    result: LabelResult | None = None
    feature_names: Sequence[str] | None = None

    @property
    def n_features(self) -> int:
        return int(self.weights.shape[0])

    @property
    def n_labels(self) -> int:
        return len(self.names)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """All scores, n × K. For many labels see `predict_top_k` and `in_batches`."""
        return self._scores(self.examples_of(X))

    def in_batches(self, X: Any) -> Any:
        """An iterator of (first row, scores m × K) over batches of rows."""
        rows = self.examples_of(X)
        n, at_once = rows.shape[0], max(1, SCORES_AT_ONCE // max(1, self.n_labels))
        for begin in range(0, n, at_once):
            yield begin, self._scores(rows, begin, min(begin + at_once, n))

    def predict_top_k(self, X: Any, k: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The places in ``names`` of the k labels with the largest scores of each row, and these
        scores, both n × k in falling order. Ties go to the label that comes first.

        Raises ValueError for k below 1 or above the number of labels.
        """
        check_rank(k, self.n_labels)
        return largest_scores(self.examples_of(X), *self._columns(), self.intercepts, k)

    def predict(self, X: Any, top_k: int | None = None) -> Any:
        """The n × K indicator of the labels predicted, a csr_array of int8.

        Those are the labels whose scores are above their thresholds; with ``top_k`` the k with the
        largest scores of each row.
        """
        from scipy.sparse import csr_array

        if top_k is not None:
            places = np.sort(self.predict_top_k(X, top_k)[0], axis=1)
            n = len(places)
            begins = np.arange(0, places.size + 1, top_k)
            ones = np.ones(places.size, np.int8)
            return csr_array((ones, places.ravel(), begins), shape=(n, self.n_labels))
        limits = 0.0 if self.thresholds is None else self.thresholds
        found, counts = [], []
        for _, scores in self.in_batches(X):
            is_above = scores > limits
            found.append(np.nonzero(is_above)[1])
            counts.append(is_above.sum(axis=1))
        begins = np.concatenate([[0], np.cumsum(np.concatenate(counts))])
        places = np.concatenate(found)
        shape = (len(begins) - 1, self.n_labels)
        return csr_array((np.ones(len(places), np.int8), places, begins), shape=shape)

    def predict_labels(self, X: Any, top_k: int | None = None) -> list[list[Any]]:
        """The labels of each row, by name."""
        found = self.predict(X, top_k)
        ends = zip(found.indptr[:-1], found.indptr[1:], strict=True)
        return [self.names[found.indices[a:b]].tolist() for a, b in ends]

    def examples_of(self, X: Any) -> Rows:
        """Rows of a problem, its features by their names if known, or of a matrix or an array,
        without a bias. Columns beyond the model's features are ignored in scores, and missing ones
        are 0, as in LIBLINEAR.
        """
        if self.feature_names is not None and hasattr(X, "feature_names"):
            X = named("data.formats.opening:by_model")(X, self.feature_names, "X")
        rows: Rows = X.rows if hasattr(X, "rows") and hasattr(X, "n_features") else rows_of(X)
        return rows.with_bias(-1.0)

    def check_like(self, problem: MultilabelProblem, loss: str) -> None:
        """Raise ValueError unless the labels of a problem and a loss can join the model's."""
        told = {
            "features": (self.n_features, problem.n_features),
            "a bias": (self.bias, problem.bias),
            "the loss": (self.loss, loss),
        }
        for name, (own, other) in told.items():
            if own != other:
                raise ValueError(f"the model known has {name} {own}, and the problem {other}")
        own, other = self.feature_names, problem.feature_names
        if own and other and list(own) != list(other):
            raise ValueError("the model known has other names of features than the problem")
        sorted_labels([*self.names.tolist(), *problem.labels.names.tolist()])  # of one kind

    def are_new(self, names: NDArray[Any]) -> NDArray[np.bool_]:
        """Which of these labels the model does not have."""
        known = set(self.names.tolist())
        return np.array([name not in known for name in names.tolist()], dtype=bool)

    def joined(self, other: LabelModel) -> LabelModel:
        """The labels of this model and then those of the other, which has no duals then."""
        from scipy.sparse import csc_array, hstack

        result = None
        if self.result is not None and other.result is not None:
            result = self.result.joined(other.result)
        thresholds = None
        if self.thresholds is not None or other.thresholds is not None:
            parts = [
                np.zeros(each.n_labels) if each.thresholds is None else each.thresholds
                for each in (self, other)
            ]
            thresholds = np.concatenate(parts)
        return replace(
            other,
            names=array_of([*self.names.tolist(), *other.names.tolist()]),
            weights=csc_array(hstack([self.weights, other.weights], format="csc")),
            intercepts=np.concatenate([self.intercepts, other.intercepts]),
            counts=np.concatenate([self.counts, other.counts]),
            thresholds=thresholds,
            result=result,
            feature_names=other.feature_names or self.feature_names,
        )

    def with_thresholds(self, thresholds: Any) -> LabelModel:
        """The same model with other thresholds, one for each label, or None for 0."""
        if thresholds is not None:
            thresholds = np.asarray(thresholds, dtype=np.float64)
            if thresholds.shape != (self.n_labels,) or not np.isfinite(thresholds).all():
                raise ValueError(f"thresholds must be {self.n_labels} finite numbers")
        return replace(self, thresholds=thresholds)

    def duals_of(self, names: NDArray[Any], problem: MultilabelProblem) -> dict[int, Any]:
        """The duals of these labels, by their places among them; ValueError without any."""
        from rrmlinear.solvers.loop.label_ends import Column

        duals = None if self.result is None else self.result.duals
        if duals is None:
            raise ValueError("the model to start from has no duals: train it with keeps_duals=True")
        if duals.shape[0] != problem.n_examples:
            raise ValueError(
                f"the model to start from has duals of {duals.shape[0]} examples, and there are "
                f"{problem.n_examples}"
            )
        own = {name: j for j, name in enumerate(self.names.tolist())}
        found = {}
        for place, name in enumerate(names.tolist()):
            if (j := own.get(name)) is not None:
                part = slice(duals.indptr[j], duals.indptr[j + 1])
                found[place] = Column(duals.indices[part], duals.data[part])
        return found

    def _scorer(self) -> Scorer:
        columns, intercepts, limits = self.weights.T, self.intercepts, self.thresholds
        labels, names = np.asarray(self.names), self.feature_names
        return Scorer(columns, intercepts, LABELS, labels, names=names, limits=limits)

    def save(self, path: str | PathLike[str], liblinear: bool = False) -> None:
        """Write the model as arrays behind a header (docs/labels.md); whole or not at all.

        With ``liblinear`` it is LIBLINEAR's text, one column of weights a label, without a
        certificate. ValueError for labels and scores that this has no place for.
        """
        if liblinear:
            from rrmlinear.training.labels.liblinear_text import save_liblinear

            save_liblinear(self, path)
            return
        from rrmlinear.training.labels.label_files import save_labels

        save_labels(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> LabelModel:
        """A model that `save` wrote. Its arrays are mapped, and checked against their checksums.

        LIBLINEAR's text of three classes or more, each against the rest, is read too. Raises
        ModelFileError, a ValueError, for another file and for one that is damaged.
        """
        if not begins_with_labels(path):
            from rrmlinear.training.labels.liblinear_text import load_liblinear

            return cls(**load_liblinear(path))
        from rrmlinear.training.labels.label_files import load_labels

        fields = load_labels(path)
        if "parents" in fields:
            raise ModelFileError(
                f"{os.fsdecode(path)} is a tree of labels: LabelTree.load reads it"
            )
        return cls(**fields)

    def _scores(self, rows: Rows, begin: int = 0, end: int | None = None) -> NDArray[np.float64]:
        end = rows.shape[0] if end is None else end
        return scores_of(rows, *self._columns(), self.intercepts, begin, end)

    def _columns(self) -> tuple[Any, Any, Any]:
        weights = self.weights
        begins = np.asarray(weights.indptr, dtype=np.int64)
        return begins, np.asarray(weights.indices, dtype=np.int32), weights.data


def check_rank(k: int, n_labels: int) -> None:
    """Raise ValueError for a number of best labels below 1 or above that of all."""
    if not isinstance(k, Integral) or not 1 <= k <= n_labels:
        raise ValueError(f"k is {k!r}; it must be from 1 to the number of labels, {n_labels}")
