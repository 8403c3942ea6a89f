"""Paths on a Gram matrix: every point has a gap, or is left out."""

import numpy as np
import pytest

from rrmlinear.solvers.features.gram_path import gram_path


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
