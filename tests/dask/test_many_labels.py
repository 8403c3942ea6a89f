"""Many labels over workers have the bits of one process, also where a worker is killed."""

import os
import pickle
import signal

import numpy as np
import pytest
import scipy.sparse as sp
from label_problems import problem_of
from sklearn.base import clone

from rrmlinear import (
    MultilabelClassifier,
    MultilabelProblem,
    Parameter,
    fit_labels,
    write_container,
)

dask_rooms = pytest.importorskip("rrmlinear.dask")


@pytest.fixture(scope="module")
def problem():
    return problem_of(n=300, k=100)[0]


def assert_same(found, expected):
    assert found.result.solved
    assert (found.weights != expected.weights).nnz == 0
    assert (found.intercepts == expected.intercepts).all()
    for name in ("primal", "dual", "proven", "passes", "ended"):
        assert (getattr(found.result, name) == getattr(expected.result, name)).all()


@pytest.mark.parametrize(
    ("asked", "terms"),
    [
        ({}, {"prune": 0.1, "positive_weight": 2.0}),
        ({"loss": "hinge", "gap_tol": 1e-7}, {"keeps_duals": True}),
        ({"loss": "logistic", "regularizer": "elastic-net", "l1": 0.5}, {}),
    ],
)
def test_workers_have_the_bits_of_one_process(client, problem, asked, terms):
    seen = []
    over = dask_rooms.fit_labels(
        problem, Parameter(**asked), lambda name, _: seen.append(name), client=client, **terms
    )
    assert_same(over, fit_labels(problem, Parameter(**asked), **terms))
    assert sorted(seen) == list(range(100))
    if terms.get("keeps_duals"):
        again = dask_rooms.fit_labels(problem, Parameter(**asked), client=client, start=over)
        assert again.result.passes.sum() < over.result.passes.sum()


def test_workers_map_a_container(client, problem, tmp_path):
    write_container(tmp_path / "data.rrm", problem)
    mapped = MultilabelProblem.open(tmp_path / "data.rrm").with_bias(1.0)
    over = dask_rooms.fit_labels(mapped, Parameter(), client=client)
    assert_same(over, fit_labels(problem, Parameter()))
    write_container(tmp_path / "data.rrm", problem.take(np.arange(299)))
    with pytest.raises(ValueError, match=r"data\.rrm is another file here"):
        dask_rooms.fit_labels(mapped, Parameter(), client=client)


def test_a_killed_worker_costs_its_blocks(harmed, problem):
    harmed.wait_for_workers(2, timeout=60)
    pids, seen = harmed.run(os.getpid), []

    def see(name, end):
        seen.append(name)
        if len(seen) == 5:
            os.kill(pids[min(pids)], signal.SIGKILL)

    over = dask_rooms.fit_labels(problem, Parameter(), see, client=harmed, wait_limit=60)
    assert_same(over, fit_labels(problem, Parameter()))
    assert sorted(seen) == list(range(100))


def test_a_caller_and_a_limit_end_the_run(client, problem):
    seen = []

    def see(name, end):
        seen.append(name)
        return len(seen) == 3

    with pytest.warns(UserWarning, match="the caller asked to stop"):
        stopped = dask_rooms.fit_labels(problem, Parameter(), see, client=client)
    assert 3 <= stopped.result.ended.sum() < 100
    with pytest.warns(UserWarning, match="the time limit was reached"):
        late = dask_rooms.fit_labels(problem, Parameter(time_limit=1e-9), client=client)
    assert not late.weights.nnz


@pytest.mark.parametrize("thresholds", [None, "cv"])
def test_the_estimator_has_the_bits_of_one_process(client, problem, thresholds):
    X, Y = problem.rows.values, problem.labels.matrix()
    X = sp.csr_array((X, problem.rows.indices, problem.rows.indptr), problem.rows.shape)
    given = {"C": 2.0, "thresholds": thresholds}
    over = dask_rooms.MultilabelClassifier(client=client, **given)
    own = MultilabelClassifier(**given).fit(X, Y)
    for estimator in (over, clone(over)):
        estimator.fit(X, Y)
        assert (estimator.coef_ != own.coef_).nnz == 0
    assert pickle.loads(pickle.dumps(over)).client is None
    assert (over.predict(X) != own.predict(X)).nnz == 0
    over.fit_more(X, Y[:, :3])
    assert len(over.classes_) == 103


def test_wrong_arguments_are_named(client, problem):
    with pytest.raises(ValueError, match="wait_limit must be above 0"):
        dask_rooms.fit_labels(problem, client=client, wait_limit=0)
    with pytest.raises(TypeError, match="pruned"):
        dask_rooms.fit_labels(problem, client=client, pruned=1)
    with pytest.raises(ValueError, match="prune is -1"):
        dask_rooms.fit_labels(problem, client=client, prune=-1)
