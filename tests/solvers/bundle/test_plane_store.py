"""The store of planes: products and combinations equal NumPy's, derivatives fit in a byte."""

import numpy as np
import pytest

from rrmlinear.solvers.bundle import plane_store
from rrmlinear.solvers.bundle._plane_sums import pack
from rrmlinear.solvers.bundle.cutting_planes import PackedDerivatives
from rrmlinear.solvers.bundle.plane_store import CHUNK, PlaneStore


@pytest.mark.parametrize("d", [1, 5, 1024, 2500])
def test_products_and_combinations_while_planes_come_and_go(d):
    rng = np.random.default_rng(d)
    store, there = PlaneStore(d), np.zeros((0, d))
    for number in range(3 * CHUNK):
        plane = rng.standard_normal(d)
        store.append(plane)
        there = np.vstack([there, plane])
        if number % 20 == 19:
            kept = np.flatnonzero(rng.random(len(store)) < 0.6)
            store.keep(kept)
            there = there[kept]
        v, weights = rng.standard_normal(d), rng.standard_normal(len(store))
        weights[::2] = 0
        np.testing.assert_allclose(store.products(v), there @ v, atol=1e-11)
        np.testing.assert_allclose(store.combination(weights), weights @ there, atol=1e-11)
    assert len(store.chunks) == 2  # places are used again
    chosen, coordinates = np.arange(0, len(store), 3), np.arange(0, d, 2)
    part = there[np.ix_(chosen, coordinates)]
    np.testing.assert_allclose(
        store.products_over(chosen, coordinates), part @ part.T, rtol=1e-12, atol=1e-11
    )


def test_vectors_that_fill_a_piece_are_not_copied(monkeypatch):
    monkeypatch.setattr(plane_store, "CHUNK_BYTES", 1)
    rng = np.random.default_rng(0)
    store, given = PlaneStore(6), [rng.standard_normal(6) for _ in range(5)]
    for vector in given[:3]:
        store.append(vector)
    store.keep(np.array([0, 2]))
    store.append(given[3])  # in the place of the second
    store.append(np.column_stack([given[4], given[4]])[:, 0])
    there = np.stack([given[at] for at in (0, 2, 3, 4)])
    np.testing.assert_allclose(store.products(given[0]), there @ given[0], rtol=1e-12)
    np.testing.assert_allclose(store.combination(np.arange(4.0)), np.arange(4.0) @ there)
    assert len(store.chunks) == 4
    shared = [any(np.shares_memory(chunk, one) for chunk in store.chunks) for one in given]
    assert shared == [True, False, True, True, False]


def test_slopes_of_few_values_take_a_byte_each():
    slopes = np.random.default_rng(1).choice([-1.0, 0.0, 1.0, 0.3], size=(40, 3))
    packed = PackedDerivatives(slopes)
    np.testing.assert_array_equal(packed.unpacked(), slopes)
    assert packed.plain is None
    codes, table = packed.packed
    assert codes.dtype == np.uint8
    assert len(table) == 4


@pytest.mark.parametrize("count", [16, 17])
def test_slopes_of_many_values_stay_as_they_are(count):
    slopes = np.r_[np.zeros(5), np.arange(float(count))]
    assert (pack(slopes) is None) == (count > 16)
    np.testing.assert_array_equal(PackedDerivatives(slopes).unpacked(), slopes)
