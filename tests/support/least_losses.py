"""Data with columns of unlike size, the least losses of scores on them, and fits beside these."""

import warnings

import numpy as np
import pytest
from scipy.optimize import linprog, minimize
from scipy.sparse import csr_array
from scipy.special import logsumexp, softmax

from rrmlinear import ElasticNet, Lasso, Ridge
from rrmlinear.solvers.loop.result import Status

LEAST_SQUARES = [Ridge, Lasso, ElasticNet]
#: Where the lengths of columns lie, in decades; and the form of the data.
DECADES = [(0, 0), (5, -2), (-4, 4), (-8, 0), (8, 0)]
FORMS = ["dense", "sparse", "float32", "offset"]


def unlike(decades, form="dense", n=120, d=4, seed=0):
    """Data, numbers and two classes; the columns have lengths between 10 to the two decades."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + (3.0 if form == "offset" else 0.0)
    if form == "sparse":
        X *= rng.random(X.shape) < 0.5
    w = rng.normal(size=d)
    y = X @ w + rng.normal(size=n) + 2.0
    X = X * np.logspace(*decades, d)
    X = X.astype(np.float32) if form == "float32" else X
    return X, y, (csr_array(X) if form == "sparse" else X)


def columns(X, intercept, c=1.0):
    """Orthonormal columns with the scores of all weights, from columns scaled to one length."""
    X = np.asarray(X, dtype=np.float64)
    X = np.column_stack([X, np.ones(len(X))]) if intercept else X
    X = np.sqrt(c)[:, np.newaxis] * X if np.ndim(c) else X
    lengths = np.linalg.norm(X, axis=0)
    U, S, _ = np.linalg.svd(X / np.where(lengths > 0, lengths, 1.0), full_matrices=False)
    U = U[:, 1e-12 * S[0] < S]
    return U / np.sqrt(c)[:, np.newaxis] if np.ndim(c) else U


def least_squares(X, y, intercept, c=1.0):
    U, roots = columns(X, intercept, c), np.sqrt(c) * np.ones(len(y))
    U = roots[:, np.newaxis] * U
    return float(np.sum((roots * y - U @ (U.T @ (roots * y))) ** 2))


def least_quantile(X, y, intercept, q):
    U = columns(X, intercept)
    n, d = U.shape
    costs = np.r_[np.zeros(d), np.full(n, q), np.full(n, 1 - q)]
    bounds = [(None, None)] * d + [(0, None)] * (2 * n)
    equal = np.c_[U, np.eye(n), -np.eye(n)]
    return linprog(costs, A_eq=equal, b_eq=y, bounds=bounds, method="highs").fun / n


def lowest(function, size):
    """The minimum of a smooth function with its gradient, by L-BFGS."""
    options = {"maxiter": 10**4, "ftol": 1e-16, "gtol": 1e-11}
    return minimize(function, np.zeros(size), jac=True, method="L-BFGS-B", options=options).fun


def least_huber(X, y, intercept, delta):
    U = columns(X, intercept)

    def function(z):
        r = y - U @ z
        clipped = np.clip(r, -delta, delta)
        return float(np.sum(clipped * (2 * r - clipped))), -2 * U.T @ clipped

    return lowest(function, U.shape[1])


def least_logistic(X, label, intercept):
    U, k = columns(X, intercept), label.max() + 1
    own = np.eye(k)[label]

    def function(z):
        s = U @ z.reshape(-1, k)
        value = logsumexp(s, axis=1).sum() - (own * s).sum()
        return value, (U.T @ (softmax(s, axis=1) - own)).ravel()

    return lowest(function, U.shape[1] * k)


def fitted(model, X, y, *weights):
    """The model, fitted without a warning, and SOLVED."""
    with warnings.catch_warnings(action="error"):
        model.fit(X, y, *weights)
    assert model.status_ is Status.SOLVED
    return model


def check(model, value, optimum):
    """The objective is that of the weights, the optimum, and no further above it than the gap."""
    assert model.objective_ == pytest.approx(value, rel=1e-7)
    assert optimum * (1 - 1e-8) <= model.objective_
    assert model.objective_ <= optimum * (1 + 1e-8) + model.duality_gap_
    assert model.duality_gap_ <= 1e-4 * optimum
