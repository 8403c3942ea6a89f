"""Where a projection is written, and what it must not overwrite while reading."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def destination(
    out: NDArray[np.float64] | None, shape: tuple[int, ...], like: str
) -> NDArray[np.float64]:
    """``out``, or a new array of that shape; ValueError for an ``out`` that cannot be written."""
    if out is None:
        return np.empty(shape)
    if not (
        isinstance(out, np.ndarray)
        and out.dtype == np.float64
        and out.shape == shape
        and out.flags.c_contiguous
        and out.flags.writeable
    ):
        raise ValueError(f"out must be a writable contiguous float64 array, shaped like {like}")
    return out


def apart(column: ArrayLike, out: NDArray[np.float64] | None, same: bool = False) -> Any:
    """A column that writing ``out`` leaves alone: itself, or a copy where they overlap.

    With ``same`` the column may be ``out`` itself, number for number.
    """
    if not isinstance(out, np.ndarray) or not isinstance(column, np.ndarray):
        return column
    if not np.may_share_memory(column, out):
        return column
    placed = column.__array_interface__["data"][0] == out.__array_interface__["data"][0]
    if same and placed and column.dtype == out.dtype and column.shape == out.shape:
        return column
    return column.copy()
