"""Results depend on the seed, not on the form of the data or the number of threads."""

import numpy as np
import pytest
from scipy import sparse

import rrmlinear


def csr(X, values=np.float64, indices=np.int32):
    matrix = sparse.csr_array(X)
    matrix.data = matrix.data.astype(values)
    matrix.indices = matrix.indices.astype(indices)
    matrix.indptr = matrix.indptr.astype(indices)
    return matrix


SPARSE_FORMS = {
    "CSR matrix": lambda X: sparse.csr_matrix(X),
    "int64": lambda X: csr(X, indices=np.int64),
    "float32": lambda X: csr(X, values=np.float32),
    "float32 int64": lambda X: csr(X, values=np.float32, indices=np.int64),
    "CSC": lambda X: sparse.csc_array(X),
    "COO": lambda X: sparse.coo_array(X),
}
DENSE_FORMS = {
    "F order": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "float32 F": lambda X: np.asfortranarray(X.astype(np.float32)),
    "big-endian": lambda X: X.astype(">f8"),
    "strided": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "lists": lambda X: X.tolist(),
}


@pytest.fixture(scope="module")
def small(small_problem):
    """Values that float32 holds exactly, half of them zero."""
    small = small_problem(80, 9, 5, seed=1, density=0.5)
    small.X[:] = np.round(small.X * 64) / 64
    return small


def train(fit, X, y, **choices):
    return fit(rrmlinear.Problem.from_arrays(X, y), C=0.3, **choices)


@pytest.mark.parametrize("form", SPARSE_FORMS)
def test_every_sparse_form_gives_the_same_bits(fit, small, form):
    expected = train(fit, csr(small.X), small.y)
    found = train(fit, SPARSE_FORMS[form](small.X), small.y)
    assert found.weights.tobytes() == expected.weights.tobytes()


@pytest.mark.parametrize("form", DENSE_FORMS)
def test_every_dense_form_gives_the_same_bits(fit, small, form):
    expected = train(fit, small.X, small.y)
    found = train(fit, DENSE_FORMS[form](small.X), small.y)
    assert found.weights.tobytes() == expected.weights.tobytes()


def test_stored_zeros_change_nothing(fit, small):
    matrix = csr(small.X)
    everything = sparse.csr_array(np.ones_like(small.X))
    everything.data[:] = small.X.ravel()
    found = train(fit, everything, small.y, gap_tol=1e-7, accelerate=False)
    expected = train(fit, matrix, small.y, gap_tol=1e-7, accelerate=False)
    np.testing.assert_allclose(found.weights, expected.weights, atol=1e-9)


@pytest.mark.parametrize("form", [np.ascontiguousarray, csr])
@pytest.mark.parametrize("k", [2, 5, 30, 150])
def test_bias_equals_an_appended_column(small_problem, fit, form, k):
    small = small_problem(2 * k + 40, 5, k, seed=k, density=0.7)
    appended = np.hstack([small.X, np.full((len(small.X), 1), 1.5)])
    by_bias = rrmlinear.Problem.from_arrays(form(small.X), small.y, bias=1.5)
    by_column = rrmlinear.Problem.from_arrays(form(appended), small.y)
    by_bias = fit(by_bias, C=0.3, max_passes=30, accelerate=False)
    by_column = fit(by_column, C=0.3, max_passes=30, accelerate=False)
    np.testing.assert_allclose(by_bias.weights, by_column.weights, atol=1e-9)
    scores = by_bias.decision_function(form(small.X))
    np.testing.assert_allclose(scores, appended @ by_bias.weights, atol=1e-12)


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize(("n", "d", "k"), [(1000, 16, 1000), (300, 60, 150), (400, 500, 26)])
@pytest.mark.parametrize("form", [np.ascontiguousarray, csr])
def test_any_number_of_threads_gives_the_same_bits(small_problem, fit, threads, n, d, k, form):
    small = small_problem(n, d, k, seed=k)
    alone = train(fit, form(small.X), small.y, max_passes=6)
    together = train(fit, form(small.X), small.y, max_passes=6, threads=threads)
    assert "one thread" not in " ".join(together.result.notes)
    assert together.weights.tobytes() == alone.weights.tobytes()
    assert together.result.duals.values.tobytes() == alone.result.duals.values.tobytes()
    assert [row.gap for row in together.result.trace] == [row.gap for row in alone.result.trace]


def test_threads_that_would_not_pay_are_left_out_and_said(small_problem, fit):
    result = fit(small_problem(60, 5, 4).problem(), threads=4).result
    assert len(result.notes) == 1
    assert result.notes[0].startswith("one thread is used, not 4: ")


@pytest.mark.parametrize("k", [2, 3, 4, 5, 8, 9])
def test_few_classes_of_many_features_are_not_torn_apart(small_problem, fit, certify, k):
    small = small_problem(80, 1500, k, seed=k)
    problem = small.problem()
    alone, together = fit(problem, C=1e-3), fit(problem, C=1e-3, threads=4)
    used = (k + 7) // 8
    note = f"{used} of 4 threads are used: each takes at least 8 classes, and there are {k}"
    assert together.result.notes == (note,)
    assert together.weights.tobytes() == alone.weights.tobytes()
    found = certify(problem, together)
    away = together.weights - found.weights_of_duals  # a multiple of the weights may be nearer
    assert (away**2).sum() / 2 <= found.primal - found.dual
    assert found.primal - found.dual == pytest.approx(together.result.gap, rel=1e-6)
