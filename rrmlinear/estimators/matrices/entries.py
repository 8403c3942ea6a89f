"""Entries of a matrix as users give them, checked: rows, columns, values and weights."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.array_rows import check_unmasked, float64_of
from rrmlinear.estimators.arguments import check_counted


@dataclass(frozen=True, eq=False)
class Triplets:
    """n values at rows and columns, from 0, of a matrix of this shape, with weights if given."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: NDArray[np.float64]
    shape: tuple[int, int]
    weights: NDArray[np.float64] | None

    @classmethod
    def of(cls, rows: Any, columns: Any, values: Any, shape: Any, weights: Any) -> Triplets:
        """Three arrays, or a scipy.sparse matrix in place of the first."""
        if hasattr(rows, "tocoo"):
            if columns is not None or values is not None:
                raise ValueError("a sparse matrix is given with columns or values; it has its own")
            matrix = rows.tocoo()
            if len(matrix.shape) != 2:
                raise ValueError(f"the sparse array has shape {matrix.shape}; it must be a matrix")
            if shape is not None and tuple(shape) != tuple(matrix.shape):
                raise ValueError(f"shape is {shape}, but the matrix has shape {matrix.shape}")
            rows, columns, values, shape = matrix.row, matrix.col, matrix.data, matrix.shape
        elif columns is None or values is None:
            raise ValueError("rows, columns and values must be given, or a sparse matrix alone")
        shape = (None, None) if shape is None else _checked_shape(shape)
        row, column = indices(rows, "rows", shape[0]), indices(columns, "columns", shape[1])
        value = numbers_of(values, "values")
        weight = None if weights is None else numbers_of(weights, "sample_weight")
        lengths = {"columns": column, "values": value, "sample_weight": weight}
        for name, array in lengths.items():
            check_length(row, name, array)
        if not len(row):
            raise ValueError("there are no entries; at least one is needed")
        if weight is not None and weight.min() < 0:
            at = int(weight.argmin())
            raise ValueError(f"sample_weight[{at}] is {weight[at]}; it must be at least 0")
        check_counted(weight, "entries")
        p = int(row.max()) + 1 if shape[0] is None else shape[0]
        q = int(column.max()) + 1 if shape[1] is None else shape[1]
        if p * q > np.iinfo(np.int64).max:
            raise ValueError(f"a matrix of {p} rows and {q} columns has more places than 2^63")
        return cls(row, column, value, (p, q), weight)


def _checked_shape(shape: Any) -> tuple[int, int]:
    sizes = tuple(shape) if isinstance(shape, tuple | list | np.ndarray) else ()
    if len(sizes) != 2 or not all(isinstance(n, Integral) and int(n) >= 1 for n in sizes):
        raise ValueError(f"shape is {shape!r}; it must be two whole numbers from 1 on")
    return int(sizes[0]), int(sizes[1])


def check_length(row: NDArray[np.int64], name: str, array: Any) -> None:
    """Raise ValueError for an array, if any, without a number for each row index."""
    if array is not None and len(array) != len(row):
        told = f"rows has {len(row)} numbers and {name} has {len(array)}"
        raise ValueError(f"{told}; each entry has one of both")


def indices(values: Any, name: str, size: int | None) -> NDArray[np.int64]:
    """Whole numbers of 0 … size − 1, as an array, or a ValueError."""
    check_unmasked(values, f"{name} must be whole numbers")
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name} must be a list of indices, got shape {array.shape}")
    if array.size == 0:
        return np.zeros(0, dtype=np.int64)
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} must be whole numbers, got {array.dtype}")
    for at in (int(array.argmin()), int(array.argmax())):
        if array[at] < 0 or (size is not None and array[at] >= size):
            allowed = "at least 0" if size is None else f"0 … {size - 1}"
            raise ValueError(f"{name}[{at}] is {array[at]}; allowed are {allowed}")
    return array.astype(np.int64)


def numbers_of(values: Any, name: str) -> NDArray[np.float64]:
    """Finite numbers as an array, or a ValueError."""
    array = np.ascontiguousarray(float64_of(values, f"{name} must be numbers"))
    if np.ndim(values) != 1:
        raise ValueError(f"{name} must be a list of numbers, got shape {np.shape(values)}")
    if not np.isfinite(array).all():
        at = int(np.flatnonzero(~np.isfinite(array))[0])
        raise ValueError(f"{name}[{at}] is {array[at]}; it must be finite")
    return array
