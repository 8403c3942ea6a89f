"""The matrix of a sample in place of that of all examples: where it serves, and where runs end."""

import numpy as np
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.losses.margin import Logistic
from rrmlinear.regularizers.separable import L1
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.solvers.features.feature_newton import FeatureNewton
from rrmlinear.solvers.loop.result import Status
from rrmlinear.solvers.loop.rules.of_gradients import FeatureSum
from rrmlinear.solvers.loop.stopping import Stopping

N, D, TOLERANCE = 4000, 12, 1e-2


def data():
    rng = np.random.default_rng(4)
    X = (rng.random((N, D)) < 0.3).astype(float)
    X[:, 5] = 0
    X[2::1000, 5] = 1  # a feature of four examples, none of them in the sample
    y = np.where(X @ rng.standard_normal(D) + rng.standard_normal(N) > 0, 1.0, -1.0)
    return X, y


def risk_of(X, y, loss, costs):
    problem = Problem.from_arrays(csr_array(X), y)
    return ScalarRisk(problem.rows, loss, problem.labels, costs, 1)


def point_of_sample(X, y, loss):
    """That of every fourth example, and the matrix."""
    risk = risk_of(X[::4], y[::4], loss, np.full(N // 4, 4.0))
    return FeatureNewton(risk, L1(1.0).over(risk.shape), is_rough=True).first_point(3)


def solved(X, y, loss, begin):
    risk = risk_of(X, y, loss, np.ones(N))
    solver = FeatureNewton(risk, L1(1.0).over(risk.shape), lambda: begin)
    solver.rule = FeatureSum(risk, TOLERANCE, False, False)
    return solver.solve(Stopping(1e-12, max_passes=50))


def violation(X, y, loss, w):
    """The sum over features over its bound, by NumPy."""

    def pulls(scores):
        slack = np.maximum(1 - y * scores, 0)
        logistic = isinstance(loss, Logistic)
        return X.T @ (y * (1 / (1 + np.exp(y * scores)) if logistic else 2 * slack))

    v = pulls(X @ w)
    each = np.where(w == 0, np.maximum(np.abs(v) - 1, 0), np.abs(v - np.sign(w)))
    return each.sum() / (TOLERANCE * np.maximum(np.abs(pulls(np.zeros(N))) - 1, 0).sum())


def test_a_matrix_that_misleads_costs_passes_alone():
    X, y = data()
    begin = point_of_sample(X, y, Logistic())
    wrong = begin._replace(matrix=np.full((D, D), 1e3) + 1e3 * np.eye(D))
    result = solved(X, y, Logistic(), wrong)
    assert result.status == Status.RULE
    assert violation(X, y, Logistic(), result.weights) <= 1 + 1e-9
