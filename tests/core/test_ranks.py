"""Values by their rank: those of a sort, whatever the order of the values is."""

import numpy as np
import pytest

from rrmlinear.core.ranks import MIN_SAMPLED, SAMPLE_STEP, two_in_order

N = 3 * MIN_SAMPLED


def values_of(kind):
    rng = np.random.default_rng(3)
    values = rng.standard_normal(N)
    if kind == "ties":
        return np.round(values)
    if kind == "periodic":  # the sample sees the smallest values alone
        return np.where(np.arange(N) % SAMPLE_STEP == 0, values - 100, values)
    return np.sort(values) if kind == "sorted" else values


@pytest.mark.parametrize("kind", ["random", "ties", "periodic", "sorted"])
@pytest.mark.parametrize("rank", [0, 1, 7, N // 3, N // 2, N - 2, N - 1])
def test_they_are_those_of_a_sort(kind, rank):
    values = values_of(kind)
    before, ordered = values.copy(), np.sort(values)
    expected = (ordered[rank - 1] if rank else -np.inf, ordered[rank])
    assert two_in_order(values, rank) == expected
    assert np.array_equal(values, before)


def test_few_values_are_partitioned():
    assert two_in_order(np.array([3.0, 1.0, 2.0]), 1) == (1.0, 2.0)
