"""Estimators that fit over workers and predict on dask collections."""

from __future__ import annotations

from dataclasses import fields
from functools import partial
from inspect import signature
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.parameter import Parameter
from rrmlinear.catalog.selection import select
from rrmlinear.dask.labels import coded
from rrmlinear.dask.training import WAIT_LIMIT, fit, present_client
from rrmlinear.training.model import Model


class _Linear:
    """``loss``, ``regularizer``, ``C`` and further choices as `Parameter` has them, and arguments
    of `rrmlinear.dask.fit`. Raises TypeError for other choices.

    After `fit`, ``duality_gap_`` bounds how far ``objective_`` is above its minimum, and
    ``n_iter_`` counts the rounds. ``model_`` holds the weights, ``result_`` the certificate.
    """

    default_loss = ""
    is_classifier = False

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
        known = {each.name for each in fields(Parameter)} - {"loss", "gap_tol"}
        for name in choices:
            if name not in known:
                raise TypeError(f"{type(self).__name__} has no parameter {name!r}")
        self.loss, self.regularizer, self.C, self.tol = loss, regularizer, C, tol
        self.bias, self.client, self.parts = bias, client, parts
        self.balance, self.wait_limit, self.choices = balance, wait_limit, choices

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The arguments of the constructor, as scikit-learn has them."""
        names = [name for name in signature(_Linear).parameters if name != "choices"]
        return {name: getattr(self, name) for name in names} | self.choices

    def set_params(self, **params: Any) -> Self:
        """Change arguments of the constructor."""
        type(self).__init__(self, **(self.get_params() | params))
        return self

    def __repr__(self) -> str:
        given = self.get_params().items()
        default = type(self)().get_params()
        shown = [f"{name}={value!r}" for name, value in given if value != default.get(name)]
        return f"{type(self).__name__}({', '.join(shown)})"

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to dask collections, files by their paths, or futures; see `rrmlinear.dask.fit`.

        Labels that come by ``y`` may be names or truth values too; those in files and futures are
        whole numbers.
        """
        parameter = Parameter(
            loss=self.loss or self.default_loss,
            regularizer=self.regularizer,
            C=self.C,
            gap_tol=self.tol,
            **self.choices,
        )
        if (select(parameter).kind == "regression") == self.is_classifier:
            of = "classes" if self.is_classifier else "values"
            raise ValueError(f"{type(self).__name__} takes losses of {of}, got {parameter.loss}")
        names = None
        if self.is_classifier:
            y, names = coded(present_client() if self.client is None else self.client, y)
        if names is not None and parameter.class_weights:
            raise ValueError("class_weights takes labels that are whole numbers")
        self.model_: Model = fit(
            X,
            y,
            parameter,
            sample_weight=sample_weight,
            bias=self.bias,
            client=self.client,
            parts=self.parts,
            balance=self.balance,
            larger_first=self.is_classifier,
            wait_limit=self.wait_limit,
        )
        self.result_ = result = self.model_.result
        assert result is not None  # only models that were read have none
        self.objective_, self.duality_gap_ = result.primal, result.gap
        self.n_iter_ = result.passes
        self.n_features_in_ = self.model_.n_features
        if self.is_classifier:
            numbers = np.sort(self.model_.labels)
            self.classes_ = numbers if names is None else names[numbers]
        return self

    def predict(self, X: Any) -> Any:
        """Labels or values of each row: a dask array or series for dask's, else an array."""
        self._fitted()
        dtype = self.classes_.dtype if self.is_classifier else np.dtype(np.float64)
        return self._mapped(self._predicted, X, dtype, 1)

    def decision_function(self, X: Any) -> Any:
        """Scores of each row: one for each class in the order of ``classes_``; one alone for a loss
        of one score with two classes, above 0 for the second, or for a regression.
        """
        columns = self._fitted().weights.shape[1]
        return self._mapped(self._decided, X, np.dtype(np.float64), columns)

    def _fitted(self) -> Model:
        if not hasattr(self, "model_"):
            raise AttributeError(f"this {type(self).__name__} is not fitted yet: call fit first")
        return self.model_

    def _predicted(self, X: Any) -> NDArray[Any]:
        values = self.model_.predict(X)
        if not self.is_classifier:
            return values
        found: NDArray[Any] = self.classes_[np.searchsorted(np.sort(self.model_.labels), values)]
        return found

    def _decided(self, X: Any) -> NDArray[Any]:
        scores, order = self.model_.decision_function(X), np.argsort(self.model_.labels)
        if scores.ndim == 2:
            return scores[:, order]
        return -scores if self.is_classifier and order[0] == 0 else scores

    def _mapped(self, function: Any, X: Any, dtype: Any, columns: int) -> Any:
        """What the function finds for the rows of each block."""
        model = self._fitted()
        # blocks need the model alone
        alone = type(self).__new__(type(self))
        alone.__dict__ |= {"model_": model, "classes_": getattr(self, "classes_", None)}
        found = partial(_of_block, getattr(alone, function.__name__), model.n_features, columns)
        if hasattr(X, "map_blocks"):
            X = X.rechunk({1: -1})
            if columns == 1:
                return X.map_blocks(found, drop_axis=1, dtype=dtype)
            return X.map_blocks(found, chunks=(X.chunks[0], (columns,)), dtype=dtype)
        if hasattr(X, "map_partitions") and hasattr(X, "columns"):
            if columns > 1:
                return self._mapped(function, X.to_dask_array(), dtype, columns)
            return X.map_partitions(_of_frame, found, meta=(None, dtype))
        if hasattr(X, "map_partitions"):
            return X.map(found)
        return found(X)


class LinearClassifier(_Linear):
    """minimize Ω(W) + C Σ_i φ(W'x_i, y_i) over workers, with a loss of several scores such as
    "weston-watkins" (the default), or of one score, each class against the rest.
    """

    default_loss = "weston-watkins"
    is_classifier = True

    def score(self, X: Any, y: Any) -> float:
        """The fraction of rows that get their labels."""
        return float((_computed(self.predict(X)) == _computed(y)).mean())


class LinearRegressor(_Linear):
    """minimize Ω(w) + C Σ_i φ(x_i'w, y_i) over workers, by default with squared losses."""

    default_loss = "squared"

    def score(self, X: Any, y: Any) -> float:
        """1 less the squared residuals over those of the mean (R²)."""
        y = _computed(y)
        residuals = y - _computed(self.predict(X))
        return float(1 - (residuals**2).sum() / ((y - y.mean()) ** 2).sum())


def _computed(values: Any) -> NDArray[Any]:
    return np.asarray(values.compute() if hasattr(values, "compute") else values)


def _of_block(function: Any, n_features: int, columns: int, X: Any) -> NDArray[Any]:
    """What the function finds for a block of rows."""
    X = X.to_numpy() if hasattr(X, "to_numpy") else X
    shape = getattr(X, "shape", None)
    if shape is not None and shape[0] == 0:
        return np.zeros(0 if columns == 1 else (0, columns))
    if shape is not None and len(shape) == 2 and shape[1] != n_features:
        raise ValueError(f"X has {shape[1]} features, and the fit had {n_features}")
    found: NDArray[Any] = function(X)
    return found


def _of_frame(frame: Any, found: Any) -> Any:
    import pandas

    return pandas.Series(found(frame), index=frame.index)
