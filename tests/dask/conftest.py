"""Clusters of processes."""

import numpy as np
import pytest

distributed = pytest.importorskip(
    "distributed", reason="training over workers needs dask.distributed"
)


@pytest.fixture(scope="session")
def start():
    """A starter of (cluster, client): processes with a number of threads each."""

    def started(workers=2, threads=1):
        cluster = distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=threads,
            processes=True,
            dashboard_address=":0",
            silence_logs="CRITICAL",
        )
        return cluster, distributed.Client(cluster)

    return started


@pytest.fixture(scope="session")
def client(start):
    """The client of a cluster that no test harms."""
    cluster, client = start()
    with cluster, client:
        yield client


@pytest.fixture(scope="session")
def harmed(start):
    """A cluster whose workers are killed, and started again by their nannies, and its client."""
    cluster, client = start()
    with cluster, client:
        yield client


@pytest.fixture(scope="session")
def data():
    """A maker of (X, y) with a number of classes."""

    def make(classes=2, n=1200, d=15, seed=0):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((n, d))
        scores = X @ rng.standard_normal((d, classes)) + rng.standard_normal((n, classes))
        return X, scores.argmax(axis=1).astype(float) + 1

    return make
