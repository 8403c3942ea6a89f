"""PairAscent: the optimum of other solvers, whatever rows are kept, and where it gives up."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from rrmlinear.data.rows import Rows
from rrmlinear.losses.margin import Hinge, SmoothHinge, SquaredHinge
from rrmlinear.losses.regression import Absolute, EpsilonInsensitive, Huber, Quantile
from rrmlinear.regularizers.separable import L2
from rrmlinear.solvers.dual.intercept import InterceptAscent
from rrmlinear.solvers.dual.pairs.kernel_rows import KernelRows
from rrmlinear.solvers.dual.pairs.pair_ascent import PairAscent, SlowAscentError
from rrmlinear.solvers.dual.prox_sdca import ProxSDCA
from rrmlinear.solvers.loop.result import Status, Stopping
from rrmlinear.solvers.loop.task import Task

N = 150
TIGHT = Stopping(gap_tol=1e-9, max_passes=20_000)
ROUGH = Stopping(gap_tol=1e-6, max_passes=20_000)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((N, 4))
    y = np.where(X[:, 0] + 0.5 * rng.standard_normal(N) > 0, 1.0, -1.0)
    costs = rng.uniform(0.1, 3, N)
    costs[::17] = 0
    return X, y, costs


def rows_of(K):
    return KernelRows(K.diagonal().copy(), lambda some, out: np.take(K, some, axis=0, out=out))


def pairs_of(kernel, y, costs, loss=None, bias=1.0, free=True, start=None, **most):
    given = SimpleNamespace(bias=bias), y, costs, loss or Hinge(), L2()
    return PairAscent(Task.of_rows(*given, start=start, free_bias=free), kernel, **most)


@pytest.mark.parametrize(
    "loss",
    [
        *(Hinge(), SmoothHinge(0.3), SquaredHinge(), Absolute(), EpsilonInsensitive(0.2)),
        *(Huber(0.5), Quantile(0.6)),
    ],
)
@pytest.mark.parametrize("intercept", ["free", "appended", "none"])
def test_a_linear_kernel_has_the_optimum_of_the_linear_problem(data, loss, intercept):
    X, y, costs = data
    bias = -1.0 if intercept == "none" else 2.0
    given = {"free": intercept == "free", "bias": bias}
    found = pairs_of(rows_of(X @ X.T), y, costs, loss, **given).solve(TIGHT)
    kind = InterceptAscent if intercept == "free" else ProxSDCA
    given = Rows(X, None, None, 4, bias), y, costs, loss, L2()
    linear = kind(Task.of_rows(*given, free_bias=intercept == "free")).solve(ROUGH)
    assert found.status is linear.status is Status.SOLVED
    assert found.primal == pytest.approx(linear.primal, rel=2e-6)
    w = X.T @ found.weights[:N]
    assert_allclose(w, linear.weights[:4], atol=2e-2)
    assert len(found.weights) == N + (bias > 0)
    assert_allclose(found.weights[N:], linear.weights[4:], atol=2e-2)
    assert_allclose(found.weights[:N], costs * found.duals, atol=1e-12)


def test_the_same_optimum_with_room_for_few_rows():
    rng = np.random.default_rng(3)
    n, X = 600, rng.standard_normal((600, 4))
    y = np.where(X[:, 0] + 0.5 * rng.standard_normal(n) > 0, 1.0, -1.0)
    K, costs = rbf_kernel(X, gamma=0.5), rng.uniform(0.1, 3, n)
    whole = pairs_of(KernelRows.of(K), y, costs)
    first = whole.solve(TIGHT)
    asked = []

    def some(examples, out):
        asked.extend(examples)
        out[:] = K[examples]

    few = KernelRows(K.diagonal().copy(), some, kept_bytes=0)
    assert len(few.store) < n / 4
    second = pairs_of(few, y, costs).solve(TIGHT)
    assert second.status is Status.SOLVED
    assert len(asked) > len(few.store)
    assert second.primal == pytest.approx(first.primal, rel=3e-9)
    kept = np.flatnonzero(few.slot >= 0)
    assert_allclose(few.store[few.slot[kept]], K[kept])
    w = np.linspace(-1, 1, n) * (np.arange(n) % 3 > 0)
    assert_allclose(few.times(w), K @ w, atol=1e-12)


def test_the_duals_of_libsvm_and_a_start_from_them(data):
    X, y, costs = data
    costs = costs + 0.1  # LIBSVM counts examples without those of cost 0
    K = rbf_kernel(X, gamma=0.5)
    svc = SVC(C=1.0, kernel="precomputed", tol=1e-10).fit(K, y, costs)
    betas = np.zeros(N)
    betas[svc.support_] = svc.dual_coef_[0]
    found = pairs_of(rows_of(K), y, costs).solve(TIGHT)
    assert_allclose(found.weights[:N], betas, atol=1e-5)
    assert found.weights[N] == pytest.approx(svc.intercept_[0], abs=1e-5)
    assert found.support["duals"] == np.count_nonzero(found.duals)
    at_bound = np.isclose(np.abs(found.duals), 1, atol=1e-12).sum()
    assert found.support["at_bound"] == at_bound
    again = pairs_of(rows_of(K), y, costs, start=found.duals)
    assert again.solve(TIGHT).passes == 1
    same = pairs_of(rows_of(K), y, costs).solve(TIGHT)
    assert same.weights.tobytes() == found.weights.tobytes()


def test_gives_up_where_the_rate_asks_for_too_many_steps(data):
    X, y, _ = data
    costs = np.full(N, 1e4)
    slow = pairs_of(rows_of(X @ X.T), y, costs, most_steps=20_000)
    with pytest.raises(SlowAscentError):
        slow.solve(TIGHT)
    assert slow.budget.steps < 20_000
    easy = np.full(N, 1e-3)
    fast = pairs_of(rows_of(X @ X.T), y, easy, most_steps=20_000)
    assert fast.solve(TIGHT).status is Status.SOLVED


def test_equal_points_of_both_labels():
    y = np.array([1.0, -1.0, 1.0, -1.0])
    found = pairs_of(rows_of(np.ones((4, 4))), y, np.ones(4)).solve(TIGHT)
    assert found.status is Status.SOLVED
    assert found.primal == pytest.approx(4)
