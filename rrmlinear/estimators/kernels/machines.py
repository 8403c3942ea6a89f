"""Classifier and regressor of any loss over functions of a kernel, or of several."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from rrmlinear.catalog.names import ClassLoss, NumberLoss
from rrmlinear.catalog.rows import LossRow
from rrmlinear.data.array_rows import check_no_text
from rrmlinear.estimators.arguments import check_several_classes, classes_of, without_repeats
from rrmlinear.estimators.classifier import LinkedScores, labels_of
from rrmlinear.estimators.general import LinearClassifier, LinearRegressor
from rrmlinear.estimators.kernels.estimator import KernelEstimator
from rrmlinear.estimators.kernels.pairs import PairClassifier, PairRegressor
from rrmlinear.estimators.objective import CLASSIFYING, find_loss
from rrmlinear.estimators.scores import Scored, checked_in_memory

Array = NDArray[np.float64]


@dataclass(eq=False, repr=False, kw_only=True)
class KernelClassifier(LinkedScores, Scored, ClassifierMixin, KernelEstimator):
    r"""Classifier of any loss over the functions of a kernel, or sums of functions of several.

    Solves, for labels y_i = ±1,

    .. math::
        \min_{g, b} \; R(g) + \sum_i C_i \, \phi(y_i (g(x_i) + b)),

    where :math:`C_i` is ``C`` times the class weight times the sample weight, and g is a function
    of the kernel's space (Σ_k g_k with several kernels). It is solved as a linear problem over
    features whose inner products are the kernel's values. The features are exact, from the
    eigenvectors of the kernel matrix of the n examples, which takes O(n³); or they come from
    ``n_components`` examples, by Nyström's method. With one kernel and ½‖g‖², the hinge and losses
    of a residual without curvature need no features. The solver changes two duals at a time, as in
    LIBSVM, and computes only the rows of the kernel matrix that it needs. It takes features where
    they are faster. With the hinge and a named kernel this is the problem of `sklearn.svm.SVC`,
    each class against the rest. The objective is at most ``duality_gap_`` above its minimum over
    these features.

    Parameters
    ----------
    loss : str, default="hinge"
        As in `LinearClassifier`.
    kernel : str, callable or list of these, default="rbf"
        A name of `sklearn.metrics.pairwise.pairwise_kernels`; a callable that makes the matrix of
        inner products of the rows of two matrices; "precomputed", where X is this matrix of the
        examples. For predictions X is the matrix of the rows to predict with all examples.
    kernel_params : dict, or list of one for each kernel, default=None
        More arguments of the kernel, such as {"gamma": 0.1}.
    n_components : int, default=None
        Number of examples, drawn by ``random_state``, for Nyström's method. None takes all, which
        is exact.
    regularizer : {"l2", "l2-norm", "squared-group-norm"}, default=None
        R: ½‖g‖² (the default with one kernel), ‖g‖, or (Σ_k ‖g_k‖)² (the default with several
        kernels; it leaves some of them out). With several kernels ‖g‖² is Σ ‖g_k‖².
    C, alpha, smoothing, slope, class_weight
        As in `LinearClassifier`; with ``alpha`` λ the objective is (1/n) Σ φ_i + λ R.
    budget : float, default=None
        As in `LinearClassifier`.
    solver : {"auto", "pdprox-dual", "pdprox-primal"}, default="auto"
        "auto": as in `LinearClassifier` with ½‖g‖², else "pdprox-dual". The others are as in
        `LinearClassifier`.
    tol, max_iter, fit_intercept, n_jobs, callback, verbose
        As in `LinearClassifier`: by default the intercept is not regularized.
    random_state : int, RandomState or None, default=None
        Of Nyström's examples; None is 0.

    Attributes
    ----------
    dual_coef_ : array of shape (n_scores, n_points), with a list of kernels one each
        a of g(x) = Σ_z a_z k(x, z), over ``points_``, the examples numbered ``indices_``.
    intercept_ : array of shape (n_scores,)
    norms_ : array of shape (n_scores, n_kernels)
        ‖g_k‖.
    linear_ : LinearClassifier or LinearRegressor
        The model of the features; its ``dual_coef_`` are the duals of the examples. If the solver
        needed no features, its ``coef_`` are the weights a of the examples.
    classes_, duality_gap_, n_iter_, status_, trace_, n_features_in_, feature_names_in_
        As in `LinearClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from rrmlinear import KernelClassifier
    >>> X, y = make_moons(200, noise=0.1, random_state=0)
    >>> model = KernelClassifier(kernel="rbf", kernel_params={"gamma": 2.0}).fit(X, y)
    >>> model.score(X, y) > 0.97
    True
    """

    _linear_class = LinearClassifier
    _pairs = PairClassifier
    _numbers = ("slope", "class_weight")

    loss: ClassLoss = field(default="hinge", kw_only=False)
    slope: float | None = None
    class_weight: Any = None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train on X (n_samples × n_features, or n_samples² precomputed) with labels y, or on a
        container, as `LinearClassifier.fit`, that is read into memory.

        ``sample_weight`` (n_samples, at least 0) multiplies ``C``. Raises ValueError for
        parameters out of range, NaN or infinity, fewer than two classes, and a kernel that is not
        positive semidefinite.
        Warns (NotConvergedWarning, a ConvergenceWarning) where the solver stops before ``tol``.
        """
        how = {"accept_sparse": not self._is_precomputed() and "csr", "dtype": np.float64}
        X, y, sample_weight = checked_in_memory(self, X, y, sample_weight, **how)
        check_several_classes(self, classes_of(y))
        self._fit(without_repeats(X), y, sample_weight)
        self.classes_ = self.linear_.classes_
        return self

    def decision_function(self, X: Any) -> Array:
        """Scores of shape (n_samples, n_classes); for two classes (n_samples,)."""
        scores = self._scores(X)
        return scores.ravel() if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The label with the largest score for each row of X; ties go to the first class."""
        return labels_of(self.decision_function(X), self.classes_)

    def _loss(self, n_classes: int) -> LossRow:
        return find_loss(self.loss, CLASSIFYING)


@dataclass(eq=False, repr=False, kw_only=True)
class KernelRegressor(Scored, RegressorMixin, KernelEstimator):
    r"""Regression of any loss over the functions of a kernel, or sums of functions of several.

    Solves, for residuals r_i = y_i − g(x_i) − b,

    .. math::
        \min_{g, b} \; R(g) + \sum_i C_i \, \phi(r_i),

    where :math:`C_i` is ``C`` times the sample weight, as `KernelClassifier` does. With the
    ε-insensitive loss and a named kernel it is the problem of `sklearn.svm.SVR`.

    Parameters
    ----------
    loss : str, default="epsilon-insensitive"
        As in `LinearRegressor`.
    epsilon, huber, quantile
        As in `LinearRegressor`.
    kernel, kernel_params, n_components, regularizer, C, alpha, smoothing, budget, solver, tol, \
    max_iter, fit_intercept, n_jobs, random_state, callback, verbose
        As in `KernelClassifier`.

    Attributes
    ----------
    dual_coef_, intercept_, norms_, linear_, duality_gap_, n_iter_, status_, trace_, \
    n_features_in_, feature_names_in_
        As in `KernelClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from rrmlinear import KernelRegressor
    >>> x = np.linspace(0, 6, 100)
    >>> model = KernelRegressor("absolute", C=10.0).fit(x[:, np.newaxis], np.sin(x))
    >>> bool(np.abs(model.predict(x[:, np.newaxis]) - np.sin(x)).max() < 0.05)
    True
    """

    _linear_class = LinearRegressor
    _pairs = PairRegressor
    _numbers = ("epsilon", "huber", "quantile")

    loss: NumberLoss = field(default="epsilon-insensitive", kw_only=False)
    epsilon: float | None = None
    huber: float | None = None
    quantile: float | None = None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train on X (n_samples × n_features, or n_samples² precomputed) with numbers y, or on a
        container, as `KernelClassifier.fit`.

        ``sample_weight`` (n_samples, at least 0) multiplies ``C``. Raises ValueError for
        parameters out of range, NaN or infinity, and a kernel that is not positive semidefinite.
        Warns (NotConvergedWarning, a ConvergenceWarning) where the solver stops before ``tol``.
        """
        how = {"accept_sparse": not self._is_precomputed() and "csr", "y_numeric": True}
        check_no_text(y, "y must hold numbers")
        X, y, sample_weight = checked_in_memory(self, X, y, sample_weight, dtype=np.float64, **how)
        self._fit(without_repeats(X), y, sample_weight)
        return self

    def predict(self, X: Any) -> Array:
        """Predicted numbers, of shape (n_samples,)."""
        return self._scores(X).ravel()
