"""The store of planes: products and combinations equal NumPy's, derivatives fit in a byte."""

import numpy as np
import pytest

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
