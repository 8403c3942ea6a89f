"""Risks of several tasks: products, intercepts of each, and distances of vectors."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.losses.multiclass import Distance
from rrmlinear.losses.regression import Absolute, EpsilonInsensitive, Huber, Squared
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.layouts.tasks import TaskRisk, VectorRisk, task_rows
from rrmlinear.risks.scores import ScalarRisk

N, D, K = 40, 5, 3


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, D)) * (rng.random((N, D)) < 0.6)
    return X, rng.standard_normal(N), rng.random(N), rng.integers(0, K, N)


@pytest.mark.parametrize("form", [csr_array, np.asarray])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_of_tasks_meet_the_weights_of_theirs(data, form, dtype):
    X, y, costs, tasks = data
    X = X.astype(dtype)
    rows = Problem.from_arrays(form(X), y).rows
    examples = np.array([3, 3, 0, 17, 39])
    risk = ScalarRisk(
        task_rows(rows, examples, tasks[examples], K), Squared(), y[examples], costs[examples]
    )
    W, derivatives = np.random.default_rng(1).standard_normal((D, K)), np.arange(5.0)
    expected = np.einsum("ij,ij->i", X[examples].astype(float), W[:, tasks[examples]].T)
    np.testing.assert_allclose(risk.scores(W.ravel()), expected, atol=1e-14)
    gradient = np.zeros((D, K))
    for i, slope in zip(examples, derivatives, strict=True):
        gradient[:, tasks[i]] += costs[i] * slope * X[i]
    np.testing.assert_allclose(risk.gradient(derivatives).reshape(D, K), gradient, atol=1e-14)


@pytest.mark.parametrize("loss", [Absolute(), EpsilonInsensitive(0.2), Huber(0.5), Squared()])
def test_each_task_has_the_intercept_of_its_own_problem(data, loss):
    X, y, costs, tasks = data
    costs[tasks == 2] = 0  # a task that does not count
    rows = task_rows(Problem.from_arrays(X, y).rows, np.arange(N), tasks, K)
    risk = TaskRisk(rows, loss, y, costs, tasks, K, condition=Intercept())
    scores, alphas = np.random.default_rng(2).standard_normal((2, N))
    value, steps, derivatives = 0.0, np.zeros(N), np.zeros(N)
    for t in range(K - 1):
        own = np.flatnonzero(tasks == t)
        alone = ScalarRisk(
            Problem.from_arrays(X[own], y[own], bias=1.0).rows,
            loss,
            y[own],
            costs[own],
            condition=Intercept(),
        )
        value += alone.at(scores[own]).value
        steps[own] = alone.dual_steps(scores[own], alphas[own], 0.7)[0]
        derivatives[own] = alone.at(scores[own]).derivatives
        assert risk.at(scores).intercept[t] == pytest.approx(alone.at(scores[own]).intercept)
        assert abs(costs[own] @ steps[own]) <= 1e-12
    assert risk.at(scores).intercept[2] == 0
    assert risk.at(scores).value == pytest.approx(value)
    np.testing.assert_allclose(risk.dual_steps(scores, alphas, 0.7)[0], steps, atol=1e-12)
    np.testing.assert_allclose(risk.at(scores).derivatives, derivatives, atol=1e-12)
    assert np.isfinite(risk.conjugate(steps))
    assert risk.conjugate(np.full(N, 0.1)) == np.inf
    w = np.ones(D * K)
    np.testing.assert_allclose(
        risk.complete(w), np.append(w, risk.at(risk.scores(w)).intercept), atol=1e-12
    )
    with pytest.raises(TypeError, match="no Hessian"):
        risk.at(scores).hessian()


@pytest.fixture(params=[0.0, 0.4])
def vectors(request, data):
    X, _, costs, _ = data
    y = np.random.default_rng(3).standard_normal((N, K))
    costs[5] = 0
    return VectorRisk(Problem.from_arrays(X, costs).rows, Distance(request.param), y, costs)


def test_the_distance_is_that_of_residuals(vectors):
    scores = np.random.default_rng(4).standard_normal((N, K))
    length = np.linalg.norm(vectors.terms.y - scores, axis=1)
    gamma = vectors.loss.smoothing
    each = np.where(length < gamma, length**2 / (2 * gamma or 1), length - gamma / 2)
    assert vectors.at(scores).value == pytest.approx(vectors.costs.ravel() @ each)
    assert vectors.shape == (D, K)


def test_derivatives_and_duals_of_vectors_obey_fenchel_and_young(vectors):
    scores, moves, other = np.random.default_rng(5).standard_normal((3, N, K))
    alphas = -vectors.at(scores).derivatives
    products = (vectors.costs * alphas * scores).sum()
    assert vectors.at(scores).value + vectors.conjugate(alphas) + products == pytest.approx(0)
    other /= np.maximum(np.linalg.norm(other, axis=1), 1)[:, None]
    products = (vectors.costs * other * scores).sum()
    assert vectors.at(scores).value + vectors.conjugate(other) + products >= 0
    assert vectors.conjugate(1.01 * other / np.linalg.norm(other, axis=1)[:, None]) == np.inf
    assert (vectors.at(vectors.terms.y).derivatives == 0).all()
    at = vectors.at(scores + 0.3 * moves)
    value, slope = at.value, at.derivative_along(moves)
    assert value == pytest.approx(vectors.at(scores + 0.3 * moves).value)
    ends = [vectors.at(scores + x * moves).value for x in (0.3 + 1e-6, 0.3 - 1e-6)]
    assert slope == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-5)
    there, rate = vectors.at(scores).along(moves, 0.3)
    assert (there.value, rate) == (pytest.approx(value), pytest.approx(slope))


@pytest.mark.parametrize("q", [1e-3, 1.0, 50.0])
def test_dual_steps_of_vectors_beat_others(vectors, q):
    rng = np.random.default_rng(6)
    scores, old, other = rng.standard_normal((3, N, K))
    step = vectors.dual_steps(scores, old, q)[0]

    def gains(alphas):
        own = vectors.loss.smoothing / 2 * (alphas**2).sum(axis=1) - (vectors.terms.y * alphas).sum(
            axis=1
        )
        return -own - (scores * alphas).sum(axis=1) - q / 2 * ((alphas - old) ** 2).sum(axis=1)

    assert (np.linalg.norm(step, axis=1) <= 1 + 1e-12).all()
    other /= np.maximum(np.linalg.norm(other, axis=1), 1)[:, None]
    for part in (1.0, 0.1, 1e-3):
        rival = step + part * (other - step)
        assert (gains(step) >= gains(rival) - 1e-12 * (1 + q)).all()


@pytest.mark.parametrize("free", [False, True])
def test_moments_are_those_of_each_task(free):
    rng = np.random.default_rng(6)
    n, d, k = 40, 3, 4
    X, costs = rng.standard_normal((n, d)), rng.uniform(0.1, 2, n)
    tasks = rng.integers(0, k - 1, n)  # the last has no example
    rows = task_rows(Problem.from_arrays(X, np.ones(n)).rows, np.arange(n), tasks, k)
    condition = Intercept() if free else None
    risk = TaskRisk(rows, Absolute(0), np.zeros(n), costs, tasks, k, condition=condition)
    gram = risk.gram()
    assert gram.shape == (d, d, k)
    for t in range(k):
        own, c = X[tasks == t], costs[tasks == t]
        if free and len(c):
            own = own - np.average(own, axis=0, weights=c)
        np.testing.assert_allclose(gram[:, :, t], (own.T * c) @ own, atol=1e-12)
