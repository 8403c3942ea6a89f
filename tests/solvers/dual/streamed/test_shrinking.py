"""Passes over a copy of the examples with a gap."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Parameter, Problem, fit, write_container
from rrmlinear.data.container import kept

pytestmark = pytest.mark.usefixtures("small_blocks")
N, D = 2000, 20
CHOICES = [
    {"loss": "hinge", "solver": 32},
    {"loss": "squared-hinge", "solver": 32},
    {"loss": "hinge", "free_bias": True, "solver": 32},
    {"solver": 30},
    {"loss": "hinge", "regularizer": "elastic-net", "l1": 0.5, "solver": 32},
]


@pytest.fixture(scope="module")
def container(tmp_path_factory):
    """Most examples are far from the boundary."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3 * N, D)) * (rng.random((3 * N, D)) < 0.5)
    scores = X @ rng.normal(size=(D, 3))
    apart = np.diff(np.sort(scores, axis=1)[:, 1:])[:, 0]
    far = np.argsort(-apart)[:N]
    X, scores = X[far], scores[far]
    path = tmp_path_factory.mktemp("shrinking") / "c.rrm"
    write_container(path, Problem.from_arrays(csr_array(X), scores.argmax(axis=1).astype(float)))
    return path


@pytest.fixture
def two(container, tmp_path):
    problem = Problem.open(container)
    path = tmp_path / "two.rrm"
    labels = np.where(problem.labels == 0, 1.0, -1.0)
    write_container(path, Problem(problem.rows, labels))
    return path


def held(path, choices):
    problem = Problem.open(path)
    if choices.get("free_bias"):
        problem = problem.with_bias(1.0)
    memory = path.stat().st_size // 4
    choices = {"gap_tol": 1e-3, **choices}
    whole = fit(problem, Parameter(**choices)).result
    return whole, fit(problem, Parameter(memory=memory, **choices)).result


def is_copied(result):
    return any("on a copy of" in note for note in result.notes)


@pytest.mark.parametrize("choices", CHOICES, ids=str)
def test_the_optimum_is_that_of_all_examples(container, two, choices):
    whole, result = held(container if choices["solver"] == 30 else two, choices)
    assert is_copied(result)
    assert result.solved
    assert result.primal <= whole.primal + result.gap + whole.gap
    assert result.primal >= whole.dual - 1e-9 * abs(whole.dual)


def test_without_a_folder_to_write_all_examples_are_read(two, monkeypatch):
    def refuse(*args, **kwargs):
        raise OSError("no room")

    monkeypatch.setattr(kept.tempfile, "TemporaryFile", refuse)
    _, result = held(two, {"loss": "hinge"})
    assert result.solved
    assert not is_copied(result)
