"""Trainings in several threads at once over the same problem end with the bits of one by itself."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from rrmlinear import Parameter, Problem, fit

RNG = np.random.default_rng(3)
X = RNG.normal(size=(300, 12))
PROBLEM = Problem.from_arrays(X, np.digitize(X[:, 0] + 0.3 * X[:, 1], [-0.5, 0.5]), bias=1.0)
#: A solver of each family: blocks, one score, accelerated, whole risks, features, stages.
PARAMETERS = [
    Parameter(solver=30, gap_tol=1e-6),
    Parameter(solver=1),
    Parameter(solver=32, loss="logistic", gap_tol=1e-6),
    Parameter(solver=35, loss="softmax", C=0.1, gap_tol=1e-4),
    Parameter(solver=6),
    Parameter(solver="auto", loss="hinge", regularizer="elastic-net", l1=1.0),
]
TIMES = 4


@pytest.mark.parametrize("threads", [1, 2])
def test_trainings_at_once_do_not_meet(threads):
    alone = [fit(PROBLEM, replace(each, threads=threads)).weights for each in PARAMETERS]
    begin = threading.Barrier(len(PARAMETERS))

    def train(parameter):
        begin.wait(60)
        return [fit(PROBLEM, replace(parameter, threads=threads)).weights for _ in range(TIMES)]

    with ThreadPoolExecutor(len(PARAMETERS)) as pool:
        together = list(pool.map(train, PARAMETERS))
    for weights, found in zip(alone, together, strict=True):
        for each in found:
            np.testing.assert_array_equal(each, weights)
