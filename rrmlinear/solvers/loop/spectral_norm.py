"""The largest singular value of a sparse matrix: estimates, and a bound that holds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

# Up to this many rows or columns the bound is that of an eigenvalue routine.
DENSE = 2000
# A bound from random starts fails no more often than this.
FAILURE = 1e-12
# Rounding of an eigenvalue of a product of two matrices, as a part of it.
ROUNDING = 1e-12
STEPS = 30


def norm_estimate(matrix: Any, steps: int = STEPS, seed: int = 0) -> float:
    """‖A‖ from below, by so many steps of Lanczos from a random start."""
    return math.sqrt(_lanczos(matrix, steps, seed)[0])


def norm_bound(matrix: Any, part: float = 1e-6) -> float:
    """A number that ‖A‖ does not exceed, and that does not exceed ‖A‖ by much more than ``part``.

    Up to 2000 rows or columns it is the square root of the largest eigenvalue of A A' or A'A plus
    rounding, else one from Lanczos steps which is too low with a probability of 1e-12 at most:
    after k steps on a matrix of size n from a random start an eigenvalue is too low by more than
    the part ε with a probability of at most 1.648 √n exp(−√ε (2k − 1)). Source: Kuczyński and
    Woźniakowski, Estimating the largest eigenvalue by the power and Lanczos algorithms with a
    random start, 1992, theorem 4.2.
    """
    n = min(matrix.shape)
    if n <= DENSE:
        from scipy.linalg import eigvalsh

        other = matrix.T
        gram = matrix @ other if matrix.shape[0] == n else other @ matrix
        square = eigvalsh(gram.toarray(), subset_by_index=[n - 1, n - 1])[0]
        return math.sqrt(max(square, 0.0) * (1 + ROUNDING))
    log = math.log(1.648 * math.sqrt(n) / FAILURE)
    steps = min(n, math.ceil((1 + log / math.sqrt(2 * part)) / 2))
    square, done, exact = _lanczos(matrix, steps, 1)
    epsilon = 0.0 if exact else min((log / (2 * done - 1)) ** 2, 1.0)
    if epsilon >= 1:
        return float(np.sqrt((matrix.data**2).sum()))
    return math.sqrt(square * (1 + ROUNDING) / (1 - epsilon))


def _lanczos(matrix: Any, steps: int, seed: int) -> tuple[float, int, bool]:
    """The largest Ritz value of A A', after how many steps, and whether they span all there is."""
    from scipy.linalg import eigvalsh_tridiagonal

    transposed = matrix.T
    if matrix.shape[0] > matrix.shape[1]:
        matrix, transposed = transposed, matrix
    n = matrix.shape[0]
    steps = min(steps, n)
    basis = np.zeros((steps, n))
    diagonal, beside = np.zeros(steps), np.zeros(steps)
    v = np.random.default_rng(seed).standard_normal(n)
    v /= np.linalg.norm(v)
    for k in range(steps):
        basis[k] = v
        image = matrix @ (transposed @ v)
        diagonal[k] = v @ image
        for _ in range(2):  # the second time against rounding
            image -= basis[: k + 1].T @ (basis[: k + 1] @ image)
        beside[k] = np.linalg.norm(image)
        if beside[k] <= 1e-14 * diagonal.max(initial=0) or k + 1 == steps:
            break
        v = image / beside[k]
    exact = k + 1 == n or beside[k] <= 1e-14 * diagonal.max(initial=0)
    if k == 0:
        return max(float(diagonal[0]), 0.0), 1, bool(exact)
    top = eigvalsh_tridiagonal(diagonal[: k + 1], beside[:k], select="i", select_range=(k, k))[0]
    return max(float(top), 0.0), k + 1, bool(exact)
