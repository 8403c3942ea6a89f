"""Steps on faces, and the cuts of the data that they take: the same numbers, and no second copy."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.sparse import random_array

from rrmlinear import Parameter, Problem, fit
from rrmlinear.solvers.features.models.gram_model import GramModel
from rrmlinear.solvers.features.models.model import Begin


def sparse(n, d, density, seed=0):
    return random_array((n, d), density=density, rng=np.random.default_rng(seed), format="csr")


@pytest.mark.parametrize(("loss", "C"), [("squared-hinge", 100.0), ("logistic", 1000.0)])
def test_separable_text_with_wild_counts_is_solved(loss, C):
    rng = np.random.default_rng(0)
    X = sparse(n=300, d=1500, density=0.02, seed=4)
    X.data = np.floor(rng.pareto(1.0, X.nnz)) + 1
    problem = Problem.from_arrays(X, np.where(rng.random(300) < 0.5, 1.0, -1.0))
    parameter = Parameter(loss=loss, C=C, regularizer="l1", gap_tol=1e-6, max_passes=1000)
    result = fit(problem, parameter).result
    assert result.status.name == "SOLVED"
    assert np.count_nonzero(result.weights) > 150


def test_models_have_all_features_where_there_are_more_examples():
    X, rng = sparse(n=4000, d=500, density=0.25), np.random.default_rng(0)
    y = np.where(X @ rng.normal(size=500) + 3 * rng.normal(size=4000) > 0, 1.0, -1.0)
    parameter = Parameter(loss="logistic", regularizer="l1", gap_tol=1e-6, max_passes=6)
    result = fit(Problem.from_arrays(X, y), parameter).result
    assert result.status.name == "SOLVED"
    assert result.primal == pytest.approx(1266.28966949, rel=1e-6)  # of LIBLINEAR


@pytest.mark.parametrize("seed", [3, 22, 169])
def test_a_model_is_lowered_where_columns_depend_on_others_nearly(seed):
    """Examples of little curvature tell them apart: a long step along the rest raises the model."""
    rng = np.random.default_rng(seed)
    Z = rng.integers(0, 2, (60, 9)).astype(float)
    Z = np.hstack([Z, Z[:, :3] @ rng.integers(-1, 2, (3, 3)) + Z[:, 3:6]])
    many, h = rng.integers(0, 2, (3000, 12)).astype(float), 10.0 ** rng.uniform(0, 4)
    gram = h * Z.T @ Z + 1e-10 * h * many.T @ many
    linear = h * Z.T @ rng.normal(size=60) * 0.5 + rng.normal(size=12)
    begin, usable = rng.normal(size=12) * 10.0 ** rng.uniform(0, 3), np.ones(12, dtype=bool)
    at = Begin(np.arange(12), usable, None, linear, begin, np.ones(12), np.zeros(12))
    model = GramModel(gram.copy(), at, 1e-8)
    before, _ = model.value(), model.minimize()
    w, move = model.weights, model.weights - begin
    assert move @ gram @ move / 2 - linear @ move + np.abs(w).sum() < before


#: Growth of memory by a cut over the bytes of its result. Writing 5 sets the peak to the present.
GROWTH = """
import numpy as np
from scipy import sparse
from rrmlinear import Problem
from rrmlinear.solvers.features._feature_descent import cut_rows
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
matrix = sparse.random(100000, 300, density=0.2, format="csr", rng=np.random.default_rng(0))
rows = Problem.from_arrays(matrix, np.ones(100000)).rows
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
before = peak()
cut = cut_rows(rows, np.arange(290))
print((peak() - before) / (12 * cut.n_stored))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is read from /proc")
def test_a_cut_to_most_features_takes_little_more_memory_than_its_result():
    words = [sys.executable, "-c", GROWTH]
    done = subprocess.run(words, capture_output=True, check=True, text=True)
    assert 0.9 < float(done.stdout) < 1.15
