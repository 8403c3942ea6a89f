"""The Weston–Watkins SVM as a scikit-learn classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.parameter import Parameter
from rrmlinear.catalog.selection import Selection, select
from rrmlinear.data.problem import Problem
from rrmlinear.estimators.arguments import check_positive, class_factors
from rrmlinear.estimators.base import LinearClassifier, with_weights
from rrmlinear.training.fit import solve

# Block solver → (solver type, block) of Parameter.
SOLVERS = {"knapsack": (30, "knapsack"), "walrus": (30, "walrus"), "shark": (31, "shark")}


class WestonWatkinsSVC(LinearClassifier):
    r"""Linear multiclass SVM of Weston and Watkins, all classes in one problem.

    Solves, over one weight vector w_j for each of k classes,

    .. math::
        \min_W \; \tfrac12 \sum_j \|w_j\|^2
        + \sum_i C_i \sum_{j \neq y_i} \max(0,\; 1 - (w_{y_i} - w_j)^\top x_i),

    where :math:`C_i` is ``C`` times the class weight times the sample weight, and predicts the
    class with the largest score :math:`w_j^\top x`. ``duality_gap_`` bounds how far the objective
    at ``coef_`` is above its minimum.

    ``C`` is the cost of one example, as in `sklearn.svm.LinearSVC`: it is not divided by the number
    of examples. With two classes the problem is the hinge-loss SVM in w_1 - w_0, and the answer
    that of ``LinearSVC(loss="hinge", C=2 * C)``.

    Parameters
    ----------
    C : float, default=1.0
        Cost of an example of weight 1, above 0; smaller values regularize more.
    solver : {"knapsack", "walrus", "shark"}, default="knapsack"
        How the block of one example is solved. "knapsack": exactly, in time linear in the classes.
        "walrus": exactly, by sorting. "shark": one class after the other, to 1e-6, so that a
        ``tol`` below about 1e-5 may be out of its reach. All find the same minimum.
    tol : float, default=1e-3
        Stop when the duality gap is at most ``tol * objective``. At 1e-3 the test
        accuracies of dna, satimage and letter lie within 0.2 points of those at 1e-7, and 1e-4
        takes some twice as many passes. The weights are off by at most
        ``sqrt(2 * duality_gap_)``, all together; ask for 1e-8 where their digits matter.
    max_passes : int, default=10_000
        Most passes over the data. Data of similar scales take tens to a few thousands.
    class_weight : dict, "balanced" or None, default=None
        Factor on ``C`` of each class by its label, 1 for labels left out. "balanced":
        ``n_samples / (n_classes * count)``, where sample weights count as repetitions.
    fit_intercept : bool, default=True
        Append a column of the value ``intercept_scaling`` to X. Its weight is regularized like
        every other; without it the scores are linear.
    intercept_scaling : float, default=1.0
        Value of the appended column. The larger it is, the less the intercept is regularized.
    random_state : int, RandomState instance or None, default=None
        Seed of the order in which examples are visited; the minimum does not depend on it. None
        is seed 0, so that the same data always give the same bits.
    n_threads : int or None, default=None
        Threads of the solver, None for 1 and -1 for all cores. The result has the same bits for
        any number.
    warm_start : bool, default=False
        Begin from ``dual_coef_`` of the last fit, on the same examples in the same order: it saves
        passes where ``tol`` or ``C`` is made smaller or ``max_passes`` larger; a larger ``C`` gains
        little. Where the number of examples or the classes differ, the fit begins anew.
    verbose : int, default=0
        1: print how the fit ended. 2: print every pass too.

    Attributes
    ----------
    coef_ : ndarray of shape (n_classes, n_features), or (1, n_features) for two classes
        Weights of each class; for two classes w_1 - w_0, so that a positive score means
        ``classes_[1]``. The two are then -coef_ / 2 and coef_ / 2.
    intercept_ : ndarray of shape (n_classes,), or (1,) for two classes
        Added to the scores; zeros without ``fit_intercept``.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    dual_coef_ : scipy.sparse.csr_array of shape (n_samples, n_classes)
        The dual variables: entry (i, j) lies between 0 and C_i, and is 0 at j = y_i. Class j's
        weights are the examples of class j, each times the sum of its row, minus all examples
        times column j.
    duality_gap_ : float
        Objective minus dual objective, in the scale of the objective above.
    n_iter_ : int
        Passes made.
    status_ : Status
        Why the solver stopped; ``status_.value`` is a sentence.
    trace_ : list of TraceRow
        One row a pass: number, seconds, primal, dual, gap, and whether these are estimates.
    n_features_in_ : int
        Features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names that are all strings.

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        Where the solver stopped before ``tol``; the message says how far it is.

    Notes
    -----
    CSR and C-ordered dense X of float32 or float64 are used where they lie, read-only and
    memory-mapped ones too. An example of weight 0 counts nothing, but its class remains a class.

    References
    ----------
    J. Weston and C. Watkins, "Support vector machines for multi-class pattern recognition", 1999.
    Y. Wang and C. Scott, "An exact solver for the Weston-Watkins SVM subproblem", 2021,
    algorithm 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from rrmlinear import WestonWatkinsSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), WestonWatkinsSVC(C=1.0)).fit(X, y)
    >>> model.predict(X[:3])
    array([0, 0, 0])
    >>> model.score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        solver: str = "knapsack",
        tol: float = 1e-3,
        max_passes: int = 10_000,
        class_weight: Any = None,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        random_state: Any = None,
        n_threads: int | None = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.solver = solver
        self.tol = tol
        self.max_passes = max_passes
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.random_state = random_state
        self.n_threads = n_threads
        self.warm_start = warm_start
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> WestonWatkinsSVC:
        """Train on X (n_samples × n_features, dense or sparse) with labels y (n_samples).

        ``sample_weight`` (n_samples, at least 0) multiplies ``C``. Raises ValueError for
        parameters out of range, NaN or infinity, fewer than two classes, and weights that are all
        zero.
        """
        chosen = self._selection()
        X, y = self._checked_data(X, y)
        classes, index = self._classes_of(y)
        problem = self._weighted_problem(X, classes, index, sample_weight)
        start = self._duals_of_last_fit(classes, index, True) if self.warm_start else None
        model, result = solve(problem, chosen, self._on_pass(), start, stacklevel=3)
        self._set_solution(model, result, classes)
        self._set_certificate(result)
        return self

    def _selection(self) -> Selection:
        if self.solver not in SOLVERS:
            raise ValueError(f"solver is {self.solver!r}; it must be one of {', '.join(SOLVERS)}")
        if not isinstance(self.fit_intercept, bool | np.bool_):
            raise ValueError(f"fit_intercept is {self.fit_intercept!r}; it must be True or False")
        check_positive("C", self.C)
        number, block = SOLVERS[self.solver]
        return select(Parameter(solver=number, C=float(self.C), block=block, **self._rules()))

    def _weighted_problem(
        self, X: Any, classes: NDArray[Any], index: NDArray[np.intp], sample_weight: Any
    ) -> Problem:
        problem = self._problem(X, index, sample_weight)
        factors = class_factors(self.class_weight, classes, index, problem.weights)
        return with_weights(problem, None if factors is None else factors[index])
