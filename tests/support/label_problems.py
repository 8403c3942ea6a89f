"""Seeded problems of many labels."""

import numpy as np
import scipy.sparse as sp

from rrmlinear import MultilabelProblem


def problem_of(seed=0, n=120, d=40, k=21, density=0.2, bias=1.0, dense=False, dtype=np.float64):
    """Rows with labels that a random matrix of weights gives, a few of them wrong."""
    chance = np.random.default_rng(seed)
    X = sp.random_array((n, d), density=density, rng=chance, format="csr", dtype=np.float64)
    scores = X @ chance.normal(size=(d, k)) - 0.4 + 0.2 * chance.normal(size=(n, k))
    Y = scores > 0
    Y[: len(Y) // 2, 0] = Y[0, 1] = True
    rows = X.toarray().astype(dtype) if dense else X.astype(dtype)
    weights = chance.uniform(0.5, 2, n)
    return MultilabelProblem.from_arrays(rows, Y, weights, bias=bias), X, Y, weights
