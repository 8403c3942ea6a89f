"""Rows over dense arrays and sparse matrices as users give them, checked; and back to SciPy's."""

from __future__ import annotations

import math
import os
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.warned import warn_caller
from rrmlinear.data.column_order import ColumnOrder
from rrmlinear.data.rows import PackedRows, Rows, gathered

INT32_MAX = 2**31 - 1
#: The types of values that kernels read.
MEMORY_DTYPES = (np.dtype(np.float32), np.dtype(np.float64))


def in_column_order(X: Any, y: Any = None) -> ColumnOrder | None:
    """X as it is, None where it is no F-ordered matrix of numbers that kernels read.

    Products with the targets y less their mean are made along with the check of X, if y are as many
    float64 numbers.

    Raises ValueError for NaN and infinity.
    """
    if not (isinstance(X, np.ndarray) and X.ndim == 2 and X.flags.f_contiguous and X.size):
        return None
    if X.flags.c_contiguous or X.dtype not in MEMORY_DTYPES or not X.dtype.isnative:
        return None
    if _hides_entries(X):  # `rows_of` refuses them
        return None
    rows = ColumnOrder(X, errors=_errors(y, len(X)))
    if not np.isfinite(rows.moments).all():  # numbers may be finite where their squares are not
        fault = rows.features.find_fault()[0]
        if fault is not None:
            kind, j, i = fault
            _refuse_faults(rows, (kind, i, j))
    return rows


def _errors(y: Any, n: int) -> NDArray[np.float64] | None:
    if not (isinstance(y, np.ndarray) and y.shape == (n,) and y.dtype == np.float64):
        return None
    with np.errstate(all="ignore"):  # y is not checked yet
        return np.ascontiguousarray(y - y.sum() / n)


def rows_of(X: Any, is_finite: bool = False) -> Rows:
    """Checked rows over a scipy sparse matrix or a dense array; see `Problem.from_arrays`.

    Values of a dense array that are known to be finite, ``is_finite``, are not read.

    Raises ValueError for no rows, and for what is no matrix of finite numbers.
    """
    rows = _sparse_rows(X) if hasattr(X, "tocsr") else _dense_rows(X, is_finite)
    if rows.shape[0] == 0:
        raise ValueError("X has 0 rows; at least one example is needed")
    return rows


def csr_of(rows: Rows) -> Any:
    """A scipy.sparse.csr_array over the same values and indices, as `Problem.to_scipy`."""
    from scipy.sparse import csr_array

    indices, indptr = rows.indices, rows.indptr
    if indices is None or indptr is None:
        return csr_array(rows.values)
    if indices.dtype == np.int32 and len(rows.values) <= INT32_MAX:
        indptr = indptr.astype(np.int32, copy=False)
    return csr_array((rows.values, indices, indptr), shape=rows.shape)


def take_rows(rows: Rows, chosen: NDArray[np.int64]) -> Rows:
    """A copy of the chosen rows, in that order."""
    (values, indices), indptr = rows.stored, rows.indptr
    if indptr is None or indices is None:
        values = np.ascontiguousarray(values[chosen])
    else:
        begins = indptr[chosen].astype(np.int64)
        lengths = indptr[chosen + 1] - begins
        indptr = np.concatenate(([0], np.cumsum(lengths)))
        values, indices = (gathered(each, begins, lengths) for each in (values, indices))
    return rows.over(values, indices, indptr, rows.bias)


def in_units(rows: Rows, units: NDArray[np.float64]) -> Rows:
    """Rows with columns in these units, but for an appended one."""
    own = units[: rows.shape[1]]
    values = rows.values * (own if rows.is_dense else own[rows.indices])
    return Rows(values, rows.indices, rows.indptr, len(own), rows.bias)


def scaled_csr(rows: Rows, chosen: NDArray[np.int64], factors: NDArray[np.float64]) -> Any:
    """A scipy.sparse.csr_array of the chosen sparse rows, all or fewer, each times its factor, with
    the appended column.
    """
    from scipy.sparse import csr_array

    picked = rows if len(chosen) == rows.shape[0] else take_rows(rows, chosen)
    picked = csr_array((picked.values, picked.indices, picked.indptr), picked.shape)
    values = picked.data * np.repeat(factors, np.diff(picked.indptr))
    if rows.bias < 0:
        return csr_array((values, picked.indices, picked.indptr), picked.shape)
    n, d = picked.shape
    ends = picked.indptr[1:]
    return csr_array(
        (
            np.insert(values, ends, rows.bias * factors),
            np.insert(picked.indices, ends, d),
            picked.indptr + np.arange(n + 1),
        ),
        (n, d + 1),
    )


class _Norms:
    """Before a kind of rows: their squared norms are computed once, for all problems, and so are
    those with an appended column.
    """

    kept: NDArray[np.float64] | None = None
    shared: dict[Any, Any]

    def with_bias(self: Any, bias: float) -> Rows:
        if bias == self.bias:
            return self  # type: ignore[no-any-return]
        beside: dict[float, Rows] = self.shared.setdefault("with bias", {})
        if bias not in beside:
            beside[bias] = shared_rows(super().with_bias(bias))  # type: ignore[misc]
        return beside[bias]

    def squared_norms(self: Any) -> NDArray[np.float64]:
        if self.kept is None:
            self.kept = super().squared_norms()  # type: ignore[misc]
        norms: NDArray[np.float64] = self.kept.copy()
        return norms


class _SharedRows(_Norms, Rows):
    pass


class _SharedPackedRows(_Norms, PackedRows):
    pass


def _arrays_of(rows: Rows) -> tuple[Any, ...]:
    return *rows.stored, rows.indptr, rows.shape[1], rows.bias, rows.blocks


def shared_rows(rows: Rows) -> Rows:
    """The same rows with a place, ``shared``, for what all problems take of them."""
    result: Any
    if type(rows) is Rows:
        result = _SharedRows(*_arrays_of(rows))
    elif isinstance(rows, PackedRows):
        result = _SharedPackedRows(*_arrays_of(rows), decimals=rows.decimals)
    else:
        result = rows.with_bias(rows.bias)
    result.shared = {}
    return result


def float64_of(values: Any, wanted: str) -> NDArray[np.float64]:
    """Values as doubles, or a ValueError that says what is ``wanted``."""
    check_unmasked(values, wanted)
    check_no_text(values, wanted)
    try:
        array = np.asarray(values)
        if array.dtype.kind == "c":  # a conversion would drop the imaginary parts
            raise TypeError("complex ones are not allowed")
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{wanted}: {error}") from None


def check_no_text(values: Any, wanted: str) -> None:
    """Raise a ValueError that says what is ``wanted`` for text and times in place of numbers."""
    dtypes = [values.dtype] if hasattr(values, "dtype") else getattr(values, "dtypes", ["list"])
    if values is None or all(getattr(each, "kind", "O") in "biufc" for each in dtypes):
        return
    try:
        array = np.asarray(values)
    except ValueError:  # ragged: the conversion to numbers words it
        return
    objects = array.ravel().tolist() if array.dtype.kind == "O" else []
    if array.dtype.kind in "SU" or any(isinstance(each, str | bytes) for each in objects):
        raise ValueError(f"{wanted}: text is not converted to numbers")
    if array.dtype.kind in "mM":
        raise ValueError(f"{wanted}: times are not converted to numbers")


def is_missing(value: Any) -> bool:
    """Whether it is None, NaN, NaT or the <NA> of pandas."""
    return value is None or str(value != value) in ("True", "<NA>")


def check_complete(y: Any) -> None:
    """Raise a ValueError for objects that are missing or infinite; scikit-learn converts some."""
    objects: list[Any] = []
    if y is not None and not hasattr(y, "tocsr"):
        with suppress(ValueError):  # lists of unlike lengths
            array = np.asarray(y)
            objects = array.ravel().tolist() if array.dtype.kind == "O" else []
    for at, each in enumerate(objects):
        if is_missing(each) or (isinstance(each, float) and math.isinf(each)):
            raise ValueError(f"y contains NaN or infinity, or misses some: entry {at} is {each!r}")


def check_unmasked(values: Any, wanted: str) -> None:
    """Raise a ValueError that says what is ``wanted`` for a masked array with masked entries."""
    if _hides_entries(values):  # a conversion would take them
        raise ValueError(f"{wanted}: masked entries are not allowed")


def _hides_entries(X: Any) -> bool:
    """Whether X is a masked array with masked entries; `numpy.ma` is slow to import."""
    if type(X) is np.ndarray or not isinstance(X, np.ndarray):
        return False
    return bool(np.any(getattr(X, "mask", False)))


def _dense_rows(X: Any, is_finite: bool) -> Rows:
    if isinstance(X, (str, os.PathLike)):
        raise ValueError(f"X is the path {os.fspath(X)!r}: read_libsvm or Problem.open reads files")
    check_unmasked(X, "X must hold numbers")
    values = np.asarray(X)
    if values.ndim != 2:
        raise ValueError(f"X must be a matrix of n rows and d columns, got shape {values.shape}")
    if values.dtype not in MEMORY_DTYPES:
        values = float64_of(values, "X must hold numbers")
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    rows = Rows(np.ascontiguousarray(values), None, None, values.shape[1])
    if not is_finite:
        _refuse_faults(rows, rows.find_fault()[0])
    return rows


def _sparse_rows(X: Any) -> Rows:
    X = X.tocsr()  # no copy where X is CSR already
    if X.ndim != 2:
        raise ValueError(f"X must be a matrix of n rows and d columns, got shape {X.shape}")
    data = X.data if X.data.dtype in MEMORY_DTYPES else float64_of(X.data, "X must hold numbers")
    indptr, indices = X.indptr, X.indices
    if indices.dtype not in (np.int32, np.int64):
        indices = indices.astype(np.int64)
    if indptr.dtype not in (np.int32, np.int64):
        indptr = indptr.astype(np.int64)
    data, indices, indptr = (np.ascontiguousarray(part) for part in (data, indices, indptr))
    _check_indptr(indptr, X.shape[0], min(len(data), len(indices)))
    rows = Rows(data, indices, indptr, X.shape[1])
    fault, canonical = rows.find_fault()
    _refuse_faults(rows, fault)
    if not canonical:
        ordered, repeats = in_order(X)
        if repeats:
            warn_caller(
                "X has repeated column indices: a copy with repeated entries summed is used"
            )
        return _sparse_rows(ordered)
    return rows


def in_order(matrix: Any) -> tuple[Any, bool]:
    """A copy of a CSR matrix whose rows are sorted, repeated entries summed; and whether there were
    such.
    """
    ordered = matrix.copy()
    ordered.sum_duplicates()
    return ordered, bool(ordered.nnz < matrix.nnz)


def _check_indptr(indptr: NDArray[Any], n_rows: int, n_stored: int) -> None:
    if len(indptr) != n_rows + 1:
        raise ValueError(f"indptr has {len(indptr)} entries for {n_rows} rows; {n_rows + 1} needed")
    if indptr[0] < 0 or indptr[-1] > n_stored or (np.diff(indptr) < 0).any():
        wrong = (indptr < 0) | (indptr > n_stored)
        wrong[1:] |= np.diff(indptr) < 0
        at = int(wrong.argmax())
        raise ValueError(
            f"indptr[{at}] is {indptr[at]}; indptr must not fall and must stay within "
            f"0 … {n_stored}"
        )


def _refuse_faults(rows: Rows | ColumnOrder, fault: tuple[str, int, int] | None) -> None:
    if fault is None:
        return
    kind, i, t = fault
    if rows.indptr is None or rows.indices is None:
        column, value = t, rows.values[i, t]
    else:
        at = int(rows.indptr[i]) + t
        column, value = int(rows.indices[at]), rows.values[at]
    if kind == "index":
        raise ValueError(
            f"row {i} of X has column index {column}; allowed are 0 … {rows.shape[1] - 1}"
        )
    raise ValueError(f"X[{i}, {column}] is {value}; NaN and infinity are not allowed")
