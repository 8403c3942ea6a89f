"""Estimators that fit over workers and predict on dask collections."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, is_classifier
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import column_or_1d
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from rrmlinear.catalog.errors import ChoiceError
from rrmlinear.catalog.rows import LossRow, SolverRow
from rrmlinear.dask.blocks import offsets_of
from rrmlinear.dask.many_labels import crews
from rrmlinear.dask.training import WAIT_LIMIT, Data, present_client
from rrmlinear.dask.waiting import Watch
from rrmlinear.data.problem import Problem
from rrmlinear.estimators import general
from rrmlinear.estimators.arguments import (
    COUNT,
    POSITIVE,
    check_several_classes,
    class_factors,
    classes_of,
    optional,
)
from rrmlinear.estimators.classifier import links_scores
from rrmlinear.estimators.labels import multilabel
from rrmlinear.estimators.linear import FREE, REGULARIZED
from rrmlinear.estimators.objective import own_words
from rrmlinear.estimators.over_workers.predictions import (
    coded,
    computed,
    is_collection,
    is_elsewhere,
    mapped,
    names_of,
)
from rrmlinear.solvers.loop.result import Result
from rrmlinear.training.model import Model
from rrmlinear.workers.agreement import classes_of as classes_of_shapes


class HasClient(BaseEstimator):
    """An estimator with a parameter ``client``: clones share it, and states leave it out."""

    client: Any

    def __getstate__(self) -> dict[str, Any]:
        """A client lives in its process alone: an estimator that was read has the present one."""
        state: dict[str, Any] = dict(super().__getstate__())
        return state | {"client": None} if "client" in state else state

    def __sklearn_clone__(self) -> Self:
        clone: Self = BaseEstimator.__sklearn_clone__(copy.copy(self))
        clone.client = self.client
        return clone


@dataclass(eq=False, repr=False, kw_only=True)
class MultilabelClassifier(HasClient, multilabel.MultilabelClassifier):
    """`rrmlinear.MultilabelClassifier` whose labels are dealt to workers, with the same bits;
    X and y are in the client's memory. See `rrmlinear.dask.fit_labels`.

    Parameters
    ----------
    client : distributed.Client, default=None
        None: the present one.
    wait_limit : float, default=600
        Bounds every wait, in seconds.
    others
        As in `rrmlinear.MultilabelClassifier`.

    Examples
    --------
    >>> from distributed import Client  # doctest: +SKIP
    >>> from rrmlinear.dask import MultilabelClassifier  # doctest: +SKIP
    >>> model = MultilabelClassifier(client=Client(n_workers=2)).fit(X, Y)  # doctest: +SKIP
    """

    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **multilabel.MultilabelClassifier._parameter_constraints,
        "wait_limit": POSITIVE,
    }

    client: Any = None
    wait_limit: float = WAIT_LIMIT

    def _crew_of(self) -> Any:
        client = present_client() if self.client is None else self.client
        return crews(client, float(self.wait_limit))


class _Examples(NamedTuple):
    """What the choices of an estimator depend on: examples, counted with their weights."""

    n_examples: float
    bias: float = -1.0
    weights: None = None

    def with_bias(self, bias: float) -> _Examples:
        return self._replace(bias=bias)


@dataclass(eq=False, repr=False, kw_only=True)
class OverWorkers(HasClient):
    """A linear estimator whose `fit` trains over workers. X may be what `rrmlinear.dask.fit` takes,
    or what the estimator of the same name takes.
    """

    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **general.AnyObjective._parameter_constraints,
        "parts": optional(COUNT),
        "balance": ["boolean"],
        "wait_limit": POSITIVE,
    }
    #: The estimator of the same name that fits in this process.
    _here: ClassVar[type[Any]]

    client: Any = None
    parts: int | None = None
    balance: bool = False
    wait_limit: float = WAIT_LIMIT

    def _checked_data(self, X: Any, y: Any, sample_weight: Any = None, **how: Any) -> Any:
        for name, usual in (("solver", "auto"), ("n_jobs", None), ("warm_start", False)):
            if getattr(self, name) != usual:
                raise ValueError(
                    f"{name} has no effect over workers, and must be {usual!r}: the problem and "
                    "the parts choose the method (docs/scale.md)"
                )
        if not is_elsewhere(X):
            return super()._checked_data(X, y, sample_weight, **how)
        self.__dict__.pop("feature_names_in_", None)
        if (names := names_of(X)) is not None:
            self.__dict__["feature_names_in_"] = names
        return X, y, sample_weight

    def _intercept_kind(self, loss: LossRow, regularizer: str, kind: SolverRow) -> str:
        asked = self._asked_intercept()
        return FREE if asked == "unregularized" else REGULARIZED if asked else ""

    def _watch(self) -> Watch:
        client = present_client() if self.client is None else self.client
        return Watch(client, float(self.wait_limit))

    def _data(self, watch: Watch, X: Any, y: Any, sample_weight: Any) -> Data:
        """The blocks of data that `_checked_data` has let through."""
        if isinstance(X, Problem):
            y = sample_weight = None  # it has them
        elif isinstance(sample_weight, Real):
            sample_weight = np.full(X.shape[0], sample_weight)
        data = Data.of(watch, X, y, sample_weight)
        if not any(shape.n for shape in data.shapes):
            raise ValueError("X has 0 rows; at least one example is needed")
        if not self._total(data) > 0:
            raise ValueError("sample_weight is zero for all examples; at least one must count")
        return data

    def _total(self, data: Data) -> float:
        """The examples, counted with their weights."""
        return sum(shape.total for shape in data.shapes)

    def _solved(
        self, data: Data, loss: LossRow, offsets: tuple[Any, ...] = (), **more: Any
    ) -> tuple[Model, Result]:
        given: Any = _Examples(self._total(data))
        examples, chosen = self._chosen(given, loss, **more)
        how = self.parts, self.balance, True, self._on_pass(), offsets
        try:
            agreed, result = data.solved(chosen.choices, examples.bias, *how)
        except ChoiceError as error:
            raise own_words(error, self._solvers) from None
        model = agreed.model(result)
        self._training_ = model.loss, model.parameter
        self.n_features_in_ = model.n_features
        if model.feature_names is not None:
            self.__dict__["feature_names_in_"] = np.array(model.feature_names, dtype=object)
        return model, result

    def _predicted(self, name: str, X: Any, dtype: Any, columns: int) -> Any:
        """A method's findings for the rows of a dask collection."""
        check_is_fitted(self)
        names, fitted = names_of(X), getattr(self, "feature_names_in_", None)
        if names is not None and fitted is not None and names.tolist() != fitted.tolist():
            raise ValueError("X has other columns than the fit had, or in another order")
        alone = self._here(self.loss)  # type: ignore[attr-defined]
        for own in ("classes_", "coef_", "intercept_", "n_features_in_"):
            if hasattr(self, own):
                setattr(alone, own, getattr(self, own))
        return mapped(getattr(alone, name), X, dtype, columns)

    def _scored(self, X: Any, y: Any, sample_weight: Any) -> float:
        """The accuracy of labels, or R² of numbers, on a collection X with y, both weighed."""
        measure = accuracy_score if is_classifier(self) else r2_score
        predicted = computed(self.predict(X))  # type: ignore[attr-defined]
        return float(measure(computed(y), predicted, sample_weight=computed(sample_weight)))


def _kind_of_scores(X: Any) -> Any:
    """The type of scores of a collection: that of float32 arrays is kept."""
    return np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64


@dataclass(eq=False, repr=False, kw_only=True)
class LinearClassifier(OverWorkers, general.LinearClassifier):
    """`rrmlinear.LinearClassifier` over the workers of a Dask cluster: the same problem, parameters
    and attributes.

    X and y may be dask arrays or dataframes, files by their paths, futures, or arrays, as
    `rrmlinear.dask.fit` takes them. On dask arrays and dataframes, predictions are dask's too.
    An intercept without a penalty, the default, needs a smooth loss, or the squared norm or the
    elastic net; "regularized" goes with all.

    Parameters
    ----------
    client : distributed.Client, default=None
        None is the client that was made last. A copy by `sklearn.base.clone` has the same one. A
        pickle has none.
    parts : int, default=None
        Parts of the examples, one for each thread of the cluster if None.
    balance : bool, default=False
        Let slow workers make fewer passes than quick ones; bits then differ from run to run.
    wait_limit : float, default=600
        Seconds that a wait for workers may take.
    loss, slope, class_weight, regularizer, C, alpha, l1, l1_ratio, radius, groups, lower, upper, \
    unpenalized, limit, smoothing, solver_options, tol, max_iter, fit_intercept, \
    intercept_scaling, random_state, callback, verbose
        As in `rrmlinear.LinearClassifier`. ``max_iter`` counts rounds. ``solver``, ``n_jobs`` and
        ``warm_start`` have their defaults alone, and ``budget`` is None.

    Attributes
    ----------
    coef_, intercept_, classes_, objective_, duality_gap_, n_iter_, status_, trace_, \
    n_features_in_, feature_names_in_
        As in `rrmlinear.LinearClassifier`; ``n_iter_`` counts rounds.
    dual_coef_ : None
        Duals stay with the parts.
    """

    _here = general.LinearClassifier

    def _fit_checked(self, X: Any, y: Any, sample_weight: Any) -> Result:
        watch, names, dtype = self._watch(), None, np.dtype(np.float64)
        if isinstance(X, Problem):
            y = None
        elif is_collection(y):
            y, names = coded(watch, y)
            dtype = np.dtype(y.dtype)
        elif y is not None:
            y = column_or_1d(y)
            names = classes_of(y)
            check_several_classes(self, names)
            y = np.searchsorted(names, y)
        data = self._data(watch, X, y, sample_weight)
        if words := next((each.names[1] for each in data.shapes if each.n), None):
            names = np.array(["", *words])  # numbered from 1
        labels, sums = classes_of_shapes(data.shapes)
        order = np.argsort(labels)
        numbers = labels[order]
        classes: NDArray[Any] = numbers.astype(dtype) if names is None else names[numbers]
        places = np.arange(len(classes))
        factors = class_factors(self.class_weight, classes, places, sums[order])
        costs = {} if factors is None else dict(zip(numbers.tolist(), factors, strict=True))
        model, result = self._solved(data, self._loss(len(classes)), class_weights=costs)
        by_place = replace(model, labels=np.searchsorted(numbers, model.labels))
        self._set_solution(by_place, result, classes)
        return result

    def decision_function(self, X: Any) -> Any:
        """Scores of shape (n_samples, n_classes); for two classes (n_samples,), score 1 − score 0.

        A dask array, or a series, where X is dask's.
        """
        if not is_collection(X):
            return super().decision_function(X)
        check_is_fitted(self)
        columns = 1 if len(self.classes_) == 2 else len(self.classes_)
        return self._predicted("decision_function", X, _kind_of_scores(X), columns)

    def predict(self, X: Any) -> Any:
        """The label with the largest score for each row of X; ties go to the first class."""
        if not is_collection(X):
            return super().predict(X)
        check_is_fitted(self)
        return self._predicted("predict", X, self.classes_.dtype, 1)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The accuracy of labels on X with y, both weighed."""
        if not is_collection(X):
            return super().score(X, y, sample_weight)
        return self._scored(X, y, sample_weight)

    @available_if(links_scores)
    def predict_proba(self, X: Any) -> Any:
        """Probabilities of shape (n_samples, n_classes), of the losses that have them."""
        if not is_collection(X):
            return super().predict_proba(X)
        check_is_fitted(self)
        return self._predicted("predict_proba", X, _kind_of_scores(X), len(self.classes_))


@dataclass(eq=False, repr=False, kw_only=True)
class LinearRegressor(OverWorkers, general.LinearRegressor):
    """`rrmlinear.LinearRegressor` over the workers of a Dask cluster: the same problem, parameters
    and attributes, with those of `rrmlinear.dask.LinearClassifier` for workers.
    """

    _here = general.LinearRegressor

    def _fit_checked(self, X: Any, y: Any, sample_weight: Any, offset: Any = None) -> Result:
        data = self._data(self._watch(), X, y, sample_weight)
        offsets = offsets_of(data.watch.computed, X, *(offset or (None, None)))
        model, result = self._solved(data, self._loss(0), offsets)
        self._set_weights(model, model.weights.T)
        self.coef_ = self.coef_[0]
        self.intercept_ = self._single_intercept(float(self.intercept_[0]))
        self.dual_coef_ = result.duals
        return result

    def _offsets(self, offset: Any, exposure: Any, y: Any) -> Any:
        return offset, exposure

    def predict(self, X: Any, *, offset: Any = None, exposure: Any = None) -> Any:
        """Predicted numbers, of shape (n_samples,); those of collections are without an offset."""
        if not is_collection(X):
            return super().predict(X, offset=offset, exposure=exposure)
        if offset is not None or exposure is not None:
            raise ValueError(
                "predictions of collections take no offset and no exposure: means e^a are those of "
                "an exposure of 1, to be multiplied"
            )
        return self._predicted("predict", X, _kind_of_scores(X), 1)

    def score(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        offset: Any = None,
        exposure: Any = None,
    ) -> float:
        """As `rrmlinear.LinearRegressor.score`."""
        if not is_collection(X):
            return super().score(X, y, sample_weight, offset=offset, exposure=exposure)
        row, (offset, exposure) = self._loss(0), offsets_of(computed, X, offset, exposure)
        if row.link is None and offset is None is exposure:
            return self._scored(X, y, sample_weight)
        found = row.scores(np.asarray(computed(self.predict(X)), dtype=np.float64))
        given = {"offset": offset, "exposure": exposure}
        return self._explained_by(found, computed(y), computed(sample_weight), **given)
