"""The Model: weights and labels that predict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.losses import LOSSES, MEASURE_LOSSES, loss_row, measure_value
from rrmlinear.catalog.solvers import find_solver
from rrmlinear.core.loading import named
from rrmlinear.core.machine import thread_pool
from rrmlinear.core.records import record
from rrmlinear.data.array_rows import rows_of
from rrmlinear.data.problem import Problem
from rrmlinear.data.products import product
from rrmlinear.data.rows import Rows
from rrmlinear.exports.exported import Exported, Tabled
from rrmlinear.exports.scorer import Scorer, scorer_of_model
from rrmlinear.training.model_files.header import ModelFileError
from rrmlinear.training.model_files.writing import save_model
from rrmlinear.training.stored import StoredModel

SCORES_AT_ONCE = 1 << 22
Array = NDArray[np.float64]


def sigmoids(scores: Array) -> Array:
    """Two columns for one score; for a score of each class sigmoids that are normalized."""
    # in logarithms, as all sigmoids of a row may underflow
    logs = -np.logaddexp(0.0, -scores)
    return np.exp(np.column_stack([logs, logs - scores])) if scores.ndim == 1 else softmax(logs)


def softmax(scores: Array) -> Array:
    """e^a over its sum in each row."""
    each = np.exp(scores - scores.max(axis=1, keepdims=True))
    total: Array = each.sum(axis=1, keepdims=True)
    return each / total


LINKS: Mapping[str, Callable[[Array], Array]] = {"sigmoid": sigmoids, "softmax": softmax}


@record()
class Model(Exported, Tabled, StoredModel):
    """A trained linear model: it predicts labels or values of examples, and saves itself.

    Examples
    --------
    >>> import numpy as np
    >>> from rrmlinear import Parameter, Problem, fit
    >>> problem = Problem.from_arrays(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.2]]), [1, 2, 1])
    >>> model = fit(problem, Parameter(C=1.0))
    >>> model.predict(problem)
    array([1, 2, 1])
    >>> model.result.solved, model.weights.shape
    (True, (2, 1))
    """

    @property
    def link(self) -> str | None:
        """The link from scores to probabilities, "sigmoid" or "softmax", or None."""
        return None if self.loss is None or self.is_regression else loss_row(self.loss).link

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Scores, n × k, or n where there is one column, of a Problem, a sparse or dense matrix.

        Columns beyond the model's features are ignored, missing ones are zero, as in LIBLINEAR.
        Those of a Problem are taken by their names where it and the model have some.
        """
        return self._scores(self._rows(X))

    def predict(self, X: Any, threads: int = 1) -> NDArray[Any]:
        """The label of each row (int64, or a word where labels are words), or its value (float64)
        in a regression: the mean there, eᵃ of counts and costs, or n × m values of m quantiles.
        Scores a have the offset of the Problem.

        Ties go to the class that comes first, of two classes to the second, as in LIBLINEAR.
        Scores are held for some thousand rows at a time. The result is the same for any number of
        threads.
        """
        found = self.predict_numbers(X, threads)
        if self.label_names is None:
            return found
        words = dict(zip(self.labels.tolist(), self.label_names, strict=True))
        return np.array([words[label] for label in found.tolist()])

    def predict_numbers(self, X: Any, threads: int = 1) -> NDArray[Any]:
        """`predict` with the numbers of labels that are words."""
        dtype = np.float64 if self.is_regression else np.int64
        shape = () if self.levels is None else (len(self.levels),)
        offset = X.offset if isinstance(X, Problem) else None
        if offset is None:
            return self._in_parts(X, threads, shape, dtype, self._decide)
        if not self.is_regression:
            raise ValueError(f"an offset is for models of numbers, and loss {self.loss} has labels")
        scores = self._in_parts(X, threads, shape, np.float64, lambda some: some)
        return self._decide((scores.T + offset).T)

    def predict_proba(self, X: Any, threads: int = 1) -> NDArray[np.float64]:
        """The probability of each label, n × k, in the order of ``labels``.

        For the logistic loss the sigmoid of the score, normalized over the classes where each was
        trained against the rest, as in LIBLINEAR (a single class has 1); for the softmax loss the
        softmax of the scores.
        Raises ValueError for other losses, whose scores are no likelihoods.
        """
        if self.link is None:
            known = [row.name for row in LOSSES.values() if row.link and row.kind != "regression"]
            raise ValueError(
                f"loss {self.loss} has no probabilities: only {' and '.join(known)} have them"
            )
        if len(self.labels) == 1:
            return np.ones((self._rows(X).shape[0], 1))
        return self._in_parts(X, threads, (len(self.labels),), np.float64, LINKS[self.link])

    def measured(self, X: Any, labels: NDArray[Any]) -> tuple[str, float] | None:
        """The measure trained for, by name, and its value for these true labels.

        None for other losses, and for the error rate, which is the accuracy's.
        """
        row = MEASURE_LOSSES.get(self.loss or "")
        if row is None or not row.title:
            return None
        positive = np.asarray(labels) == self.labels[0]
        return row.title, measure_value(row, self.numbers, positive, self.decision_function(X))

    def _decide(self, scores: NDArray[np.float64]) -> NDArray[Any]:
        if self.is_regression:
            return scores if self.loss is None else loss_row(self.loss).means(scores)
        if scores.ndim == 1:
            first = scores > 0
        elif len(self.labels) == 2:
            # LIBLINEAR looks at the first score alone; other models may have any sum of scores
            alone = find_solver(self.solver_name).is_liblinear
            first = scores[:, 0] > (0.0 if alone else scores[:, 1])
        else:
            return self.labels[scores.argmax(axis=1)]
        return self.labels[np.where(first, 0, len(self.labels) - 1)]

    def _in_parts(
        self,
        X: Any,
        threads: int,
        shape: tuple[int, ...],
        dtype: Any,
        of_scores: Callable[[NDArray[np.float64]], NDArray[Any]],
    ) -> NDArray[Any]:
        rows = self._rows(X)
        n = rows.shape[0]
        at_once = max(1, min(SCORES_AT_ONCE // self.weights.shape[1], -(-n // threads)))
        result = np.empty((n, *shape), dtype=dtype)

        def some(begin: int) -> None:
            part = rows.between(begin, begin + at_once)
            result[begin : begin + at_once] = of_scores(self._scores(part))

        if threads == 1:
            for begin in range(0, n, at_once):
                some(begin)
        else:
            with thread_pool(threads) as pool:
                list(pool.map(some, range(0, n, at_once)))
        return result

    def _scores(self, rows: Rows) -> NDArray[np.float64]:
        scores = product(rows, self.weights, self.n_features)
        if self.rho is not None:
            scores -= self.rho
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _rows(self, X: Any) -> Rows:
        if isinstance(X, Problem) and self.feature_names is not None:
            X = named("data.formats.opening:by_model")(X, self.feature_names, "X")
        return (X.rows if isinstance(X, Problem) else rows_of(X)).with_bias(self.bias)

    def _scorer(self) -> Scorer:
        return scorer_of_model(self)

    def save(self, path: str | PathLike[str], *, liblinear: bool = False) -> None:
        """Write LIBLINEAR's text format, whole or not at all; see `training.model_files.writing`.

        With ``liblinear`` a model of any loss is written as one that LIBLINEAR's predict takes.
        """
        save_model(self, path, liblinear)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Model:
        """Read a model file, checking all of it; see `training.model_files.reading`."""
        from rrmlinear.training.model_files.reading import load_model

        stored = load_model(path)
        if stored.rows_behind is not None:
            raise ModelFileError(
                f"{path} holds a model {stored.structure}; {stored.read_by} reads it"
            )
        return cls(**vars(stored))
