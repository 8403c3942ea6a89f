"""Several regressions at once, with a regularizer of all their weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import MultiOutputMixin, RegressorMixin

from rrmlinear.catalog.builders.matrices import Tasks, automatic_applies, scaled_tasks, tasks_solver
from rrmlinear.catalog.errors import ChoiceError
from rrmlinear.catalog.losses import TASK_LOSSES
from rrmlinear.catalog.names import NumberLoss, RegularizerName
from rrmlinear.catalog.parameter import Parameter
from rrmlinear.catalog.regularizers import REGULARIZERS, weight_at_limit
from rrmlinear.catalog.selection import Selection, select
from rrmlinear.catalog.solvers import AUTO
from rrmlinear.core.plain_state import PlainState
from rrmlinear.data.array_rows import check_unmasked
from rrmlinear.data.problem import Problem
from rrmlinear.estimators.arguments import check_some_weight
from rrmlinear.estimators.base import Certified
from rrmlinear.estimators.general import AnyObjective
from rrmlinear.estimators.objective import cost_of, own_choices, own_words, unknown_name
from rrmlinear.estimators.reporting import Described
from rrmlinear.estimators.scores import LinearScores, Scored
from rrmlinear.estimators.unregularized.intercepts import with_ones, without_penalty
from rrmlinear.exports.exported import Exported, Saved, Tabled
from rrmlinear.solvers.loop.result import DualBlocks, OnPass, Result
from rrmlinear.training.costs import checked_costs

# Name of a solver → Parameter.solver.
SOLVERS: dict[str, int | str] = {"auto": AUTO, "pdprox-dual": 37, "pdprox-primal": 38, "fista": 42}
# The solver where the automatic one does not apply.
OTHERWISE = "pdprox-dual"
# Intercepts that are weights of a column may first be as large as ROOM times the largest target,
# then MORE_ROOM times that, while one comes to this limit, in MOST_ROUNDS fits.
ROOM, MORE_ROOM, MOST_ROUNDS = 1e3, 1e3, 4


@dataclass(eq=False, repr=False)
class MultiTaskRegressor(
    Scored,
    MultiOutputMixin,
    RegressorMixin,
    Described,
    LinearScores,
    Exported,
    Tabled,
    Saved,
    PlainState,
    Certified,
):
    r"""Linear regressions of several tasks, tied by a regularizer of all their weights.

    Solves, over W = (w_1 … w_k) of d × k and intercepts b, for examples of task t_i,

    .. math::
        \min_{W, b} \; \Omega(W) + \sum_i C_i \, \phi(y_i - w_{t_i}^\top x_i - b_{t_i}),

    where :math:`C_i` is ``C`` times the sample weight. Each example has one task (``tasks``), or a
    target for every task (a matrix y, without ``tasks``). With a matrix y, φ may be a loss of the
    vector of all k residuals. The objective at ``coef_`` and ``intercept_`` is at most
    ``duality_gap_`` above its minimum. Nothing is random.

    Parameters
    ----------
    loss : str, default="absolute"
        "absolute", "squared", "epsilon-insensitive", "squared-epsilon-insensitive", "huber" or
        "quantile", as in `LinearRegressor`; "distance": the Euclidean norm of an example's
        residuals, for a matrix y.
    regularizer : str, default="l1inf"
        Ω by a name of `rrmlinear.Parameter`: "l1inf" Σ_j max_t |W_jt| or "l21" Σ_j ‖row j‖₂, which
        choose features for all tasks, "trace-norm" the sum of singular values, "l1", "l2" ½‖W‖²,
        "elastic-net", "linf", "l2-norm", ….  With a single task the first two are ‖w‖₁ and the
        third is ‖w‖₂.
    C, alpha : float, default=None
        Cost of an example, 1 if neither is given; or λ of (1/n) Σ φ_i + λ Ω. n is the sum of the
        weights: over the entries of a matrix y, over its rows with "distance".
    l1, epsilon, huber, quantile, smoothing : float, default=None
        Numbers of regularizers and losses that have them, as in `LinearRegressor`.
    solver : {"auto", "pdprox-dual", "pdprox-primal", "fista"}, default="auto"
        "auto": Newton's method if the k (d + 1) weights are few enough for it, otherwise
        "pdprox-dual". Pdprox has an extra step of duals or of weights. FISTA is for smooth losses.
    solver_options : dict, default=None
        As in `LinearClassifier`.
    tol : float, default=1e-4
        Stop when the duality gap is at most ``tol * objective``.
    max_iter : int, default=100_000
        Most passes over the data.
    fit_intercept : bool or str, default=True
        True or "unregularized": an intercept for each task, without regularization. "regularized":
        the weights of a column of the value ``intercept_scaling``. False: none.
    intercept_scaling : float, default=1.0
        Value of that column.
    n_jobs, callback, verbose
        As in `LinearClassifier`.

    Attributes
    ----------
    coef_ : ndarray of shape (k, d), or (d,) for one task
        W transposed.
    intercept_ : ndarray of shape (k,), or a float for one task
        b.
    tasks_ : ndarray of shape (k,) or None
        The tasks, sorted, where they were given.
    dual_coef_ : ndarray of the shape of y
        Duals α_i.
    objective_, duality_gap_, n_iter_, status_, trace_, n_features_in_, feature_names_in_
        As in `LinearRegressor`.

    References
    ----------
    T. Yang, M. Mahdavi, R. Jin and S. Zhu, "An efficient primal dual prox method for non-smooth
    optimization", Machine Learning, 2014, section 5.2.

    Examples
    --------
    >>> import numpy as np
    >>> from rrmlinear import MultiTaskRegressor
    >>> rng = np.random.default_rng(0)
    >>> X, schools = rng.normal(size=(90, 8)), np.arange(90) % 3
    >>> y = X[:, 0] * (1 + schools) + schools
    >>> model = MultiTaskRegressor(C=1.0).fit(X, y, schools)
    >>> [int(j) for j in np.flatnonzero(model.coef_.any(axis=0))]
    [0]
    """

    _fits_in_memory = True
    _parameter_constraints: ClassVar[Mapping[str, list[Any]]] = AnyObjective._parameter_constraints

    loss: NumberLoss | Literal["distance"] = "absolute"
    _: KW_ONLY
    regularizer: RegularizerName = "l1inf"
    C: float | None = None
    alpha: float | None = None
    l1: float | None = None
    epsilon: float | None = None
    huber: float | None = None
    quantile: float | None = None
    smoothing: float | None = None
    solver: str = "auto"
    solver_options: Any = None
    tol: float = 1e-4
    max_iter: int = 100_000
    fit_intercept: Any = True
    intercept_scaling: float = 1.0
    n_jobs: int | None = None
    callback: Any = None
    verbose: int = 0

    def fit(self, X: Any, y: Any = None, tasks: Any = None, sample_weight: Any = None) -> Self:
        """Train on X (n × d, dense or sparse) with numbers y.

        y has n numbers, of ``tasks`` (n labels; one task if None); or n × k, a column for each
        task. ``sample_weight`` (n, at least 0) multiplies ``C``. X may also be a container, as for
        `LinearRegressor.fit`, which is read into memory. Raises ValueError for parameters
        out of range, NaN or infinity, lengths that differ and weights that are all zero.
        Warns (NotConvergedWarning, a ConvergenceWarning) where the solver stops before ``tol``.
        """
        self._validate_params()
        for what, name, known in (
            ("loss", self.loss, TASK_LOSSES),
            ("regularizer", self.regularizer, REGULARIZERS),
            ("solver", self.solver, SOLVERS),
        ):
            if name not in known:
                raise unknown_name(what, name, known)
        how = {"y_numeric": True, "multi_output": True}
        X, y, sample_weight = self._checked_data(X, y, sample_weight, **how)
        y = np.asarray(y, dtype=np.float64)
        problem = Problem.from_arrays(X, np.zeros(len(y)), sample_weight)
        check_some_weight(problem, None)
        weights = np.ones(len(y)) if problem.weights is None else problem.weights
        self.tasks_, k, examples, numbers = tasks_of_targets(y, tasks)
        each = np.repeat(weights, k) if y.ndim == 2 else weights
        vectors = TASK_LOSSES[self.loss].kind == "vectors"
        counted = weights if vectors else each
        cost = cost_of(self, float(counted.sum()))
        with np.errstate(over="ignore"):
            costs = checked_costs(cost * each)
        asked = self.fit_intercept
        if not isinstance(asked, str):
            asked = "unregularized" if asked else ""
        d, targets = problem.n_features, np.ascontiguousarray(y.ravel())
        given = Tasks(problem.rows, examples, numbers, targets, costs, k)
        if asked == "unregularized":
            W, b, duals, result = self._fit_free(given, X, cost, vectors)
        else:
            column = float(self.intercept_scaling) if asked else 0.0
            if asked:
                rows = Problem.from_arrays(with_ones(X, column), weights).rows
                given = replace(given, rows=rows, intercept=True)
            solver = self._solver_of(given, cost)
            chosen = self._selection(solver, cost, k)
            W, b, duals, result = fit_tasks(given, chosen, self._on_pass())
            b = np.asarray(W[d] * column) if asked else b
        single = y.ndim == 1 and tasks is None
        self.coef_ = np.ascontiguousarray(W[:d, 0] if single else W[:d].T)
        self.intercept_: Any = float(b[0]) if single else b
        self.dual_coef_ = duals.reshape(y.shape)
        self._set_certificate(result)
        return self

    def _fit_free(self, given: Tasks, X: Any, cost: float, vectors: bool) -> Fitted:
        """Fit with intercepts that have no penalty.

        Newton's method and the loss of vectors take intercepts as weights of a column of ones. The
        other solvers know intercepts.
        """
        d, k = given.rows.shape[1], given.k
        solver = self._solver_of(given, cost, d)
        if solver != "auto" and not vectors:
            given = replace(given, free=True)
            return fit_tasks(given, self._selection(solver, cost, k), self._on_pass())

        def fit(posed: Tasks, room: float) -> tuple[Selection, Fitted]:
            chosen = self._selection(solver, cost, k, d, room)
            return chosen, fit_tasks(posed, chosen, self._on_pass())

        return fit_with_column(given, X, fit)

    def _solver_of(self, given: Tasks, cost: float, free_column: int | None = None) -> str:
        """The solver chosen, or what the automatic one is for these tasks."""
        if self.solver != "auto":
            return self.solver
        chosen = self._selection("auto", cost, given.k, free_column)
        applies = automatic_applies(given, chosen, free=free_column is not None)
        return "auto" if applies else OTHERWISE

    def _selection(
        self,
        solver: str,
        cost: float,
        k: int,
        free_column: int | None = None,
        room: float | None = None,
    ) -> Selection:
        row = REGULARIZERS[self.regularizer]
        row = REGULARIZERS[row.single] if k == 1 and row.single else row
        if self.l1 is not None and "l1" not in row.takes:
            raise ValueError(f"l1 has no effect with regularizer {self.regularizer!r}")
        layout = frozenset({"several-columns"}) if k > 1 else frozenset()
        choices = own_choices(self, "loss") | self._rules() | {"C": cost, "loss": self.loss}
        choices |= {"solver": SOLVERS[solver], "regularizer": row.name}
        choices["l1"] = 1.0 if self.l1 is None and "l1" in row.takes else self.l1
        if free_column is not None:
            choices = {"limit": room} | without_penalty(choices, free_column)
        try:
            return select(Parameter(**choices), TASK_LOSSES, layout)
        except ChoiceError as error:
            raise own_words(error, SOLVERS) from None

    def predict(self, X: Any, tasks: Any = None) -> NDArray[np.floating[Any]]:
        """Predictions of the rows: of each one's task, or of all tasks without ``tasks``.

        The latter are n × k, or n if the model has one task. Raises ValueError for a task that was
        not trained.
        """
        scores = self._scores(X)
        if tasks is None:
            return scores.ravel() if self.coef_.ndim == 1 else scores
        at = tasks_trained(tasks, self.tasks_, len(scores))
        return scores[np.arange(len(scores)), at]

    def _columns(self, n_scores: int) -> list[str]:
        raise ValueError(
            f"y must be a matrix on a page, a column for each of the {n_scores} tasks: the page "
            "predicts all tasks of each row"
        )


def tasks_of_targets(
    y: NDArray[np.float64], tasks: Any
) -> tuple[NDArray[Any] | None, int, NDArray[np.int64], NDArray[np.int64]]:
    """The tasks' labels, their number, and the row and the task of each target.

    ``y`` is a matrix with a column for each task, or numbers with the labels ``tasks`` of their
    tasks; without labels there is one task. Raises ValueError for labels that do not fit y.
    """
    n = len(y)
    if y.ndim == 2:
        if tasks is not None:
            raise ValueError("y is a matrix, a column for each task, and tasks are given as well")
        k = y.shape[1]
        return None, k, np.repeat(np.arange(n), k), np.tile(np.arange(k), n)
    if tasks is None:
        return None, 1, np.arange(n), np.zeros(n, dtype=np.int64)
    names, index = np.unique(_labels_of_rows(tasks, n), return_inverse=True)
    return names, len(names), np.arange(n), index.astype(np.int64)


def tasks_trained(tasks: Any, trained: NDArray[Any] | None, n: int) -> NDArray[np.int64]:
    """The number of the task of each of n rows, among the sorted labels ``trained``.

    Raises ValueError for labels that do not fit the rows, or that were not trained.
    """
    if trained is None:
        raise ValueError("tasks are given, and the model was trained without")
    labels = _labels_of_rows(tasks, n)
    at = np.minimum(np.searchsorted(trained, labels), len(trained) - 1)
    unknown = np.flatnonzero(trained[at] != labels)
    if unknown.size:
        first = int(unknown[0])
        raise ValueError(f"tasks[{first}] is {labels[first]!r}; it was not trained")
    return at


def _labels_of_rows(tasks: Any, n: int) -> NDArray[Any]:
    check_unmasked(tasks, "tasks must hold labels")
    labels = np.asarray(tasks)
    if labels.shape != (n,):
        raise ValueError(f"tasks has shape {labels.shape}, but X has {n} rows")
    return labels


#: W with the intercepts of a column below it, intercepts, duals and the Result.
Fitted = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], Result]


def fit_tasks(given: Tasks, chosen: Selection, on_pass: OnPass | None = None) -> Fitted:
    """minimize Ω(W) + Σ_i c_i φ(x_i'w_{t_i} + b_{t_i}, y_i): W (d × k), b, α and the Result."""
    d, k = given.rows.shape[1], given.k
    omega, s = chosen.regularizer, np.ones(d)
    if chosen.solver.number != AUTO:  # which scales by itself
        given, omega, s = scaled_tasks(given, omega)
    result = tasks_solver(given, chosen, omega).solve(chosen.stopping, on_pass)
    weights = np.asarray(result.weights).ravel()
    W, b = weights[: d * k].reshape(d, k) / s[:, np.newaxis], weights[d * k :]
    duals = result.duals.dense(k).ravel() if isinstance(result.duals, DualBlocks) else result.duals
    return W, b if given.free else np.zeros(k), duals, result


def fit_with_column(
    given: Tasks, X: Any, fit: Callable[[Tasks, float], tuple[Selection, Fitted]]
) -> Fitted:
    """Fit tasks over the rows X, their intercepts the weights of a column of ones.

    ``fit`` solves tasks with this last column, whose weights have no penalty, but a limit, which
    grows while an intercept is at it. Targets and dense features less their means keep intercepts
    small.
    """
    d, k = given.rows.shape[1], given.k
    shares = given.costs / given.costs.max()
    middle = np.zeros(d)
    if not issparse(X):
        each = np.bincount(given.examples, shares, X.shape[0])
        middle = each @ X / each.sum()
    columns = with_ones(X if issparse(X) else X - middle)
    counted = np.bincount(given.tasks, shares, k)
    means = np.bincount(given.tasks, shares * given.y, k) / np.where(counted > 0, counted, 1.0)
    rows = Problem.from_arrays(columns, np.zeros(X.shape[0])).rows
    posed = replace(given, rows=rows, y=given.y - means[given.tasks])
    room = ROOM * (float(np.abs(posed.y).max()) or 1.0)
    for _ in range(MOST_ROUNDS):
        chosen, (W, _, duals, result) = fit(posed, room)
        if not (result.solved and weight_at_limit(W, chosen.choices)):
            break
        room *= MORE_ROOM
    return W, W[d] + means - middle @ W[:d], duals, result
