"""Working sets by a sample: the optimum is that of all examples, also where the sample misleads."""

import numpy as np
import pytest

from rrmlinear import Problem
from rrmlinear.solvers.features import working_set
from rrmlinear.solvers.features.feature_descent import FeatureDescent
from rrmlinear.solvers.features.working_gram import SAMPLED_AT_ONCE
from rrmlinear.solvers.features.working_set import LEAST_PART, SampledSets
from rrmlinear.solvers.loop.result import Status
from rrmlinear.solvers.loop.stopping import Stopping

N, D, L1 = 9_000, 130, 300.0


def data(misleads):
    """Features with common factors, which the examples of the sample may not have."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((N, D))
    factors = 3 * rng.standard_normal((N, 6)) @ rng.standard_normal((6, D))
    in_sample = np.arange(N) // SAMPLED_AT_ONCE % LEAST_PART == 0
    X += np.where(in_sample[:, None] & misleads, 0, factors)
    if misleads:
        X[in_sample, 7] = 0  # a feature that the sample does not have
    y = X[:, :20] @ rng.standard_normal(20) + 3 * rng.standard_normal(N)
    return X, y


@pytest.mark.parametrize("misleads", [False, True])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("modulus", [0.0, 100.0])
def test_the_optimum_is_that_of_all_examples(monkeypatch, misleads, order, modulus):
    served = []
    serve = SampledSets.serve
    monkeypatch.setattr(
        SampledSets, "serve", lambda self, *given: served.append(serve(self, *given)) or served[-1]
    )
    X, y = data(misleads)
    rows = Problem.from_arrays(np.asarray(X, order=order), y, any_order=True).rows
    result = FeatureDescent(rows, y, np.ones(N), L1, modulus).solve(Stopping(gap_tol=1e-12))
    assert result.status is Status.SOLVED
    assert served[0]
    v = X.T @ result.duals
    excess = np.maximum(np.abs(v) - L1, 0)
    dual = y @ result.duals - result.duals @ result.duals / 2
    if modulus == 0:
        assert excess.max() <= 1e-12 * L1
    else:
        dual -= excess @ excess / (2 * modulus)
    w = result.weights
    primal = np.sum((y - X @ w) ** 2) / 2 + L1 * np.abs(w).sum() + modulus / 2 * w @ w
    assert dual <= primal <= dual * (1 + 1e-11)


def test_a_sample_serves_a_few_times_at_most(monkeypatch):
    monkeypatch.setattr(working_set, "SETTLED_SIZE", -1.0)
    X, y = data(False)
    solver = FeatureDescent(Problem.from_arrays(X, y).rows, y, np.ones(N), L1, 0.0)
    solver.start()
    sets, features, weights = SampledSets(solver.columns), np.arange(50), np.ones(D)
    served = [sets.serve(features, weights, has_all=True) for _ in range(20)]
    assert served == [True] * working_set.MAX_SAMPLED_SETS + [False] * 14


def test_few_examples_a_feature_take_no_sample():
    X, y = data(False)
    solver = FeatureDescent(Problem.from_arrays(X, y).rows, y, np.ones(N), L1, 0.0)
    solver.start()
    features, weights = np.arange(D), np.zeros(D)
    assert SampledSets(solver.columns).serve(features[:100], weights, has_all=False)
    assert not SampledSets(solver.columns).serve(features[:121], weights, has_all=False)
