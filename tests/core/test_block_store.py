"""The store of dual blocks against a list of dense blocks."""

import numpy as np
import pytest

N = 6


@pytest.fixture(scope="module")
def door(built):
    return built("core/core_door.pyx")


def random_block(rng, k8, upper, density):
    """Entries at 0, at the upper bound and between."""
    b = np.where(rng.random(k8) < 0.5, upper, upper * rng.random(k8))
    b[rng.random(k8) >= density] = 0
    return b


def unpacked(store, i, upper, k8):
    b = np.zeros(k8)
    count = store.unpack(i, upper, b)
    assert count == np.count_nonzero(b)
    return b


@pytest.mark.parametrize("k8", [8, 16, 64, 136])
@pytest.mark.parametrize("density", [0.0, 0.05, 0.5, 1.0])
@pytest.mark.parametrize("upper", [1.0, 0.3])
def test_blocks_come_back(door, k8, density, upper):
    rng = np.random.default_rng(k8)
    store, blocks = door.Store(N), np.zeros((N, k8))
    for step in range(40):  # over and over: blocks grow, shrink and become zero
        i = int(rng.integers(N))
        blocks[i] = random_block(rng, k8, upper, density if step % 5 else 0.0)
        assert store.pack(i, upper, blocks[i])
        for j in range(N):
            np.testing.assert_array_equal(unpacked(store, j, upper, k8), blocks[j])
    begins = np.full(N + 1, -1)
    at_upper = store.begins(begins)
    assert begins.tolist() == [0, *np.cumsum(np.count_nonzero(blocks, axis=1))]
    assert at_upper == np.count_nonzero(blocks == upper)
    assert store.counts == (np.count_nonzero(blocks), at_upper)
    np.testing.assert_allclose(store.sums[:N], blocks.sum(axis=1), rtol=1e-14)


def test_a_new_store_holds_zero_blocks(door):
    store, begins = door.Store(3), np.full(4, -1)
    assert [unpacked(store, i, 1.0, 8).any() for i in range(3)] == [False] * 3
    assert store.begins(begins) == 0
    assert begins.tolist() == [0, 0, 0, 0]


def test_a_store_of_nothing(door):
    begins = np.full(1, -1)
    assert door.Store(0).begins(begins) == 0
    assert begins.tolist() == [0]


@pytest.mark.parametrize("k8", [8, 64])
def test_loading_leaves_zeros_out(door, k8):
    rng = np.random.default_rng(k8)
    b, store = random_block(rng, k8, 2.0, 0.4), door.Store(1)
    store.pack(0, 2.0, b)
    values, classes = np.full(k8, np.nan), np.full(k8, -1, np.int32)
    count = store.load(0, 2.0, values, classes)
    assert sorted(classes[:count].tolist()) == np.flatnonzero(b).tolist()
    np.testing.assert_array_equal(values[:count], b[classes[:count]])


def test_the_entries_of_a_face_have_names(door):
    store, names = door.Store(1), np.array([30, 4, 17, 9, 9, 9, 9, 9], np.int32)
    store.pack(0, 1.0, np.array([0.25, 0, 1.0, 0, 0, 0, 0, 0]), names)
    expected = np.zeros(32)
    expected[30], expected[17] = 0.25, 1.0
    np.testing.assert_array_equal(unpacked(store, 0, 1.0, 32), expected)
