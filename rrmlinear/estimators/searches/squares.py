"""Least squares over many examples of few features, as a problem of as many rows as features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# The Gram matrix pays from this number of examples a feature on, and up to this number of features.
MIN_EXAMPLES, MAX_FEATURES = 2, 3000
# Values beyond have squares that overflow, and those below its inverse squares that vanish.
MAX_SIZE = 1e140
# Eigenvalues of it, scaled to a diagonal of 1, below this fraction of the largest count as 0.
MIN_EIGENVALUE = 1e-14


@dataclass(frozen=True)
class Squares:
    """Σ c_i (y_i − x_i'w − b)², at the best b if there is one, as ‖z − R w‖² plus a constant.

    R'R is the Gram matrix of the columns, centred where there is an intercept, and R has a row for
    each of its eigenvalues that is not 0.
    ``total`` is Σ c_i.
    """

    R: Array
    z: Array
    mean_x: Array
    mean_y: float
    total: float

    @classmethod
    def of(cls, X: Any, y: Any, weights: Any, centred: bool) -> Squares:
        """From dense rows X, n × d, numbers y and weights c, None for ones."""
        X, y = np.array(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
        c = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=np.float64)
        total, mean_x, mean_y = float(c.sum()), np.zeros(X.shape[1]), 0.0
        if centred:
            mean_x, mean_y = c @ X / total, float(c @ y) / total
            X -= mean_x
            y = y - mean_y
        if weights is not None:
            X *= np.sqrt(c)[:, np.newaxis]
            y = np.sqrt(c) * y
        gram, q = X.T @ X, X.T @ y
        sizes = np.sqrt(gram.diagonal())
        inverse = np.divide(1, sizes, out=np.zeros_like(sizes), where=sizes > 0)
        values, vectors = np.linalg.eigh(inverse[:, np.newaxis] * gram * inverse)
        some = values > MIN_EIGENVALUE * values[-1]
        some[-1] = True  # a row of zeros where X has no other
        roots, parts = np.sqrt(np.maximum(values[some], 0)), vectors[:, some].T
        z = np.divide(parts @ (inverse * q), roots, out=np.zeros_like(roots), where=roots > 0)
        return cls(roots[:, np.newaxis] * parts * sizes, z, mean_x, mean_y, total)

    @property
    def scale(self) -> float:
        """What alpha of the mean over examples is multiplied with for the mean over rows of R."""
        return self.total / len(self.z)

    def intercept(self, w: Array) -> float:
        """The best b."""
        return self.mean_y - float(self.mean_x @ w)


def is_tall(X: Any) -> bool:
    """Whether X is dense, of few features and many examples, and its squares are in range."""
    if not isinstance(X, np.ndarray):
        return False
    n, d = X.shape
    if d > MAX_FEATURES or n < MIN_EXAMPLES * d:
        return False
    largest = max(float(X.max(initial=0)), -float(X.min(initial=0)))
    return 1 / MAX_SIZE < largest < MAX_SIZE
