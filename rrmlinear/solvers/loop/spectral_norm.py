"""The largest singular value of a sparse matrix: estimates, and a bound that holds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rrmlinear.core.blas import linear_algebra
from rrmlinear.solvers.loop.tolerances import MANY_ROUNDINGS, SUM_ROUNDING

# Up to this many rows or columns an eigenvalue routine finds the norm.
MAX_DENSE_SIZE = 2000
# Probability that a bound from a random start is too low.
FAILURE_PROBABILITY = 1e-12
# Lanczos steps of an estimate.
ESTIMATE_STEPS = 30


def norm_estimate(matrix: Any, steps: int = ESTIMATE_STEPS, seed: int = 0) -> float:
    """A lower estimate of ‖A‖, by ``steps`` of Lanczos from a random start."""
    return math.sqrt(_lanczos(matrix, steps, seed)[0])


def norm_bound(matrix: Any, part: float = 1e-6) -> float:
    """An upper bound of ‖A‖, about ``part`` of ‖A‖ above it.

    Up to 2000 rows or columns it is the root of the largest eigenvalue of A A' or A'A, plus
    rounding. Beyond this size it comes from Lanczos steps and is too low with a probability of at
    most 1e-12. After k steps from a random start on a matrix of size n, the relative error of an
    eigenvalue exceeds ε with a probability of at most 1.648 √n exp(−√ε (2k − 1)). Source: Kuczyński
    and Woźniakowski, Estimating the largest eigenvalue by the power and Lanczos algorithms with a
    random start, 1992, theorem 4.2.
    """
    n = min(matrix.shape)
    if n <= MAX_DENSE_SIZE:
        eigvalsh = linear_algebra("scipy.linalg").eigvalsh

        other = matrix.T
        gram = matrix @ other if matrix.shape[0] == n else other @ matrix
        square = eigvalsh(gram.toarray(), subset_by_index=[n - 1, n - 1])[0]
        return math.sqrt(max(square, 0.0) * (1 + SUM_ROUNDING))
    log = math.log(1.648 * math.sqrt(n) / FAILURE_PROBABILITY)
    steps = min(n, math.ceil((1 + log / math.sqrt(2 * part)) / 2))
    square, done, exact = _lanczos(matrix, steps, 1)
    epsilon = 0.0 if exact else min((log / (2 * done - 1)) ** 2, 1.0)
    if epsilon >= 1:
        return float(np.sqrt((matrix.data**2).sum()))
    return math.sqrt(square * (1 + SUM_ROUNDING) / (1 - epsilon))


def _lanczos(matrix: Any, steps: int, seed: int) -> tuple[float, int, bool]:
    """(largest Ritz value of A A', number of steps, whether these span the whole space)."""
    eigvalsh_tridiagonal = linear_algebra("scipy.linalg").eigvalsh_tridiagonal

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
        if beside[k] <= MANY_ROUNDINGS * diagonal.max(initial=0) or k + 1 == steps:
            break
        v = image / beside[k]
    exact = k + 1 == n or beside[k] <= MANY_ROUNDINGS * diagonal.max(initial=0)
    if k == 0:
        return max(float(diagonal[0]), 0.0), 1, bool(exact)
    top = eigvalsh_tridiagonal(diagonal[: k + 1], beside[:k], select="i", select_range=(k, k))[0]
    return max(float(top), 0.0), k + 1, bool(exact)
