"""Labels over containers: mapped, and streamed past memory, with the optimum of rows in memory."""

import numpy as np
import pytest
import scipy.sparse as sp

from rrmlinear import MultilabelProblem, Parameter, fit_labels, write_container
from rrmlinear.catalog.errors import ChoiceError

N, D, K = 5000, 300, 5
MEMORY = 1_800_000


@pytest.fixture(scope="module")
def problem():
    chance = np.random.default_rng(0)
    X = sp.random_array((N, D), density=0.2, rng=chance, format="csr")
    X = X.multiply(1 / np.sqrt(X.power(2).sum(axis=1))[:, None]).tocsr()
    scores = X @ chance.normal(size=(D, K)) + 0.5 * chance.normal(size=(N, K)) - 0.5
    order = np.argsort(scores[:, 0])  # blocks of rows with and without a label
    return MultilabelProblem.from_arrays(X[order], scores[order] > 0, chance.uniform(0.5, 2, N))


@pytest.fixture(scope="module")
def path(problem, tmp_path_factory):
    path = tmp_path_factory.mktemp("labels") / "data.rrm"
    write_container(path, problem)
    assert path.stat().st_size > MEMORY
    return path


@pytest.mark.parametrize(
    ("asked", "more"),
    [
        ({"threads": 2, "memory": 3_200_000}, {"prune": 0.01}),
        ({"loss": "logistic", "free_bias": True, "gap_tol": 1e-2}, {}),
        ({"gap_tol": 1e-5, "C": 0.1, "memory": 2_600_000}, {"keeps_duals": True}),
        ({"loss": "hinge", "solver": 32, "gap_tol": 1e-2}, {}),
    ],
)
def test_streamed_labels_have_the_optimum(problem, path, asked, more):
    given = {"memory": MEMORY, **asked}
    streamed = fit_labels(MultilabelProblem.open(path).with_bias(1.0), Parameter(**given), **more)
    asked = {name: value for name, value in given.items() if name != "memory"}
    whole = fit_labels(problem.with_bias(1.0), Parameter(**asked), **more)
    assert any("examples are streamed in" in note for note in streamed.result.notes)
    for result in (streamed.result, whole.result):
        assert result.solved
        tolerance = result.tolerance
        assert (result.proven <= tolerance * result.primal * (1 + 1e-6)).all()
    if "prune" not in more:
        difference = np.abs(streamed.result.primal - whole.result.primal)
        assert (difference <= 1.1 * tolerance * whole.result.primal).all()
    assert (streamed.result.dual <= whole.result.primal * (1 + 1e-9)).all()


def test_a_mapped_container_has_the_bits_of_memory(problem, path):
    mapped, whole = (
        fit_labels(each.with_bias(1.0), Parameter())
        for each in (MultilabelProblem.open(path), problem)
    )
    assert (mapped.weights != whole.weights).nnz == 0
    assert not mapped.result.notes


def test_memory_that_is_too_small_is_told(problem, path):
    with pytest.raises(ChoiceError, match="duals, weights and blocks of examples take"):
        fit_labels(MultilabelProblem.open(path), Parameter(memory=100_000))
    with pytest.raises(ChoiceError, match="these examples are in memory already"):
        fit_labels(problem, Parameter(memory=MEMORY))
