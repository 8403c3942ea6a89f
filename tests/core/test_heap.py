"""Heaps: the largest keys come out first, each with its item."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def door(built):
    return built("core/core_door.pyx")


@pytest.mark.parametrize("n", [1, 2, 3, 10, 1000])
@pytest.mark.parametrize("ties", [False, True])
def test_the_largest_keys_stand_last_each_with_its_item(door, n, ties):
    rng = np.random.default_rng(n)
    given = rng.integers(5, size=n).astype(float) if ties else rng.standard_normal(n)
    for count in {1, n // 2, n}:
        keys, items = given.copy(), np.arange(n, dtype=np.int32)
        door.heap_sort(items, keys, count)
        assert (keys == given[items]).all()
        assert sorted(items) == list(range(n))
        assert (keys[n - count :] == np.sort(given)[n - count :]).all()
