"""Estimators that fit over workers and predict on dask collections."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from rrmlinear.catalog.parameter import Parameter
from rrmlinear.dask.training import WAIT_LIMIT, fit
from rrmlinear.training.model import Model


class _Linear:
    """``loss``, ``regularizer``, ``C`` and further choices as `Parameter` has them, and arguments
    of `rrmlinear.dask.fit`.
    """

    default_loss = ""

    def __init__(
        self,
        loss: str | None = None,
        *,
        regularizer: str = "l2",
        C: float = 1.0,
        tol: float = 1e-3,
        bias: float = 1.0,
        client: Any = None,
        parts: int | None = None,
        balance: bool = False,
        wait_limit: float = WAIT_LIMIT,
        **choices: Any,
    ) -> None:
        self.loss, self.regularizer, self.C, self.tol = loss, regularizer, C, tol
        self.bias, self.client, self.parts = bias, client, parts
        self.balance, self.wait_limit, self.choices = balance, wait_limit, choices

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to dask collections, files by their paths, or futures; see `rrmlinear.dask.fit`."""
        parameter = Parameter(
            loss=self.loss or self.default_loss,
            regularizer=self.regularizer,
            C=self.C,
            gap_tol=self.tol,
            **self.choices,
        )
        self.model_: Model = fit(
            X,
            y,
            parameter,
            sample_weight=sample_weight,
            bias=self.bias,
            client=self.client,
            parts=self.parts,
            balance=self.balance,
            wait_limit=self.wait_limit,
        )
        self.result_ = self.model_.result
        self.n_features_in_ = self.model_.n_features
        return self

    def predict(self, X: Any) -> Any:
        """Labels or values of each row: a dask array or series for dask's, else an array."""
        regression = self.model_.is_regression
        return _mapped(self.model_.predict, X, np.float64 if regression else np.int64)


class LinearClassifier(_Linear):
    """minimize Ω(W) + C Σ_i φ(W'x_i, y_i) over workers, with a loss of several scores such as
    "weston-watkins" (the default), or of one score, each class against the rest.
    """

    default_loss = "weston-watkins"

    @property
    def classes_(self) -> Any:
        """The labels, in order of first appearance."""
        return self.model_.labels


class LinearRegressor(_Linear):
    """minimize Ω(w) + C Σ_i φ(x_i'w, y_i) over workers, by default with squared losses."""

    default_loss = "squared"


def _mapped(predict: Any, X: Any, dtype: Any) -> Any:
    if hasattr(X, "map_blocks"):
        return X.rechunk({1: -1}).map_blocks(predict, drop_axis=1, dtype=dtype)
    if hasattr(X, "map_partitions") and hasattr(X, "columns"):
        return X.map_partitions(_of_frame, predict, meta=(None, dtype))
    if hasattr(X, "map_partitions"):
        return X.map(predict)
    return predict(X)


def _of_frame(frame: Any, predict: Any) -> Any:
    import pandas

    values = predict(frame.to_numpy()) if len(frame) else np.zeros(0)
    return pandas.Series(values, index=frame.index)
