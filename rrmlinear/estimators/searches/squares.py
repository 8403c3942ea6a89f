"""The Gram matrices of the folds of least squares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import pinvh
from scipy.sparse import issparse

from rrmlinear.solvers.loop.tolerances import MANY_ROUNDINGS

Array = NDArray[np.float64]
Fold = tuple[NDArray[np.int64], NDArray[np.int64]]

# The Gram matrix of all features pays with at most FEW_FEATURES, or with MIN_EXAMPLES for each of
# them, up to MAX_FEATURES.
FEW_FEATURES, MIN_EXAMPLES, MAX_FEATURES = 500, 2, 3000
# The matrices of all folds hold at most MANY_NUMBERS, or MOST_COPIES times those of the data.
MANY_NUMBERS, MOST_COPIES = 10_000_000, 4
# Values beyond have squares that overflow, and those below its inverse squares that vanish.
MAX_SIZE = 1e140
# Time of a pair of stored values, in multiplications of BLAS.
PAIR_COST = 100.0
# A column whose mean is this many times as long as the rest is far from 0.
LONG_CENTRE = 1e3
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


class FactoredSquares:
    """The squares in u_j = f_j w_j of the features whose penalty has a factor f_j > 0; those of a
    factor of 0 have the best weights.

    With u, Σ_j f_j |w_j| is ‖u‖₁, and Σ_j f_j w_j² is ``least`` Σ_j (1 + more_j) u_j².
    """

    def __init__(self, squares: Squares, factors: Array) -> None:
        self.some, self.free = np.flatnonzero(factors), np.flatnonzero(factors == 0)
        self.factors = factors[self.some]
        gram, linear = squares.gram[np.ix_(self.some, self.some)], squares.linear[self.some]
        across, own = squares.gram[np.ix_(self.free, self.some)], squares.linear[self.free]
        system = squares.gram[np.ix_(self.free, self.free)]
        length = np.sqrt(system.diagonal())
        unit = np.divide(1.0, length, out=np.zeros(len(length)), where=length > 0)
        inverse = unit[:, np.newaxis] * pinvh(unit[:, np.newaxis] * system * unit) * unit
        self.fit, self.slopes = inverse @ own, inverse @ across
        whole = gram.diagonal()
        gram, linear = gram - across.T @ self.slopes, linear - across.T @ self.fit
        depends = gram.diagonal() <= DIFFERENCE_ROUNDING * whole
        gram[depends], gram[:, depends], linear[depends] = 0.0, 0.0, 0.0
        self.gram = gram / np.outer(self.factors, self.factors)
        self.linear, self.square = linear / self.factors, squares.square - float(own @ self.fit)
        self.least = 1 / float(self.factors.max())
        self.more = 1 / (self.factors * self.least) - 1

    def weights(self, u: Array) -> Array:
        """w."""
        w = np.zeros(len(self.some) + len(self.free))
        w[self.some] = u / self.factors
        w[self.free] = self.fit - self.slopes @ w[self.some]
        return w


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
        used = (spread > MANY_ROUNDINGS * away) & (spread > DIFFERENCE_ROUNDING * whole[:-1])
        products[~used] = products[:, ~used] = 0
        means = means + shift[:-1] if centred else means
        square = float(products[-1, -1])
        gram = np.ascontiguousarray(products[:-1, :-1])
        return Squares(gram, products[:-1, -1].copy(), square, means[:-1], float(means[-1]), total)


def squares_of_folds(
    X: Any, y: Any, weights: Any, folds: Sequence[Fold], centred: bool
) -> list[Squares | None]:
    """The squares over the training part of each fold, of rows X, numbers y and weights,
    None for ones; None where no example there has a weight.

    Where every example is held out once, the squares of a training part are the squares of all
    examples less those of its test part.
    """
    c = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=np.float64)
    everyone = np.arange(len(y))
    shift = np.zeros(X.shape[1] + 2)
    if centred and c.sum() > 0:
        sums = X.T @ c if issparse(X) else sum(c[some] @ X[some] for some in _chunks(everyone))
        shift[-2] = c @ y / c.sum()
        if not (issparse(X) and _stays_sparse(X, c, sums)):
            shift[:-2] = sums / c.sum()
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
    if issparse(X) and not shift[:-2].any():
        return _sparse_moments(X, y, c, shift, examples)
    sums = np.zeros((len(shift), len(shift)))
    for some in _chunks(examples):
        z = np.empty((len(some), len(shift)))
        part = X[some]
        z[:, :-2], z[:, -2], z[:, -1] = part.toarray() if issparse(X) else part, y[some], 1
        z -= shift
        z *= np.sqrt(c[some])[:, np.newaxis]
        sums += z.T @ z  # of one array BLAS computes a half
    return Moments(sums, shift)


def _sparse_moments(X: Any, y: Any, c: Array, shift: Array, examples: NDArray[np.int64]) -> Moments:
    sums, part = np.zeros((len(shift), len(shift))), X[examples].astype(np.float64)
    root = np.sqrt(c[examples])
    part.data *= np.repeat(root, np.diff(part.indptr))
    ends = np.column_stack([y[examples] - shift[-2], np.ones(len(root))]) * root[:, np.newaxis]
    sums[:-2, :-2] = (part.T @ part).toarray()
    sums[:-2, -2:] = part.T @ ends
    sums[-2:, :-2] = sums[:-2, -2:].T
    sums[-2:, -2:] = ends.T @ ends
    return Moments(sums, shift)


def _stays_sparse(X: Any, c: Array, sums: Array) -> bool:
    """Whether products of sparse rows take less time than those of a dense copy, and no column lies
    so far from 0 that products about 0 lose half of their digits.
    """
    n, d = X.shape
    pairs = np.square(np.diff(X.indptr).astype(np.float64)).sum()
    squares = X.multiply(X).T @ c
    far = sums**2 / c.sum() > (1 - 1 / LONG_CENTRE**2) * squares
    return bool(PAIR_COST * pairs < n * d * d and not (far & (squares > 0)).any())


def fits_gram(X: Any, folds: int, is_alone: bool = False) -> bool:
    """Whether X is in range, has few features, or many examples for each unless nothing else
    serves (``is_alone``), and the matrices of all folds take little memory.
    """
    if not is_in_range(X):
        return False
    n, d = X.shape
    if not is_alone and d > min(max(FEW_FEATURES, n / MIN_EXAMPLES), MAX_FEATURES):
        return False
    return folds * d * d <= max(MANY_NUMBERS, MOST_COPIES * n * d)


def is_in_range(X: Any) -> bool:
    """Whether squares of the values neither overflow nor vanish."""
    values = X if isinstance(X, np.ndarray) else X.data
    largest = max(float(values.max(initial=0)), -float(values.min(initial=0)))
    return 1 / MAX_SIZE < largest < MAX_SIZE
