"""Products shared among threads: equal to those of one thread, with the same bits each time."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.data.rows import Rows
from rrmlinear.losses.margin import Hinge, SmoothHinge
from rrmlinear.losses.multiclass import CrammerSinger
from rrmlinear.risks.scores import BlockRisk, ScalarRisk

# With this number of examples threads share the products.
N, D = 50_003, 40


def data(form, dtype, index=np.int32, density=0.3):
    rng = np.random.default_rng(0)
    X = (rng.standard_normal((N, D)) * (rng.random((N, D)) < density)).astype(dtype)
    X[: N // 2] *= rng.random((N // 2, D)) < 0.2  # the first half of the rows is nearly empty
    y = rng.choice([-1.0, 1.0], N)
    if form == "dense":
        return Rows(X, None, None, D, 2.0), X.astype(np.float64), y, rng
    sparse = csr_array(X)
    indices, indptr = sparse.indices.astype(index), sparse.indptr.astype(index)
    return Rows(sparse.data, indices, indptr, D, 2.0), X.astype(np.float64), y, rng


FORMS = [("dense", np.int32), ("sparse", np.int32), ("sparse", np.int64)]


@pytest.mark.parametrize("threads", [2, 7])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("form", "index"), FORMS)
@pytest.mark.parametrize("kept", [1.0, 0.02, 0.0])
def test_products_are_those_of_the_matrix(form, index, dtype, threads, kept):
    rows, X, y, rng = data(form, dtype, index)
    costs = rng.random(N) * (rng.random(N) < kept)
    risk = ScalarRisk(rows, SmoothHinge(0.1), y, costs, threads=threads)
    X = np.c_[X, np.full(N, 2.0)]
    w, derivatives = rng.standard_normal(D + 1), rng.standard_normal(N)
    np.testing.assert_allclose(risk.scores(w), X @ w, rtol=1e-12, atol=1e-13)
    expected = X.T @ (costs * derivatives)
    np.testing.assert_allclose(risk.gradient(derivatives), expected, rtol=1e-12, atol=1e-12)
    again = ScalarRisk(rows, SmoothHinge(0.1), y, costs, threads=threads)
    for _ in range(2):
        assert again.scores(w).tobytes() == risk.scores(w).tobytes()
        assert again.gradient(derivatives).tobytes() == risk.gradient(derivatives).tobytes()


@pytest.mark.parametrize(("form", "index"), FORMS)
def test_products_of_blocks_are_those_of_one_thread(form, index):
    rows, _, _, rng = data(form, np.float64, index)
    label = rng.integers(0, 5, N).astype(np.int32)
    one, three = (
        BlockRisk(rows, CrammerSinger(), label, 5, np.full(N, 0.5), threads=t) for t in (1, 3)
    )
    W = rng.standard_normal((D + 1, 5))
    scores = three.scores(W)
    assert scores.tobytes() == one.scores(W).tobytes()
    gradient = three.gradient(three.at(scores).derivatives)
    np.testing.assert_allclose(gradient, one.gradient(one.at(scores).derivatives), atol=1e-11)
    assert gradient.tobytes() == three.gradient(three.at(scores).derivatives).tobytes()


def test_empty_problems_have_products():
    rows = Problem.from_arrays(np.zeros((2, 0)), np.array([1.0, -1.0])).rows
    risk = ScalarRisk(rows, Hinge(), np.array([1.0, -1.0]), np.ones(2), threads=2)
    assert (risk.scores(np.zeros(0)) == 0).all()
    assert risk.gradient(np.ones(2)).shape == (0,)
