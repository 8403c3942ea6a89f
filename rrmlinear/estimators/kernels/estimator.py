"""The base of estimators of functions of kernels: a linear model of features, or duals by pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from rrmlinear.catalog.losses import LOSSES
from rrmlinear.core.plain_state import PlainState
from rrmlinear.estimators.arguments import COUNT, optional, without_repeats
from rrmlinear.estimators.base import Certified
from rrmlinear.estimators.general import AnyObjective
from rrmlinear.estimators.kernels.features import KernelFeatures, KernelPoints, checked_kernels
from rrmlinear.estimators.kernels.pairs import PAIR_LOSSES, NotSemidefiniteError
from rrmlinear.estimators.objective import unknown_name
from rrmlinear.estimators.reporting import Described
from rrmlinear.estimators.scores import checked_in_memory
from rrmlinear.exports.bases import KernelBasis
from rrmlinear.exports.exported import Exported, Saved
from rrmlinear.exports.scorer import CLASSES, NUMBERS, Scorer
from rrmlinear.solvers.dual.pairs.pair_ascent import SlowAscentError

Array = NDArray[np.float64]

# Regularizers of the features' weights by their names as functions of g.
REGULARIZERS = ("l2", "l2-norm", "squared-group-norm")
SOLVERS = ("auto", "pdprox-dual", "pdprox-primal")
#: Parameters of every linear estimator.
SHARED = (
    *("loss", "C", "alpha", "smoothing", "tol", "max_iter", "fit_intercept"),
    *("budget", "n_jobs", "callback", "verbose"),
)


@dataclass(eq=False, repr=False)
class KernelEstimator(Described, Exported, Saved, PlainState, Certified):
    """Functions g + b of kernels, found as a linear model of their features.

    ``_linear_class`` is the linear estimator, and ``_numbers`` the parameters that it shares with a
    subclass. ``_pairs`` is the estimator for one kernel with the squared norm, where the loss
    admits it: it needs no features.
    """

    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = {
        **AnyObjective._parameter_constraints,
        "n_components": optional(COUNT),
    }
    _linear_class: ClassVar[type]
    _pairs: ClassVar[type]
    _numbers: ClassVar[tuple[str, ...]]

    loss: str
    _: KW_ONLY
    kernel: Any = "rbf"
    kernel_params: Any = None
    n_components: int | None = None
    regularizer: Literal["l2", "l2-norm", "squared-group-norm"] | None = None
    C: float | None = None
    alpha: float | None = None
    smoothing: float | None = None
    budget: float | None = None
    solver: str = "auto"
    tol: float = 1e-4
    max_iter: int = 10_000
    fit_intercept: Any = True
    n_jobs: int | None = None
    random_state: Any = None
    callback: Any = None
    verbose: int = 0

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        self._validate_params()
        kernels = checked_kernels(self.kernel, self.kernel_params)
        if not self._is_for_pairs():  # before the features, most of the work; pairs check by rows
            linear = self._linear(len(kernels), [1] * len(kernels))
            linear.check_choices(np.zeros((len(y), len(kernels))), y, sample_weight)
        points, rows = self._points(X), X
        if self._is_precomputed():
            points, rows = X[self.indices_][:, self.indices_], X[:, self.indices_]
        if self._is_for_pairs():
            try:
                self._fit_by_pairs(KernelPoints(*kernels[0], points), X, y, sample_weight)
                return
            except NotSemidefiniteError:  # its features say how far, or leave the rounding out
                pass
            except SlowAscentError:
                pass
        features = [KernelFeatures(kernel, given, points) for kernel, given in kernels]
        self.features_: list[KernelPoints] = [*features]
        parts = [each.of(rows) for each in features]
        sizes = [part.shape[1] for part in parts]
        estimator = self._linear(len(kernels), sizes)
        estimator._speaker = type(self).__name__
        scales = np.ones(sum(sizes))
        if estimator.get_params().get("regularizer") == "squared-group-norm":
            # its norm of group k has the factor √d_k, d_k counting the weights of all scores
            columns = len(np.unique(y)) if LOSSES[self.loss].kind == "multiclass" else 1
            scales = np.sqrt(np.repeat(sizes, sizes) * float(columns))
        self.linear_ = estimator.fit(np.hstack(parts) * scales, y, sample_weight)
        weights = np.split(np.atleast_2d(estimator.coef_) * scales, np.cumsum(sizes)[:-1], axis=1)
        coefs = [w @ each.basis.T for w, each in zip(weights, features, strict=True)]
        several = isinstance(self.kernel, list | tuple)
        self.dual_coef_ = np.stack(coefs) if several else coefs[0]
        self.norms_ = np.stack([np.linalg.norm(w, axis=1) for w in weights], axis=1)
        self._take_certificate(estimator)

    def _is_for_pairs(self) -> bool:
        """Whether duals are found by pairs: with ½‖g‖² over all examples of one kernel."""
        plain = self.solver == "auto" and self.regularizer in (None, "l2")
        whole = self.n_components is None and self.budget is None
        one = not isinstance(self.kernel, list | tuple)
        return plain and whole and one and self.loss in PAIR_LOSSES and not self.smoothing

    def _fit_by_pairs(self, at: KernelPoints, X: Any, y: Any, sample_weight: Any) -> None:
        choices = {each: getattr(self, each) for each in (*SHARED, *self._numbers)}
        estimator = self._pairs(**choices)
        estimator._speaker, estimator.kernel = type(self).__name__, at
        self.linear_ = estimator.fit(X, y, sample_weight)
        self.features_ = [at]
        self.dual_coef_ = np.atleast_2d(estimator.coef_)
        self.norms_ = estimator.norms()[:, np.newaxis]
        del estimator.kernel_rows  # the matrix is for the fit alone
        self._take_certificate(estimator)

    def _take_certificate(self, estimator: Any) -> None:
        self.intercept_ = estimator.intercept_
        for name in ("objective_", "duality_gap_", "n_iter_", "status_", "trace_"):
            setattr(self, name, getattr(estimator, name))
        self._proof_ = replace(estimator._proof_, duals=estimator._dual_counts(), are_coef=False)

    def _points(self, X: Any) -> Any:
        """The examples, or a sample of them, that functions are sums over."""
        n = X.shape[0]
        if self._is_precomputed() and X.shape[1] != n:
            raise ValueError(
                f"X is {n} × {X.shape[1]}; a precomputed kernel must be a square matrix over the "
                "examples"
            )
        self.indices_ = np.arange(n)
        if self.n_components is not None:
            random = check_random_state(0 if self.random_state is None else self.random_state)
            if self.n_components < n:
                chosen = random.choice(n, int(self.n_components), replace=False)
                self.indices_ = np.sort(chosen)
        self.points_ = X[self.indices_]
        return self.points_

    def _linear(self, n_kernels: int, sizes: list[int]) -> Any:
        name = self.regularizer
        if name is None:
            name = "l2" if n_kernels == 1 else "squared-group-norm"
        if name not in REGULARIZERS:
            raise unknown_name("regularizer", name, REGULARIZERS)
        if self.solver not in SOLVERS:
            raise unknown_name("solver", self.solver, SOLVERS)
        groups = np.repeat(np.arange(n_kernels), sizes) if name == "squared-group-norm" else None
        solver = self.solver
        if solver == "auto" and (name != "l2" or self.budget is not None):
            solver = "pdprox-dual"
        choices = {each: getattr(self, each) for each in (*SHARED, *self._numbers)}
        return self._linear_class(solver=solver, regularizer=name, groups=groups, **choices)

    def _is_precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        how = {"accept_sparse": not self._is_precomputed() and "csr", "dtype": np.float64}
        return without_repeats(checked_in_memory(self, X, reset=False, **how)[0])

    def _rows(self, X: Any) -> Any:
        X = self._checked(X)
        return X[:, self.indices_] if self._is_precomputed() else X

    def _scores(self, X: Any) -> Array:
        rows = self._rows(X)
        coefs = self.dual_coef_ if self.dual_coef_.ndim == 3 else self.dual_coef_[np.newaxis]
        parts = (
            features.sums_at(rows, coef)
            for features, coef in zip(self.features_, coefs, strict=True)
        )
        return sum(parts) + self.intercept_

    def _scorer(self) -> Scorer:
        """Linear in kernels of the points that count, or in the rows of a precomputed kernel."""
        check_is_fitted(self)
        coefs = self.dual_coef_ if self.dual_coef_.ndim == 3 else self.dual_coef_[np.newaxis]
        intercepts = np.broadcast_to(np.ravel(self.intercept_), coefs.shape[1:2])
        names = getattr(self, "feature_names_in_", None)
        bases, weights = [], []
        for at, coef in zip(self.features_, coefs, strict=True):
            used = np.flatnonzero(coef.any(axis=0))
            used = used if len(used) else np.arange(1)
            weights.append(coef[:, used])
            bases.append(KernelBasis(at.kernel, at.parameters, at.points[used]))
        if self._is_precomputed():
            weights = [np.zeros((coefs.shape[1], self.n_features_in_))]
            weights[0][:, self.indices_], bases = coefs[0], []
        whole = Scorer(np.hstack(weights), intercepts, NUMBERS, names=names, bases=bases)
        if not is_classifier(self):
            return whole
        link = self._loss(len(self.classes_)).link  # type: ignore[attr-defined]
        return replace(whole, meaning=CLASSES, classes=self.classes_, link=link)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed()
        tags.input_tags.sparse = not self._is_precomputed()
        return tags
