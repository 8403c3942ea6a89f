"""The Model: weights and labels that predict."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.problem import Problem, rows_of
from rrmlinear.data.rows import Rows
from rrmlinear.solvers.result import Result
from rrmlinear.training.parameter import Parameter

SCORES_AT_ONCE = 1 << 22


@dataclass(frozen=True, eq=False)
class Model:
    """A linear classifier: the class of x is the first with the largest score in x'W.

    ``weights`` is (d + 1 with a bias, else d) × k, its columns in the order of ``labels``, which is
    the order of first appearance in the training data. ``bias`` is the value of the appended
    column, negative for none. A loaded model has no ``parameter`` and no ``result``.
    """

    solver_name: str
    labels: NDArray[np.int64]
    weights: NDArray[np.float64]
    n_features: int
    bias: float = -1.0
    parameter: Parameter | None = None
    result: Result | None = None

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Scores, n × k, of a Problem, a scipy sparse matrix or a dense array.

        Columns beyond the model's features are ignored, missing ones are zero, as in LIBLINEAR.
        """
        return self._rows(X).product(self.weights, self.n_features)

    def predict(self, X: Any, threads: int = 1) -> NDArray[np.int64]:
        """The label of each row; ties go to the class that comes first.

        Scores are held for some thousand rows at a time. The result is the same for any number of
        threads.
        """
        rows = self._rows(X)
        n = rows.shape[0]
        at_once = max(1, min(SCORES_AT_ONCE // len(self.labels), -(-n // threads)))
        result = np.empty(n, dtype=np.int64)

        def some(begin: int) -> None:
            scores = rows.between(begin, begin + at_once).product(self.weights, self.n_features)
            result[begin : begin + at_once] = self.labels[scores.argmax(axis=1)]

        if threads == 1:
            for begin in range(0, n, at_once):
                some(begin)
        else:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(some, range(0, n, at_once)))
        return result

    def _rows(self, X: Any) -> Rows:
        return (X.rows if isinstance(X, Problem) else rows_of(X)).with_bias(self.bias)

    def save(self, path: str | PathLike[str]) -> None:
        """Write LIBLINEAR's text format, whole or not at all; see `training.model_file`."""
        from rrmlinear.training.model_file import save_model

        save_model(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Model:
        """Read a model file, checking all of it; see `training.model_file`."""
        from rrmlinear.training.model_file import load_model

        return load_model(path)
