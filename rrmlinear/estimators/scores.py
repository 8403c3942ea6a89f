"""Scores of arrays, and of containers: their rows are mapped, and their labels are inside."""

from __future__ import annotations

import os
from collections.abc import Mapping
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.base import is_classifier, is_outlier_detector
from sklearn.utils import Tags
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import _num_samples, check_array, check_is_fitted, validate_data

from rrmlinear.catalog.choices import CHOICES
from rrmlinear.catalog.errors import nearest
from rrmlinear.core.loading import named
from rrmlinear.core.machine import available_memory
from rrmlinear.data.array_rows import check_complete, check_no_text, check_unmasked, float64_of
from rrmlinear.data.problem import Problem
from rrmlinear.data.products import product
from rrmlinear.data.rows import Rows
from rrmlinear.estimators.arguments import (
    RANGES,
    are_plain,
    is_matrix,
    is_plain,
    seed_of,
    thread_count,
)
from rrmlinear.exports.scorer import CLASSES, INLIERS, LABELS, NUMBERS, Scorer
from rrmlinear.training.streaming import MEMORY_SHARE


def opened(X: Any) -> Problem | None:
    """The examples of a file that has labels in itself, given by its path or as an open `Problem`;
    None for arrays.

    A container is verified as the commands do. Raises ValueError for a damaged file, OSError as
    `open` does.
    """
    if isinstance(X, Problem):
        return X.with_bias(-1.0)
    if not isinstance(X, (str, os.PathLike)):
        return None
    return Problem.open(X, verify=True)


def labelled(X: Any, y: Any, sample_weight: Any = None) -> tuple[Any, Any, Any]:
    """X, y and the weights: of a container the `Problem` and what is in it, of arrays as given.

    Raises ValueError for labels or weights given with a container, for masked entries, and for
    numbers in text; TypeError for a sparse y.
    """
    problem = opened(X)
    if problem is None:
        X = legible(X, y, sample_weight)
        if issparse(y):
            raise TypeError("y is sparse; it must be dense: give y.toarray()")
        if isinstance(sample_weight, Real) or getattr(sample_weight, "shape", None) == ():  # of all
            sample_weight = np.full(_num_samples(X), sample_weight)
        return X, y, sample_weight
    for name, given in (("y", y), ("sample_weight", sample_weight)):
        if given is not None:
            raise ValueError(
                f"{name} must be None: X is a container, which has labels and weights of its own"
            )
    if problem.label_names is None:
        return problem, problem.labels, problem.weights
    words = np.array(problem.label_names)[problem.labels.astype(np.int64) - 1]
    return problem, words, problem.weights


def legible(X: Any, y: Any = None, sample_weight: Any = None) -> Any:
    """X, a pyarrow RecordBatch as a Table: scikit-learn loses the names of its columns, silently.

    Raises ValueError for what its checks would take: masked entries, numbers in text, and objects
    in y that are missing.
    """
    check_unmasked(X, "X must hold numbers")
    check_unmasked(y, "y must hold labels or numbers")
    check_complete(y)
    check_unmasked(sample_weight, "sample_weight must hold numbers")
    check_no_text(X, "X must hold numbers")
    check_no_text(sample_weight, "sample_weight must hold numbers")
    if type(X).__name__ != "RecordBatch" or not type(X).__module__.startswith("pyarrow."):
        return X
    import pyarrow

    return pyarrow.Table.from_batches([X])


def matrix_of(estimator: Any, X: Any) -> Any:
    """X, but a container's rows as a CSR matrix over its maps. ValueError for one that is large."""
    if not isinstance(X, Problem):
        return X
    available, size = available_memory(), X.rows.n_bytes
    if available is not None and size > MEMORY_SHARE * available:
        raise ValueError(
            f"{type(estimator).__name__} takes all examples at once, and those of X have "
            f"{size / 1e6:.3g} MB, more than {MEMORY_SHARE:g} of the available memory; "
            "LinearClassifier and LinearRegressor stream them"
        )
    return X.to_scipy()


def checked_in_memory(
    estimator: Any, X: Any, y: Any = None, sample_weight: Any = None, reset: Any = True, **how: Any
) -> Any:
    """`labelled`, `matrix_of` and scikit-learn's checks. The names of a file's features are set, or
    without ``reset`` its columns are those of the fit by their names.
    """
    X, y, sample_weight = labelled(X, y, sample_weight)
    names = X.feature_names if isinstance(X, Problem) else None
    if names is not None and not reset and hasattr(estimator, "feature_names_in_"):
        X = named("data.formats.opening:by_model")(X, estimator.feature_names_in_.tolist(), "X")
        return check_array(matrix_of(estimator, X), **how), y, sample_weight
    X = matrix_of(estimator, X)
    if not reset:
        return validate_data(estimator, X, reset=False, **how), y, sample_weight
    X, y = validate_data(estimator, X, y, **how)
    if names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    return X, y, sample_weight


def problem_of(
    X: Any, y: Any, sample_weight: Any, any_order: bool = False, is_checked: bool = False
) -> Problem:
    """The problem of these labels, over arrays or over the rows of a container.

    ``any_order`` is that of `Problem.from_arrays`. With ``is_checked`` X has passed
    `LinearScores._checked_data`: its values are finite unless scikit-learn is told to assume so.
    """
    if not isinstance(X, Problem):
        known = is_checked and not get_config()["assume_finite"]
        if known and sample_weight is None and is_matrix(X, "C"):
            return Problem(Rows(X, None, None, X.shape[1]), np.ascontiguousarray(y, np.float64))
        return Problem.from_arrays(X, y, sample_weight, any_order=any_order, is_finite=known)
    return X.relabelled(y, X.weights if sample_weight is None else sample_weight)


class Scored:
    """``score`` for containers too, before scikit-learn's own."""

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The accuracy of labels, or R² of numbers, on X with y, both weighed.

        A container has y and the weights in itself.
        """
        return float(super().score(*labelled(X, y, sample_weight)))  # type: ignore[misc]


class LinearScores:
    """Scores X w + intercept, from weights that a solver found; for a `Certified` estimator."""

    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = RANGES

    #: Whether a fit takes the rows of a container as arrays, all at once.
    _fits_in_memory: ClassVar[bool] = False
    #: The least precision of scores.
    _precision: ClassVar[Any] = np.float32

    tol: float
    max_iter: int
    n_jobs: int | None
    coef_: Any
    intercept_: Any

    def _checked_data(self, X: Any, y: Any, sample_weight: Any = None, **how: Any) -> Any:
        """X, y and weights for `problem_of`; the numbers and names of the features are set."""
        order, is_numeric = None if self._takes_any_order() else "C", how.get("y_numeric")
        is_known = are_plain(X, y, order)
        if is_known and sample_weight is None:
            self._set_features(X)
            return X, y.astype(np.float64, copy=False) if is_numeric else y, None
        X, y, sample_weight = labelled(X, y, sample_weight)
        if isinstance(X, Problem):
            rows = self._checked_rows(X, reset=True)
            return matrix_of(self, rows) if self._fits_in_memory else rows, y, sample_weight
        if is_numeric:
            check_no_text(y, "y must hold numbers")
        if is_known:
            self._set_features(X)
        else:
            dtypes = [np.float64, np.float32]
            how |= {"accept_sparse": "csr", "dtype": dtypes, "order": order}
            if hasattr(X, "tocsr"):  # `problem_of` checks its numbers along with its indices
                how["ensure_all_finite"] = False
            X, y = validate_data(self, X, y, **how)
        if is_numeric:  # of text, scikit-learn converts that in arrays of objects alone
            y = float64_of(y, f"y must be {len(y)} numbers")
        return X, y, sample_weight

    def _set_features(self, X: Any) -> None:
        """Set the number of the features of an array, which have no names."""
        self.n_features_in_ = X.shape[1]
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _takes_any_order(self) -> bool:
        """Whether the solver chosen reads a dense X in F-order as well as in C-order."""
        return False

    def _checked_rows(self, X: Any, reset: bool = False) -> Any:
        """X, or the `Problem` of a container, of as many features as the fit had, or with ``reset``
        to be fitted.
        """
        X = labelled(X, None)[0]
        if not isinstance(X, Problem):
            dtypes, order = [np.float64, np.float32], "C" if reset else None
            if is_plain(X, order):
                if reset:
                    self._set_features(X)
                    return X
                if X.shape[1] == self.n_features_in_ and not hasattr(self, "feature_names_in_"):
                    return X
            return validate_data(
                self, X, accept_sparse="csr", dtype=dtypes, order=order, reset=reset
            )
        if X.feature_names is not None and reset:
            self._set_features(X.rows)
            self.feature_names_in_ = np.array(X.feature_names, dtype=object)
            return X
        if X.feature_names is not None and hasattr(self, "feature_names_in_"):
            return named("data.formats.opening:by_model")(X, self.feature_names_in_.tolist(), "X")
        shape = np.broadcast_to(0.0, X.rows.shape)
        validate_data(self, shape, reset=reset, skip_check_array=True)
        return X

    def _rules(self) -> dict[str, Any]:
        """Choices of every Parameter on stopping and the run."""
        options = getattr(self, "solver_options", None) or {}
        for name in options:
            if name not in CHOICES:
                known = f"{nearest(name, CHOICES)}; a Parameter has {', '.join(CHOICES)}"
                raise ValueError(f"solver_options has {name!r}{known}")
        return {
            "gap_tol": float(self.tol),
            "max_passes": int(type(self).max_iter if self.max_iter is None else self.max_iter),
            "seed": seed_of(getattr(self, "random_state", None)),
            "threads": thread_count(self.n_jobs),
            **options,
        }

    def _scores(self, X: Any) -> NDArray[np.floating[Any]]:
        """X w + intercept, n × m; for float32 X in float32, or the precision of the class."""
        check_is_fitted(self)
        X = self._checked_rows(X)
        coef: Any = self.coef_ if issparse(self.coef_) else np.atleast_2d(self.coef_)
        if isinstance(X, Problem):
            rows = X.in_blocks().rows
            weights = (coef.toarray() if issparse(coef) else coef).T
            products = product(rows, weights, X.n_features)
            if rows.blocks is not None:
                rows.blocks.release()
            return products + np.asarray(self.intercept_)
        dtype = np.promote_types(X.dtype, self._precision)
        scores = safe_sparse_dot(X, coef.T.astype(dtype, copy=False), dense_output=True)
        return scores + np.asarray(self.intercept_, dtype=dtype)

    def _scorer(self: Any) -> Scorer:
        check_is_fitted(self)
        coef: Any = self.coef_ if issparse(self.coef_) else np.atleast_2d(self.coef_)
        intercepts = np.broadcast_to(np.ravel(self.intercept_), coef.shape[:1]).astype(np.float64)
        names = getattr(self, "feature_names_in_", None)
        if is_outlier_detector(self):
            return Scorer(coef, intercepts, INLIERS, names=names)
        if not is_classifier(self):
            loss = getattr(self, "_loss", None)
            link = loss(0).link if callable(loss) else None  # of counts and costs
            return Scorer(coef, intercepts, NUMBERS, link=link, names=names)
        matrix = bool(getattr(self, "_label_form", ""))
        link = self._loss(2 if matrix else len(self.classes_)).link
        meaning = LABELS if matrix else CLASSES
        return Scorer(coef, intercepts, meaning, self.classes_, link=link, names=names)

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = True
        return tags
