"""Inner products of whole arrays on one thread, with the same bits wherever they run; and pieces.

BLAS would spread them over threads, which slows them down compared with a product with the data,
above all if another process holds a core.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Entries of a piece of a long vector.
PIECE = 1 << 12
#: Multiplications between two looks at the clock and at interrupts: some 0.2 s. Threads take up to
#: a millisecond to come together.
SLICE_WORK = 10**9
#: Numbers that are made between two looks at the clock.
NUMBERS_AT_ONCE = 1 << 22


def inner(a: Array, b: Array) -> float:
    """Σ a_i b_i over all entries of arrays of one shape."""
    return float(np.einsum("i,i->", a.ravel(), b.ravel()))


def weighted(weights: Array | float, a: Array, b: Array) -> float:
    """Σ w_i a_i b_i; weights of shape (n, 1) belong to rows."""
    if isinstance(weights, float) or np.ndim(weights) == 0:
        return float(weights) * inner(a, b)
    if a.ndim == 2 and weights.shape != a.shape:
        return float(np.einsum("i,ij,ij->", weights.ravel(), a, b))
    return float(np.einsum("i,i,i->", weights.ravel(), a.ravel(), b.ravel()))


def are_same(a: Any, b: Any) -> bool:
    """Whether arrays of one shape are equal; the first entry, compared first, mostly decides.

    Scores that are no arrays, as those of parts elsewhere, compare themselves.
    """
    if not isinstance(a, np.ndarray):
        return bool(a == b)
    return bool(a.size and a.flat[0] == b.flat[0] and np.array_equal(a, b))


def pieces(n: int) -> Iterator[slice]:
    """Slices that make up 0 … n − 1: what is computed for one at a time takes little memory."""
    return (slice(begin, min(begin + PIECE, n)) for begin in range(0, n, PIECE))
