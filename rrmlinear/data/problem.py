"""The Problem: labelled, weighted examples over the caller's own memory."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.column_order import ColumnOrder
from rrmlinear.data.container.mapping import Mapped, open_container
from rrmlinear.data.rows import Rows, gathered

INT32_MAX = 2**31 - 1
#: Bytes of rows that are in memory at once where one pass reads all.
READ_AT_ONCE = 1 << 20
MEMORY_DTYPES = (np.dtype(np.float32), np.dtype(np.float64))


@dataclass(frozen=True, eq=False)
class Problem:
    """n examples x_i over d features with labels y_i and, if given, weights c_i ≥ 0.

    A weight multiplies the example's cost: C_i = C · class weight · c_i. ``rows.bias`` ≥ 0 is the
    value of a column appended to every row; its weight is regularized like any other, as with
    LIBLINEAR's ``-B``. Build one by `Problem.from_arrays`, `Problem.open` or `read_libsvm`.

    Examples
    --------
    >>> import numpy as np
    >>> from rrmlinear import Problem
    >>> problem = Problem.from_arrays(np.eye(3), [1, 2, 2], bias=1.0)
    >>> problem.n_examples, problem.n_features, problem.bias
    (3, 3, 1.0)
    """

    #: `Rows`, or a `ColumnOrder` where that was asked for.
    rows: Any
    labels: NDArray[np.float64]
    weights: NDArray[np.float64] | None = None
    query_ids: NDArray[np.int64] | None = None
    #: The file that rows and labels lie in, if they do.
    container: Mapped | None = None

    def __post_init__(self) -> None:
        if not hasattr(self.rows, "bias"):
            raise TypeError(
                f"rows must be Rows, got {type(self.rows).__name__}; Problem.from_arrays takes "
                "arrays and sparse matrices"
            )

    @property
    def n_examples(self) -> int:
        return self.rows.shape[0]

    @property
    def n_features(self) -> int:
        """Features of the data, without an appended column."""
        return self.rows.shape[1]

    @property
    def bias(self) -> float:
        return self.rows.bias

    def with_bias(self, bias: float) -> Problem:
        """The same problem with a column of this value appended; negative: none."""
        if not np.isfinite(bias):
            raise ValueError(f"bias must be a finite number, got {bias}")
        return replace(self, rows=self.rows.with_bias(bias))

    def in_blocks(self) -> Problem:
        """The same problem; rows of a container are read in blocks that do not stay in memory."""
        if self.container is None:
            return self
        blocks = self.container.blocks(READ_AT_ONCE, 1, 1, evicts=False)
        return replace(self, rows=self.rows.streamed(blocks))

    def relabelled(self, y: Any, sample_weight: Any = None) -> Problem:
        """The same rows with labels ``y`` and these weights, or one for all, checked as in
        `from_arrays`.
        """
        labels = _vector(y, "y", self.n_examples)
        weights = sample_weight
        if weights is not None:
            if isinstance(weights, Real) or (isinstance(weights, np.ndarray) and not weights.ndim):
                weights = np.full(self.n_examples, weights)
            weights = _vector(weights, "sample_weight", self.n_examples)
            if weights.size and weights.min() < 0:
                worst = int(weights.argmin())
                raise ValueError(
                    f"sample_weight[{worst}] is {weights[worst]}; weights must be at least 0"
                )
        return replace(self, labels=labels, weights=weights)

    def take(self, chosen: NDArray[np.int64]) -> Problem:
        """The chosen examples, in that order (their rows are copied)."""
        return Problem(
            take_rows(self.rows, chosen),
            self.labels[chosen],
            None if self.weights is None else self.weights[chosen],
            None if self.query_ids is None else self.query_ids[chosen],
        )

    def to_scipy(self) -> Any:
        """The rows as a scipy.sparse.csr_array over the same values and indices (dense rows:
        converted). SciPy has one type for indices and indptr: 32-bit indices of 2³¹ and more
        stored values are copied.
        """
        return csr_of(self.rows)

    @classmethod
    def from_arrays(
        cls,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        bias: float = -1.0,
        any_order: bool = False,
    ) -> Problem:
        """A Problem over ``X`` (n × d, scipy CSR or dense) and ``y`` (n numbers).

        ``sample_weight`` are n numbers, or one for all.

        A CSR matrix or array with float32/float64 values and int32/int64 indices is used without a
        copy, as is a C-ordered dense array of those types; both may be read-only or memory-mapped.
        Anything else is converted. Unsorted or repeated indices are sorted and summed in a copy,
        and a UserWarning says so. With ``any_order`` an F-ordered dense array is used as it is too,
        in `ColumnOrder`, which few solvers take.

        Raises ValueError for NaN or infinity (row and column named), indices outside the matrix,
        lengths that differ, negative weights, and an empty matrix.
        """
        rows = _in_column_order(X) if any_order else None
        whole = cls(rows_of(X) if rows is None else rows, np.empty(0))
        return whole.relabelled(y, sample_weight).with_bias(bias)

    @classmethod
    def open(cls, path: Any, *, verify: bool = False) -> Problem:
        """A Problem over the arrays of a container (docs/container.md), mapped and read-only.

        The header, the table of blocks and the file's size are checked at once, and nothing else is
        read. With ``verify`` every block is read once and compared with its checksums, as the
        commands and `read_libsvm` do. The file must not be changed in place while it is open.

        Raises ContainerError, a ValueError, for a file that is no container or is damaged, with the
        block's number; OSError as `open` does.
        """
        return cls.over(open_container(path, verify))

    @classmethod
    def over(cls, mapped: Mapped) -> Problem:
        """A Problem over a container that is open."""
        arrays = mapped.arrays
        return cls(mapped.rows, arrays["labels"], arrays.get("weights"), arrays.get("qid"), mapped)


def check_kind(function: str, given: Any, kind: type, maker: str) -> None:
    """Raise TypeError for arrays, or another kind of problem, where ``function`` takes this one."""
    if not isinstance(given, kind):
        raise TypeError(
            f"{function} takes a {kind.__name__}, not {type(given).__name__}: {maker} makes one"
        )


def _in_column_order(X: Any) -> ColumnOrder | None:
    """X as it is, None where it is no F-ordered matrix of numbers that kernels read."""
    if not (isinstance(X, np.ndarray) and X.ndim == 2 and X.flags.f_contiguous and X.size):
        return None
    if X.flags.c_contiguous or X.dtype not in MEMORY_DTYPES or not X.dtype.isnative:
        return None
    rows = ColumnOrder(X)
    return rows if rows.features.find_fault()[0] is None else None


def rows_of(X: Any) -> Rows:
    """Checked rows over a scipy sparse matrix or a dense array; see `Problem.from_arrays`."""
    rows = _sparse_rows(X) if hasattr(X, "tocsr") else _dense_rows(X)
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
        lengths, begins = rows.lengths()[chosen], indptr[chosen].astype(np.int64)
        indptr = np.concatenate(([0], np.cumsum(lengths)))
        values, indices = (gathered(each, begins, lengths) for each in (values, indices))
    return rows.over(values, indices, indptr, rows.bias)


def _float64(values: Any, wanted: str) -> NDArray[np.float64]:
    try:
        array = np.asarray(values)
        if array.dtype.kind == "c":  # a conversion would drop the imaginary parts
            raise TypeError("complex ones are not allowed")
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{wanted}: {error}") from None


def _vector(values: Any, name: str, n: int) -> NDArray[np.float64]:
    vector = np.ascontiguousarray(_float64(values, f"{name} must be {n} numbers"))
    if vector.shape != (n,):
        raise ValueError(f"{name} has shape {vector.shape}, but X has {n} rows")
    if not np.isfinite(vector).all():
        worst = int(np.flatnonzero(~np.isfinite(vector))[0])
        raise ValueError(f"{name}[{worst}] is {vector[worst]}; it must be finite")
    return vector


def _dense_rows(X: Any) -> Rows:
    values = np.asarray(X)
    if values.ndim != 2:
        raise ValueError(f"X must be a matrix of n rows and d columns, got shape {values.shape}")
    if values.dtype not in MEMORY_DTYPES:
        values = _float64(values, "X must hold numbers")
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    rows = Rows(np.ascontiguousarray(values), None, None, values.shape[1])
    _refuse_faults(rows, rows.find_fault()[0])
    return rows


def _sparse_rows(X: Any) -> Rows:
    X = X.tocsr()  # no copy where X is CSR already
    if X.ndim != 2:
        raise ValueError(f"X must be a matrix of n rows and d columns, got shape {X.shape}")
    data = X.data if X.data.dtype in MEMORY_DTYPES else _float64(X.data, "X must hold numbers")
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
        warnings.warn(
            "X has unsorted or repeated column indices: a copy with its rows sorted and "
            "repeated entries summed is used",
            UserWarning,
            stacklevel=4,
        )
        X = X.copy()
        X.sum_duplicates()
        return _sparse_rows(X)
    return rows


def _check_indptr(indptr: NDArray[Any], n_rows: int, n_stored: int) -> None:
    if len(indptr) != n_rows + 1:
        raise ValueError(f"indptr has {len(indptr)} entries for {n_rows} rows; {n_rows + 1} needed")
    if indptr[0] < 0 or indptr[-1] > n_stored or (np.diff(indptr) < 0).any():
        raise ValueError(f"indptr must not fall and must stay within 0 … {n_stored}")


def _refuse_faults(rows: Rows, fault: tuple[str, int, int] | None) -> None:
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
