"""The Gram matrices of the folds of least squares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.loop.tolerances import CONSTANT_COLUMN

Array = NDArray[np.float64]
Fold = tuple[NDArray[np.int64], NDArray[np.int64]]

# The Gram matrix pays from this number of examples a feature on, and up to this number of features.
MIN_EXAMPLES, MAX_FEATURES = 0, 3000
# The matrices of all folds hold at most MANY_NUMBERS, or MOST_COPIES times those of the data.
MANY_NUMBERS, MOST_COPIES = 10_000_000, 4
# Values beyond have squares that overflow, and those below its inverse squares that vanish.
MAX_SIZE = 1e140
# Examples whose copy is multiplied at once.
CHUNK = 4096
# A column whose square falls by a difference to this fraction is rounding.
DIFFERENCE_ROUNDING = 1e-13


@dataclass(frozen=True)
class Squares:
    """½ Σ c_i (y_i − x_i'w − b)² as ½ (square − 2 q'w + w'Gw); b is the best one, or 0.

    ``gram`` is G and ``linear`` is q; ``total`` is Σ c_i.
    """

    gram: Array
    linear: Array
    square: float
    mean_x: Array
    mean_y: float
    total: float

    def intercept(self, w: Array) -> float:
        """The best b."""
        return self.mean_y - float(self.mean_x @ w)


@dataclass(frozen=True)
class Moments:
    """Sums of c z z' for z = (x, y, 1) less ``shift``, which keeps them accurate far from 0."""

    sums: Array
    shift: Array

    def squares(self, centred: bool, whole: Array) -> Squares:
        """Least squares, with the best intercept if ``centred``. ``whole`` is the diagonal of the
        sums that these are a difference of; 0 of what is none.
        """
        sums, shift, total = self.sums, self.shift, float(self.sums[-1, -1])
        means = np.zeros(len(sums) - 1)
        products = sums[:-1, :-1].copy()
        if centred:
            means = sums[-1, :-1] / total
            products -= np.outer(means, sums[-1, :-1])
        spread = np.maximum(products.diagonal(), 0)
        away = total * (shift[:-1] + means) ** 2
        used = (spread > CONSTANT_COLUMN * away) & (spread > DIFFERENCE_ROUNDING * whole[:-1])
        products[~used] = products[:, ~used] = 0
        means = means + shift[:-1] if centred else means
        square = float(products[-1, -1])
        gram = np.ascontiguousarray(products[:-1, :-1])
        return Squares(gram, products[:-1, -1].copy(), square, means[:-1], float(means[-1]), total)


def squares_of_folds(
    X: Any, y: Any, weights: Any, folds: Sequence[Fold], centred: bool
) -> list[Squares | None]:
    """The squares over the training part of each fold, of dense rows X, numbers y and weights,
    None for ones; None where no example there has a weight.

    Where every example is held out once, the squares of a training part are the squares of all
    examples less those of its test part.
    """
    c = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=np.float64)
    everyone = np.arange(len(y))
    shift = np.zeros(X.shape[1] + 2)
    if centred and c.sum() > 0:
        sums = sum(c[some] @ X[some] for some in _chunks(everyone))
        shift[:-2], shift[-2] = sums / c.sum(), c @ y / c.sum()
    if _are_parts(folds, len(y)):
        held = [_moments(X, y, c, shift, test) for _, test in folds]
        sums = np.sum([each.sums for each in held], axis=0)
        kept = [Moments(sums - each.sums, shift) for each in held]
        whole = sums.diagonal()
    else:
        kept = [_moments(X, y, c, shift, train) for train, _ in folds]
        whole = np.zeros(len(shift))
    trained = [float(c[train].sum()) > 0 for train, _ in folds]
    return [
        each.squares(centred, whole) if some else None
        for each, some in zip(kept, trained, strict=True)
    ]


def _are_parts(folds: Sequence[Fold], n: int) -> bool:
    """Whether every example is held out once and else trained on."""
    held = np.concatenate([test for _, test in folds])
    if len(held) != n or (np.bincount(held, minlength=n) != 1).any():
        return False
    both = [np.bincount(np.concatenate(fold), minlength=n) for fold in folds]
    return all((each == 1).all() for each in both)


def _chunks(examples: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    for begin in range(0, len(examples), CHUNK):
        yield examples[begin : begin + CHUNK]


def _moments(X: Any, y: Any, c: Array, shift: Array, examples: NDArray[np.int64]) -> Moments:
    sums = np.zeros((len(shift), len(shift)))
    for some in _chunks(examples):
        z = np.empty((len(some), len(shift)))
        z[:, :-2], z[:, -2], z[:, -1] = X[some], y[some], 1
        z -= shift
        z *= np.sqrt(c[some])[:, np.newaxis]
        sums += z.T @ z  # of one array BLAS computes a half
    return Moments(sums, shift)


def fits_gram(X: Any, folds: int) -> bool:
    """Whether X is dense, of few features and many examples, its squares are in range, and the
    matrices of all folds take little memory.
    """
    if not isinstance(X, np.ndarray):
        return False
    n, d = X.shape
    if d > MAX_FEATURES or n < MIN_EXAMPLES * d:
        return False
    if folds * d * d > max(MANY_NUMBERS, MOST_COPIES * n * d):
        return False
    largest = max(float(X.max(initial=0)), -float(X.min(initial=0)))
    return 1 / MAX_SIZE < largest < MAX_SIZE
