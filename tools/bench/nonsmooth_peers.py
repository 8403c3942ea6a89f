"""Other packages' solvers as bench_pdprox.py trains them, each in a process of its own.

``SOLVERS[name](X, y, task)`` converts the data, which is not timed, and returns a function from an
effort (a tolerance, where the solver has one) to the weights, an intercept last. ``task`` is a
`Spec`. Raises ImportError where the package is missing and ValueError where it does not solve the
problem.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from effort import tolerance
from scipy.sparse import csr_matrix, issparse
from scipy.sparse import eye as identity
from scipy.sparse import hstack as side_by_side

DENSE = 200_000_000  # numbers: more are not made of sparse rows


@dataclass(frozen=True)
class Spec:
    """A task in numbers and names: 1/n Σ φ(x_i'w, y_i) + λ Ω(w).

    ``sizes`` are those of groups of columns side by side (group lasso), ``tasks`` the length of
    rows of W, flat in w (the maximum norm of each).
    """

    name: str
    loss: str
    regularizer: str
    lam: float
    quantile: float = 0.5
    epsilon: float = 0.0
    intercept: bool = False
    sizes: tuple[int, ...] = ()
    tasks: int = 0


def bounds(task, y):
    """lo and hi of φ = max over a in [lo, hi] of a (s − y) − ε |a|."""
    if task.loss == "hinge":
        return np.minimum(-y, 0), np.maximum(-y, 0)
    if task.loss == "quantile":
        return np.full(len(y), -task.quantile), np.full(len(y), 1 - task.quantile)
    return np.full(len(y), -1.0), np.full(len(y), 1.0)


def with_ones(X, task):
    if not task.intercept:
        return X
    one = np.ones((X.shape[0], 1))
    return side_by_side([X, csr_matrix(one)], format="csr") if issparse(X) else np.hstack([X, one])


def needs(task, *losses):
    if task.regularizer != "l1" or task.loss not in losses:
        raise ValueError("does not solve this problem")


def quantile_regressor(X, y, task):
    needs(task, "quantile")
    from sklearn.linear_model import QuantileRegressor

    def train(effort):
        chosen = {"alpha": task.lam, "fit_intercept": task.intercept, "solver": "highs"}
        model = QuantileRegressor(quantile=task.quantile, **chosen).fit(X, y)
        return np.append(model.coef_, model.intercept_) if task.intercept else model.coef_

    return train


def linear_program(X, y, task):
    """HiGHS by scipy: w = p − q, slacks of residuals on either side (hinge: one)."""
    needs(task, "hinge", "quantile", "absolute")
    from scipy.optimize import linprog

    X = csr_matrix(with_ones(X, task))
    n, d = X.shape
    penalty = np.full(d, task.lam)
    if task.intercept:
        penalty[-1] = 0
    lo, hi = bounds(task, y)
    if task.loss == "hinge":
        signed = csr_matrix(X.multiply(y[:, np.newaxis]))
        costs = np.concatenate((penalty, penalty, np.full(n, 1 / n)))
        rows = side_by_side([-signed, signed, -identity(n)], format="csc")
        constraints = {"A_ub": rows, "b_ub": -np.ones(n)}
    else:
        costs = np.concatenate((penalty, penalty, hi / n, -lo / n))
        rows = side_by_side([X, -X, -identity(n), identity(n)], format="csc")
        constraints = {"A_eq": rows, "b_eq": y}

    def train(effort):
        found = linprog(costs, **constraints, bounds=(0, None), method="highs").x
        return found[:d] - found[d : 2 * d]

    return train


def clarabel(X, y, task):
    """An interior-point method by cvxpy; its matrices are made beforehand."""
    import cvxpy as cp

    X = with_ones(X, task)
    n, d = X.shape
    lo, hi = bounds(task, y)
    w, over, under = cp.Variable(d), cp.Variable(n, nonneg=True), cp.Variable(n, nonneg=True)
    r = X @ w - y
    constraints = [over >= r - task.epsilon, under >= -r - task.epsilon]
    mean = (hi @ over - lo @ under) / n
    own = w[:-1] if task.intercept else w
    if task.sizes:
        ends = np.cumsum(task.sizes)
        norm = sum(
            np.sqrt(size) * cp.norm(w[end - size : end])
            for size, end in zip(task.sizes, ends, strict=True)
        )
    elif task.tasks:
        norm = cp.sum(cp.max(cp.abs(cp.reshape(w, (d // task.tasks, task.tasks), "C")), axis=1))
    else:
        norm = cp.norm1(own)
    problem = cp.Problem(cp.Minimize(mean + task.lam * norm), constraints)
    problem.get_problem_data(cp.CLARABEL)

    def train(effort):
        tol = min(tolerance(effort), 1e-2)
        names = ("tol_gap_abs", "tol_gap_rel", "tol_feas")
        problem.solve(solver=cp.CLARABEL, **dict.fromkeys(names, tol))
        return w.value

    return train


def skglm(X, y, task):
    """Its primal–dual coordinate descent; the hinge takes the form of its pinball loss."""
    needs(task, "hinge", "quantile")
    from skglm.experimental import PDCD_WS
    from skglm.penalties import WeightedL1
    from skglm.utils.jit_compilation import compiled_clone

    X = with_ones(X, task)
    if issparse(X):
        if X.shape[0] * X.shape[1] > DENSE:
            raise ValueError(f"takes dense data alone, {X.shape[0]} × {X.shape[1]} here")
        X = X.toarray()
    X = np.asfortranarray(X)
    n, d = X.shape
    weights = np.ones(d)
    if task.intercept:
        weights[-1] = 0
    datafit = compiled_clone(datafit_of(task))
    penalty = compiled_clone(WeightedL1(task.lam * n, weights))

    # The first use of these objects compiles.
    few = slice(0, min(n, 50))
    PDCD_WS(max_iter=1, max_epochs=1).solve(np.asfortranarray(X[few]), y[few], datafit, penalty)

    def train(effort):
        solver = PDCD_WS(tol=tolerance(effort) / 10, max_iter=10_000, max_epochs=10_000)
        return solver.solve(X, y, datafit, penalty)[0]

    return train


def datafit_of(task):
    from skglm.experimental import Pinball

    if task.loss == "quantile":
        return Pinball(task.quantile)

    class Hinge(Pinball):
        def value(self, y, w, Xw):
            return np.sum(np.maximum(1 - y * Xw, 0))

        def prox_conjugate(self, z, step, y):
            return y * np.clip(y * z - step, -1, 0)

    return Hinge(0.5)


SOLVERS = {
    "skglm PDCD_WS": skglm,
    "scikit-learn QuantileRegressor": quantile_regressor,
    "SciPy linprog (HiGHS)": linear_program,
    "cvxpy, Clarabel": clarabel,
}
