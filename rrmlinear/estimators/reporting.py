"""Pages about the fits of linear estimators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import is_outlier_detector
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from rrmlinear.data.labels import log_exposure
from rrmlinear.data.problem import Problem
from rrmlinear.estimators.scores import labelled, matrix_of, problem_of
from rrmlinear.exports.summary import Summary, summary_of
from rrmlinear.pages.facts import DataFacts, facts_of
from rrmlinear.pages.run import Predictions, Run, Table
from rrmlinear.pages.run_pages import write_run
from rrmlinear.pages.words import title
from rrmlinear.training.stored import check_names


class Described:
    """A `Certified` estimator of rows whose page shows data and certificate, and no weights."""

    _write_page: Callable[..., None]

    def report(
        self,
        path: str | PathLike[str],
        X: Any = None,
        y: Any = None,
        X_test: Any = None,
        y_test: Any = None,
        *,
        static: bool = False,
    ) -> None:
        """Write a page about the last fit, one HTML file that needs no network.

        It has the problem and the certificate with its trace; where X and y, the training data,
        or a container are given, facts of the data too. It says how well the fit predicts these
        data and the test data. A ``static`` page has no script, and SVG for pictures. Raises
        NotFittedError before a fit, ImportError without the packages of the extra ``report``,
        ValueError for data that do not fit.
        """
        check_is_fitted(self)
        told = self._measured(X, y, X_test, y_test)
        self._write_page(path, None if X is None else self._facts(X, y), told, static)

    def _measured(self, *data: Any) -> list[Predictions]:
        return measured(self, *data)

    def _facts(self, X: Any, y: Any) -> DataFacts:
        X, y, _ = labelled(X, y)
        if not isinstance(X, Problem):
            X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        if is_outlier_detector(self):  # without labels
            n = X.n_examples if isinstance(X, Problem) else X.shape[0]
            facts = facts_of(problem_of(X, np.zeros(n), None), as_numbers=True)
            return replace(facts, numbers=None)
        return labelled_facts(X, y, getattr(self, "classes_", None))


def labelled_facts(X: Any, y: Any, classes: NDArray[Any] | None) -> DataFacts:
    """Facts of rows with labels: of ``classes``, or the first target where there are none."""
    if classes is None:
        first = np.asarray(y).reshape(len(y), -1)[:, 0]
        return facts_of(problem_of(X, first, None), as_numbers=True)
    index = np.searchsorted(classes, y)
    facts = facts_of(problem_of(X, index, None), as_numbers=False)
    assert facts.labels is not None
    return replace(facts, labels=classes[facts.labels])


def measured(
    estimator: Any, X: Any, y: Any, X_test: Any = None, y_test: Any = None
) -> list[Predictions]:
    """Predictions of the training data and of test data, for those that are given."""
    found: list[Predictions] = []
    for name, each, true in (("training data", X, y), ("test data", X_test, y_test)):
        data, true, _ = labelled(each, true)
        if data is None and true is None:
            continue
        if data is None or (true is None and not is_outlier_detector(estimator)):
            raise ValueError(f"X and y of the {name} are given together, or neither")
        if getattr(estimator, "_had_offset", False) and getattr(data, "offset", None) is None:
            raise ValueError(f"the fit had offsets, and the {name} have none; a Problem has them")
        predicted, classes = estimator.predict(data), getattr(estimator, "classes_", None)
        scores = None
        if hasattr(estimator, "decision_function"):
            scores = estimator.decision_function(data)
            if scores.ndim == 2 and (classes is None or scores.shape[1] != len(classes)):
                scores = None  # of pairs of classes
        true = None if true is None or is_outlier_detector(estimator) else np.asarray(true)
        if classes is None and true is not None and true.ndim < predicted.ndim:  # of one number
            columns = estimator._columns(predicted.shape[1])
            for column, each in zip(columns, predicted.T, strict=True):
                found.append(Predictions(f"{name}, {column}", each, true))
            continue
        found.append(Predictions(name, predicted, true, classes, scores))
    return found


class Reported:
    """A `Certified` linear estimator whose page shows all; a fit sets ``coef_``, and the loss and
    the choices of its training.
    """

    _training_: Any
    #: The choices of all targets, where there are several, and the scales of their objectives.
    _trainings_: Sequence[Any] = ()
    _proof_: Any
    _dual_counts: Callable[[], Any]
    _checked_rows: Any
    coef_: Any

    def report(
        self,
        path: str | PathLike[str],
        X: Any = None,
        y: Any = None,
        X_test: Any = None,
        y_test: Any = None,
        *,
        feature_names: Sequence[str] | None = None,
        static: bool = False,
    ) -> None:
        """Write a page about the last fit, one HTML file that needs no network.

        It has the problem, the certificate with its trace, and the largest weights. Where X and
        y, the training data, or a container are given, it has facts of the data too. It says how
        well the fit predicts these data, and ``X_test`` with ``y_test``. ``feature_names`` are by
        default those of the data frame that `fit` took. A ``static`` page has no script: its
        pictures are SVG, and it has at most some 300 kB in place of 5 MB.

        Raises NotFittedError before a fit, ImportError without the packages of the extra
        ``report``, ValueError for data or names that do not fit.
        """
        check_is_fitted(self)
        of_data = X is not None or X_test is not None
        if getattr(self, "_label_form", "") and (of_data or not self._trainings_):
            raise ValueError(
                "a page tells of numbers, or of one label a row, not of a label matrix"
            )
        told = measured(self, X, y, X_test, y_test)
        self._write_run(path, told, *labelled(X, y)[:2], feature_names, static)

    def _write_run(
        self,
        path: str | PathLike[str],
        told: Sequence[Predictions],
        X: Any,
        y: Any,
        feature_names: Sequence[str] | None,
        static: bool,
        *groups: Any,
    ) -> None:
        """Write the page of what is told of data, and of the training data in ``groups``."""
        coef: Any = self.coef_
        weights = np.atleast_2d(coef.toarray() if issparse(coef) else coef).T
        names = getattr(self, "feature_names_in_", None) if feature_names is None else feature_names
        check_names(names, len(weights))
        (loss, choices), proof = self._training_, self._proof_
        n_classes = len(getattr(self, "classes_", ()))
        run = Run(
            title(loss, choices, n_classes),
            repr(self),
            loss,
            choices,
            weights,
            self._columns(len(weights.T)),
            proof.result,
            proof.scale,
            self._dual_counts(),
            None if X is None else self._facts(X, y, *groups),
            names,
            tables=self._tables(),
            pictures=self._pictures(),
            measured=told,
            static=static,
            each=self._trainings_,
            n_classes=n_classes,
        )
        write_run(run, path)

    def summary(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        level: float = 0.95,
        offset: Any = None,
        exposure: Any = None,
    ) -> Summary:
        """Weights with standard errors, z or t, p values and intervals of this ``level``.

        X, y and all others are the training data. The errors of the logistic, softmax, Poisson,
        binomial and squared losses are those of maximum likelihood: the inverse of the second
        derivatives at the weights, times the variance of the residuals for the squared loss;
        weights of examples count as repetitions. Other smooth losses have the sandwich of first and
        second derivatives. With a penalty the second derivatives are those of the whole objective,
        and the summary is marked as conditional; weights that a 1-norm made 0 have no error. Of
        several classes with a softmax the rows are differences to the first class. A smaller
        ``tol`` gives more digits.
        Raises NotFittedError before a fit, and ValueError for losses with kinks, other
        regularizers, bounds, several targets, and data that do not fit.
        """
        from rrmlinear.exports.summary_setting import setting_of

        check_is_fitted(self)
        if hasattr(self, "_tried_"):
            raise ValueError("a search has no summary: fit the class without CV on what it chose")
        X, y, sample_weight = labelled(X, y, sample_weight)
        known = log_exposure(offset, exposure, len(y))
        known = X.offset if known is None and isinstance(X, Problem) else known
        classes = getattr(self, "classes_", None)
        if classes is not None if known is not None else getattr(self, "_had_offset", False):
            raise ValueError("give the offset or exposure of the fit; labels have none")
        X = matrix_of(self, self._checked_rows(X))
        of_one = np.ndim(self.coef_) == (1 if classes is None else 2)
        if getattr(self, "_label_form", "") or not of_one:
            raise ValueError("a summary is of one target, or of one label a row")
        y = column_or_1d(y, dtype=None if classes is not None else np.float64)
        check_consistent_length(X, y)
        if classes is not None and not np.array_equal(np.unique(y), classes):
            raise ValueError(f"y must have the classes of the fit, {classes.tolist()}")
        prepared = self._prepared(X, y, sample_weight)[:2]  # type: ignore[attr-defined]
        return summary_of(setting_of(self, X, y, prepared, known), level)

    def _tables(self) -> list[Table]:
        """Tables of what was tried before the fit."""
        return []

    def _pictures(self) -> list[Any]:
        """Pictures of what was tried before the fit."""
        return []

    def _columns(self, n_scores: int) -> list[str]:
        classes = getattr(self, "classes_", None)
        if classes is None:
            return ["prediction"]
        if n_scores == 1:
            return [f"label {classes[1]} against {classes[0]}"]
        return [f"label {label}" for label in classes]

    def _facts(self, X: Any, y: Any) -> DataFacts:
        X = self._checked_rows(X)
        return labelled_facts(X, y, getattr(self, "classes_", None))
