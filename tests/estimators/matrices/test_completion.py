"""MatrixCompletion: the optimum of a conic solver, certificates, and each mistake's sentence."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import coo_array
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from rrmlinear import MatrixCompletion
from rrmlinear.solvers.loop.result import Status

P, Q = 9, 7
NUMBERS = {
    "absolute": {},
    "squared": {},
    "huber": {"huber": 0.4},
    "quantile": {"quantile": 0.3},
    "epsilon-insensitive": {"epsilon": 0.2},
    "squared-epsilon-insensitive": {"epsilon": 0.2},
    "hinge": {},
}


@pytest.fixture(scope="module")
def entries():
    """Entries with a row and a column of none, one of them three times, and levels of them."""
    rng = np.random.default_rng(0)
    W = rng.normal(size=(P, 2)) @ rng.normal(size=(2, Q)) + 0.2 * rng.normal(size=(P, Q))
    rows, columns = np.nonzero(rng.random((P, Q)) < 0.6)
    kept = (rows != 4) & (columns != 2)
    rows, columns = np.append(rows[kept], [0, 0]), np.append(columns[kept], [0, 0])
    values = W[rows, columns] + 0.1 * rng.normal(size=len(rows))
    return rows, columns, values, np.digitize(values, [-1.0, 0.3, 1.0]) + 1.0


def phi(cp, loss, x, y):
    """The loss in cvxpy, x a vector of entries."""
    r = y - x
    if loss == "hinge":
        above = y[:, None] > np.arange(1, 4)
        signs, thresholds = np.where(above, 1.0, -1.0), np.array([0.0, 3.0, 6.0])
        return sum(cp.pos(1 - cp.multiply(signs[:, j], x - thresholds[j])) for j in range(3))
    return {
        "absolute": lambda: cp.abs(r),
        "squared": lambda: cp.square(r) / 2,
        "huber": lambda: cp.huber(r, 0.4) / 2,
        "quantile": lambda: cp.maximum(0.3 * r, -0.7 * r),
        "epsilon-insensitive": lambda: cp.pos(cp.abs(r) - 0.2),
        "squared-epsilon-insensitive": lambda: cp.square(cp.pos(cp.abs(r) - 0.2)),
    }[loss]()


def the_certificate(model, rows, columns, y, costs):
    """Primal and dual from the factors and the duals alone, in NumPy, and the dual's norm."""
    W = (model.left_ * model.singular_values_) @ model.right_.T
    levels = np.unique(y)
    labels = np.searchsorted(levels, y).astype(float) if model.loss == "hinge" else y
    loss = model._loss(y)[1]
    primal = np.linalg.svd(W, compute_uv=False).sum()
    primal += costs @ loss.values(labels, W[rows, columns])
    sums = np.zeros(W.shape)
    np.add.at(sums, (rows, columns), costs * model.dual_coef_)
    dual = -costs @ loss.conjugates(labels, model.dual_coef_)
    return primal, dual, np.linalg.norm(sums, 2)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("C", [0.3, 3.0])
@pytest.mark.parametrize("loss", NUMBERS)
def test_the_optimum_is_that_of_a_conic_solver(entries, loss, C, weighted):
    cp = pytest.importorskip("cvxpy")
    rows, columns, y = *entries[:2], entries[3 if loss == "hinge" else 2]
    weights = np.random.default_rng(1).random(len(y)) * (np.arange(len(y)) != 3)
    model = MatrixCompletion(loss, C=C, tol=1e-7, **NUMBERS[loss])
    model.fit(rows, columns, y, shape=(P, Q), sample_weight=weights if weighted else None)
    assert model.status_ is Status.SOLVED
    costs = C * (weights if weighted else np.ones(len(y)))
    W = cp.Variable((P, Q))
    total = costs @ phi(cp, loss, W[rows, columns], y)
    problem = cp.Problem(cp.Minimize(cp.normNuc(W) + total))
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-9, tol_gap_rel=1e-9)
    primal, dual, norm = the_certificate(model, rows, columns, y, costs)
    assert model.duality_gap_ == pytest.approx(primal - dual, abs=1e-10 * primal)
    assert norm <= 1 + 1e-12
    assert -1e-10 * primal <= model.duality_gap_ <= 1e-7 * max(1, primal)
    assert primal == pytest.approx(problem.value, rel=3e-7, abs=1e-6)


def test_alpha_is_of_the_mean_loss(entries):
    rows, columns, y = entries[:3]
    weights = np.arange(len(y)) % 3 + 0.5
    by_alpha = MatrixCompletion(alpha=0.02, tol=1e-8).fit(rows, columns, y, sample_weight=weights)
    by_C = MatrixCompletion(C=1 / (0.02 * weights.sum()), tol=1e-8)
    by_C.fit(rows, columns, y, sample_weight=weights)
    assert_array_equal(by_alpha.left_, by_C.left_)


def test_a_matrix_and_its_triplets_are_the_same(entries):
    rows, columns, y = entries[:3]
    once = np.unique(rows * Q + columns, return_index=True)[1]
    rows, columns, y = rows[once], columns[once], y[once].copy()
    y[5] = 0.0  # a stored zero is an entry
    matrix = coo_array((y, (rows, columns)), shape=(P, Q))
    one = MatrixCompletion(C=2.0).fit(matrix)
    other = MatrixCompletion(C=2.0).fit(rows, columns, y, shape=(P, Q))
    assert_array_equal(one.left_, other.left_)
    assert_array_equal(one.dual_coef_, other.dual_coef_)


def test_rows_and_columns_without_entries_are_zero(entries):
    model = MatrixCompletion(C=2.0, tol=1e-6).fit(*entries[:3], shape=(P + 2, Q + 1))
    assert (model.left_.shape[0], model.right_.shape[0]) == (P + 2, Q + 1)
    assert_allclose(model.predict([4, P, P + 1], [0, 1, Q]), 0, atol=1e-12)
    assert_allclose(model.predict([0, 1], [2, Q]), 0, atol=1e-12)


def test_levels_are_predicted_as_they_are_called(entries):
    rows, columns, _, y = entries
    plain = MatrixCompletion("hinge", C=5.0, tol=1e-6).fit(rows, columns, y)
    assert_array_equal(plain.thresholds_, [0, 3, 6])
    assert (plain.predict(rows, columns) == y).mean() > 0.95
    renamed = MatrixCompletion("hinge", C=5.0, thresholds=[0, 3, 6], tol=1e-6)
    renamed.fit(rows, columns, np.array([0.0, -7, 1, 2.5, 100])[y.astype(int)])
    assert_array_equal(renamed.classes_, [-7, 1, 2.5, 100])
    assert_array_equal(renamed.left_, plain.left_)


def test_an_unfinished_fit_warns_and_still_has_its_gap(entries):
    model = clone(MatrixCompletion(tol=1e-9, max_iter=3))
    with pytest.warns(ConvergenceWarning, match="the limit on passes was reached"):
        model.fit(*entries[:3])
    primal, dual, norm = the_certificate(model, *entries[:3], np.ones(len(entries[0])))
    assert model.duality_gap_ == pytest.approx(primal - dual, rel=1e-9)
    assert norm <= 1 + 1e-12


def test_a_cost_above_all_duals_is_as_quick_as_one(entries):
    # entries that W meets exactly: from some cost on, a higher one changes nothing
    rows, columns, values, _ = entries
    few = rows[:12], columns[:12], values[:12]
    norms = [MatrixCompletion(C=C).fit(*few).singular_values_.sum() for C in (10.0, 1e3, 1e5, 1e7)]
    assert_allclose(norms, norms[0], rtol=2e-3)


def test_the_callback_sees_each_pass_and_stops_the_fit(entries):
    seen = []
    model = MatrixCompletion(tol=1e-9, callback=lambda row: seen.append(row) or len(seen) == 4)
    with warnings.catch_warnings(action="error", category=ConvergenceWarning):
        model.fit(*entries[:3])
    assert (model.n_iter_, model.status_) == (4, Status.STOPPED_BY_CALLER)


@pytest.mark.parametrize(
    ("choices", "given", "message"),
    [
        ({}, ([0, -1], [0, 0], [1, 2]), r"rows\[1\] is -1; allowed are at least 0"),
        ({}, ([0, 1], [0, 5], [1, 2], (2, 5)), r"columns\[1\] is 5; allowed are 0 … 4"),
        ({}, ([0, 1.5], [0, 0], [1, 2]), "rows must be whole numbers, got float64"),
        ({}, ([[0], [1]], [0, 0], [1, 2]), r"rows must be a list of indices, got shape \(2, 1\)"),
        ({}, ([0, 1], [0], [1, 2]), "rows has 2 numbers and columns has 1; each"),
        ({}, ([0, 1], [0, 1], [1]), "rows has 2 numbers and values has 1; each"),
        ({}, ([0, 1], [0, 1], [1, np.nan]), r"values\[1\] is nan; it must be finite"),
        ({}, ([0, 1], [0, 1], [1, 1j]), "values must be numbers: complex"),
        ({}, ([], [], []), "there are no entries; at least one is needed"),
        ({}, ([0],), "rows, columns and values must be given, or a sparse matrix alone"),
        ({}, ([0], [0], [1], (0, 2)), r"shape is \(0, 2\); it must be two whole numbers"),
        ({}, (coo_array(np.eye(2)), [0], [1]), "a sparse matrix is given with columns or values"),
        ({}, (coo_array(np.eye(2)), None, None, (3, 3)), "but the matrix has shape"),
        ({"loss": "huge"}, ([0], [0], [1]), "loss is 'huge'; it must be one of squared, "),
        ({"epsilon": 0.1}, ([0], [0], [1]), "epsilon"),
        ({"loss": "hinge", "epsilon": 0.1}, ([0, 1], [0, 0], [1, 2]), "epsilon has no effect"),
        ({"thresholds": [0]}, ([0], [0], [1]), "thresholds have no effect with loss 'absolute'"),
        ({"loss": "hinge"}, ([0], [0], [1]), "all values are 1; the hinge needs at least two"),
        (
            {"loss": "hinge", "thresholds": [0, 1]},
            ([0, 1], [0, 0], [1, 2]),
            "there are 2 thresholds and 2 levels of values; 1 thresholds are needed",
        ),
        ({}, ([0, 1], [0, 0], [1e200, 1]), "leave the range of double precision"),
        ({"C": 1.0, "alpha": 1.0}, ([0], [0], [1]), "only one of them may be given"),
        ({"C": -1.0}, ([0], [0], [1]), "The 'C' parameter of MatrixCompletion must be"),
        ({"tol": 0}, ([0], [0], [1]), "The 'tol' parameter of MatrixCompletion must be"),
    ],
)
def test_mistakes_get_a_sentence(choices, given, message):
    rows, columns, values, shape = (*given, *[None] * (4 - len(given)))
    with pytest.raises(ValueError, match=message):
        MatrixCompletion(**choices).fit(rows, columns, values, shape=shape)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], "rows has 2 numbers and sample_weight has 1; each"),
        ([1.0, -2.0], r"sample_weight\[1\] is -2.0; it must be at least 0"),
        ([0.0, 0.0], "sample_weight is zero for all entries"),
        (np.ma.masked_array([1.0, 2.0], [0, 1]), "sample_weight must be numbers: masked entries"),
    ],
)
def test_wrong_weights_get_a_sentence(weights, message):
    with pytest.raises(ValueError, match=message):
        MatrixCompletion().fit([0, 1], [0, 1], [1, 2], sample_weight=weights)


def test_predictions_outside_the_matrix_are_refused(entries):
    model = MatrixCompletion().fit(*entries[:3])
    with pytest.raises(ValueError, match=r"rows\[0\] is 9; allowed are 0 … 8"):
        model.predict([P], [0])
    with pytest.raises(ValueError, match="rows has 2 numbers and columns has 1; each"):
        model.predict([0, 1], [0])
