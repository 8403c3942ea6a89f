"""Paths on a Gram matrix: every point has a gap, or is left out."""

import numpy as np
import pytest

from rrmlinear.solvers.features.set_paths import gram_path


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("ratio", [1.0, 0.5, 0.0])
def test_a_path_is_proved_or_left_out(ratio, positive):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 6))
    X[:, 3] = X[:, 2] + 1e-4 * X[:, 3]  # nearly dependent: sweeps are slow
    X[:, 4] = 0
    y = X @ [1.0, 0, -2, 0, 0.5, 1.5] + rng.standard_normal(60)
    sums = X.T @ X, X.T @ y, float(y @ y)
    levels = np.geomspace(100, 0.02, 9)
    strengths = [(ratio * level, (1 - ratio) * level) for level in levels]
    found = list(gram_path(*sums, strengths, 1e-9, positive))
    assert positive or all(w is not None for w in found)
    for w, (l1, modulus) in zip(found, strengths, strict=True):
        if w is None:
            continue
        # the gap with the residual as dual, times a factor that takes products within l1
        r, products = y - X @ w, X.T @ (y - X @ w) - modulus * w
        longest = (products if positive else np.abs(products)).max()
        assert longest <= l1 * (1 + 1e-3) + 1e-3
        primal = (r @ r + modulus * w @ w) / 2 + l1 * np.abs(w).sum()
        factor = min(1.0, l1 / longest) if l1 > 0 else 1.0
        dual = factor * (y @ r) - factor**2 / 2 * (r @ r + modulus * w @ w)
        excess = products @ products / (2 * modulus) if l1 == 0 and not positive else 0.0
        assert primal - dual + excess <= 1e-3 * primal
        assert (w >= 0).all() or not positive
        assert w[4] == 0
    hidden = list(gram_path(*sums, strengths, 1e-17, positive))
    assert all(w is None or not w.any() for w in hidden)


@pytest.mark.parametrize("seed", [2, 4, 9])
def test_faces_as_large_as_the_rank_are_left(seed):
    """With as many weights in use as the rank, a step gives one up that sweeps would take again."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((100, 250))
    X, y = _centred(X, np.r_[rng.standard_normal(10), np.zeros(240)], rng)
    top = float((X.T @ y).max())
    _check_path(X, y, np.geomspace(top, 1e-4 * top, 100), True)


@pytest.mark.parametrize(("d", "seed"), [(5, 23), (5, 167), (3, 75), (3, 185)])
def test_a_part_goes_on_until_all_weights_are_proved(d, seed):
    """A product within l1 outside the part bounds the dual point more than those of the part."""
    rng = np.random.default_rng(seed)
    X = rng.random((80, d)) * (rng.random((80, d)) < 0.5)
    X, y = _centred(X, rng.standard_normal(d), rng)
    top = float(np.abs(X.T @ y).max()) * rng.uniform(1, 1.1)
    _check_path(X, y, np.geomspace(top, 1e-3 * top, 100), False)


@pytest.mark.parametrize("apart", [0.0, 1e-9, 1e-4])
@pytest.mark.parametrize("n", [150, 100])
def test_columns_that_stand_twice_are_proved(n, apart):
    """Also where the columns are as many as the examples, and copies nearly equal."""
    rng = np.random.default_rng(1)
    Z = rng.standard_normal((n, 130))
    y = Z[:, :20] @ rng.standard_normal(20) + rng.standard_normal(n)
    X = np.hstack([Z, Z * (1 + apart * rng.standard_normal(Z.shape))])
    top = float(np.abs(X.T @ y).max())
    _check_path(X, y, np.geomspace(top, 1e-3 * top, 100), False, 1e-8)


def _centred(X, w, rng):
    X = X - X.mean(axis=0)
    y = X @ w
    y += 0.5 * y.std() * rng.standard_normal(len(y))
    return X, y - y.mean()


def _check_path(X, y, levels, positive, tolerance=1e-4):
    """All problems are solved: the residual times a factor is as good a dual point."""
    strengths = [(level, 0.0) for level in levels]
    found = gram_path(X.T @ X, X.T @ y, float(y @ y), strengths, tolerance, positive)
    for l1, w in zip(levels, found, strict=True):
        assert w is not None
        assert (w >= 0).all() or not positive
        r = y - X @ w
        products = X.T @ r if positive else np.abs(X.T @ r)
        factor = min(float(y @ r / (r @ r)), float(l1 / products.max()))
        primal = r @ r / 2 + l1 * np.abs(w).sum()
        assert primal - factor * (y @ r - factor / 2 * (r @ r)) <= 1.01 * tolerance * primal
