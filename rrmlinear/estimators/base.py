"""The base of the estimators: data in, weights and certificate out."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from rrmlinear.data.problem import Problem
from rrmlinear.estimators.arguments import check_count, check_positive, seed_of, thread_count
from rrmlinear.estimators.duals import solver_duals, sorted_duals
from rrmlinear.solvers.loop.result import OnPass, Result, Status, TraceRow
from rrmlinear.training.model import Model


class Certified(BaseEstimator):
    """The certificate of a solver, as attributes.

    A subclass has the parameter verbose and perhaps callback.
    """

    def _on_pass(self) -> OnPass | None:
        callback = getattr(self, "callback", None)
        if self.verbose < 2 and callback is None:
            return None

        def see(row: TraceRow) -> bool:
            if self.verbose >= 2:
                print(f"[{type(self).__name__}] {line_of(row)}")
            return callback is not None and callback(row) is True

        return see

    def _set_certificate(self, result: Result) -> None:
        """Set the certificate's attributes; warns the caller of fit, who called this."""
        self.duality_gap_ = result.gap
        self.n_iter_ = result.passes
        self.status_ = result.status
        self.trace_ = result.trace
        if self.verbose:
            print(f"[{type(self).__name__}] {result.status.value}: {line_of(result.last)}")
            for note in result.notes:
                print(f"[{type(self).__name__}] {note}")
        if result.status not in (Status.SOLVED, Status.BOUNDED, Status.STOPPED_BY_CALLER):
            warnings.warn(result.shortfall(), ConvergenceWarning, stacklevel=3)


class LinearEstimator(Certified):
    """Scores X w + intercept, from weights that a solver found and proved.

    A subclass has the parameters tol, max_passes, fit_intercept, intercept_scaling, n_threads,
    verbose and perhaps random_state and callback.
    """

    def _checked_data(self, X: Any, y: Any, **how: Any) -> tuple[Any, Any]:
        return validate_data(
            self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", **how
        )

    def _rules(self) -> dict[str, Any]:
        """Choices of every Parameter; raises ValueError for those out of range."""
        for name in ("tol", "intercept_scaling"):
            check_positive(name, getattr(self, name))
        check_count("max_passes", self.max_passes)
        return {
            "gap_tol": float(self.tol),
            "max_passes": int(self.max_passes),
            "seed": seed_of(getattr(self, "random_state", None)),
            "threads": thread_count(self.n_threads),
        }

    def _problem(self, X: Any, labels: Any, sample_weight: Any) -> Problem:
        bias = float(self.intercept_scaling) if self.fit_intercept else -1.0
        return Problem.from_arrays(X, labels, sample_weight, bias=bias)

    def _set_weights(self, model: Model, weights: NDArray[np.float64]) -> None:
        """``weights``: a row for each score, the appended column last if there is one."""
        self.coef_ = np.ascontiguousarray(weights[:, : model.n_features])
        self.intercept_ = (
            weights[:, -1] * model.bias if self.fit_intercept else np.zeros(len(weights))
        )

    def _scores(self, X: Any) -> NDArray[np.floating[Any]]:
        """X w + intercept, n × m; for float32 X the products are taken in float32."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        weights = np.atleast_2d(self.coef_).T.astype(X.dtype, copy=False)
        return safe_sparse_dot(X, weights, dense_output=True) + self.intercept_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class LinearClassifier(ClassifierMixin, LinearEstimator):
    """The class of x is the one with the largest score."""

    def _classes_of(self, y: Any) -> tuple[NDArray[Any], NDArray[np.intp]]:
        """The classes, sorted, and the place of each label among them."""
        check_classification_targets(y)
        classes, index = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(
                f"{type(self).__name__} needs samples of at least 2 classes in the data, but the "
                f"data contains only one class: {classes[0]!r}"
            )
        return classes, index

    def _duals_of_last_fit(
        self, classes: NDArray[Any], index: NDArray[np.intp], in_blocks: bool
    ) -> Any:
        """The duals of the last fit for a new one, or None where they do not fit it."""
        duals = getattr(self, "dual_coef_", None)
        if duals is None or not np.array_equal(self.classes_, classes):
            return None
        fits = len(index) == duals.shape[0] and in_blocks == (not isinstance(duals, np.ndarray))
        return solver_duals(duals, index) if fits else None

    def _set_solution(self, model: Model, result: Result, classes: NDArray[Any]) -> None:
        """Set classes, weights and duals, classes in sorted order."""
        rows = model.weights.T
        if len(rows) == 1:
            rows = rows if model.labels[0] == 1 else -rows
        else:
            rows = rows[np.argsort(model.labels)]
            rows = rows[1:] - rows[:1] if len(classes) == 2 else rows
        self.classes_ = classes
        self._set_weights(model, rows)
        self.dual_coef_ = sorted_duals(result.duals, model.labels)

    def decision_function(self, X: Any) -> NDArray[np.floating[Any]]:
        """Scores of shape (n_samples, n_classes); for two classes (n_samples,), score 1 − score 0.

        For float32 X the products are taken in float32.
        """
        scores = self._scores(X)
        return scores.ravel() if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The label with the largest score for each row of X; ties go to the first class."""
        scores = self.decision_function(X)
        best = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[best]


def with_weights(problem: Problem, factors: NDArray[np.float64] | None) -> Problem:
    """The problem with its weights times ``factors``; ValueError where none is left."""
    if factors is not None:
        weights = factors if problem.weights is None else factors * problem.weights
        problem = replace(problem, weights=weights)
    if problem.weights is not None and not problem.weights.any():
        raise ValueError(
            "the weights (sample_weight times class_weight) are zero for all examples; at "
            "least one must count"
        )
    return problem


def line_of(row: TraceRow) -> str:
    """A pass in one line."""
    return (
        f"pass {row.number}, {row.seconds:.3f} s, primal {row.primal:.8g}, dual {row.dual:.8g}, "
        f"relative gap {row.relative_gap:.3g}"
    )
