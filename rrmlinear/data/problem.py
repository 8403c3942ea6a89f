"""The Problem: labelled, weighted examples over the caller's own memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.loading import named
from rrmlinear.core.records import record, replace
from rrmlinear.data.array_rows import csr_of, float64_of, in_column_order, rows_of, take_rows
from rrmlinear.data.labels import log_exposure

if TYPE_CHECKING:
    from rrmlinear.data.container.mapping import Mapped

#: Bytes of rows that are in memory at once where one pass reads all.
READ_AT_ONCE = 1 << 20


class Examples:
    """What problems of labelled rows share."""

    rows: Any
    #: The file that the rows lie in, if they do.
    container: Mapped | None

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

    def with_bias(self, bias: float) -> Self:
        """The same problem with a column of this value appended; negative: none."""
        if not isinstance(bias, Real) or not math.isfinite(bias):
            raise ValueError(f"bias must be a finite number, got {bias}")
        return self if bias == self.bias else replace(self, rows=self.rows.with_bias(bias))

    def in_blocks(self) -> Self:
        """The same problem; rows of a container are read in blocks that do not stay in memory."""
        if self.container is None:
            return self
        blocks = self.container.blocks(READ_AT_ONCE, 1, 1, evicts=False)
        return replace(self, rows=self.rows.streamed(blocks))


@record()
class Problem(Examples):
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
    #: The names of the features, and the words that labels 1 … k stand for, where there are some.
    feature_names: Sequence[str] | None = None
    label_names: Sequence[str] | None = None
    #: Numbers that are added to the scores of a regression.
    offset: NDArray[np.float64] | None = None
    #: Times after which examples are at risk, of Cox regression.
    entry: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        if not hasattr(self.rows, "bias"):
            raise TypeError(
                f"rows must be Rows, got {type(self.rows).__name__}; Problem.from_arrays takes "
                "arrays and sparse matrices"
            )

    def relabelled(self, y: Any, sample_weight: Any = None) -> Problem:
        """The same rows with labels ``y`` and these weights, or one for all, checked as in
        `from_arrays`.
        """
        labels, weights = _labelled(y, sample_weight, self.n_examples)
        return replace(self, labels=labels, weights=weights, label_names=None)

    def take(self, chosen: NDArray[np.int64]) -> Problem:
        """The chosen examples, in that order (their rows are copied)."""
        own = {name: getattr(self, name) for name in ("weights", "query_ids", "offset", "entry")}
        own = {name: None if each is None else each[chosen] for name, each in own.items()}
        rows, labels = take_rows(self.rows, chosen), self.labels[chosen]
        return replace(self, rows=rows, labels=labels, container=None, **own)

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
        is_finite: bool = False,
        offset: Any = None,
        exposure: Any = None,
    ) -> Problem:
        """A Problem over ``X`` (n × d, scipy CSR or dense) and ``y`` (n numbers).

        ``sample_weight`` are n numbers, or one for all; so is ``offset``, which is added to the
        scores of a regression, or an ``exposure`` e ≥ 0, the offset log e.

        A CSR matrix or array with float32/float64 values and int32/int64 indices is used without a
        copy, as is a C-ordered dense array of those types; both may be read-only or memory-mapped.
        Anything else is converted. Unsorted indices are sorted in a copy; repeated ones are summed,
        and a UserWarning says so. With ``any_order`` an F-ordered dense array is used as it is too,
        in `ColumnOrder`; `fit` copies it but for least squares. Values of a dense array that are
        known to be finite, ``is_finite``, are not read.

        Raises ValueError for NaN or infinity (row and column named), indices outside the matrix,
        lengths that differ, negative weights, and an empty matrix.
        """
        rows: Any = in_column_order(X, y) if any_order else None
        rows = rows_of(X, is_finite) if rows is None else rows
        moved = log_exposure(offset, exposure, rows.shape[0])
        whole = cls(rows, *_labelled(y, sample_weight, rows.shape[0]), offset=moved)
        return whole if bias == rows.bias else whole.with_bias(bias)

    @classmethod
    def open(cls, path: Any, *, verify: bool = False, **asked: Any) -> Problem:
        """A Problem over a file of any format that docs/files.md names, or several of one.

        ``path`` may be a list of paths, a pattern such as ``"part-*.parquet"``, a folder, or a URL
        that fsspec reads. ``asked`` are the fields of a reader: ``labels``, ``weights``,
        ``query_ids``, ``offset``, ``exposure``, ``entry``, each a column, ``"obs:NAME"`` or a file;
        ``categories``, columns that become columns of zeros and ones, ``["all"]`` for those of
        words; ``names``, a file with names of features; ``transpose=True`` where rows are features;
        ``unlabelled=True`` for a file that may lack labels, which are 0 then.

        The arrays of a container (docs/container.md) are mapped and read-only. Its header, its
        table of blocks and its size are checked at once, and nothing else is read. With ``verify``
        every block is read once and compared with its checksums, as the commands and `read_libsvm`
        do. The file must not be changed in place while it is open.

        Raises ContainerError, a ValueError, for a damaged container, with the block's number;
        ValueError for other wrong files, with the place; TypeError for unknown fields; OSError as
        `open` does.
        """
        opened: Problem = named("data.formats.opening:open_problem")(path, verify, asked)
        return opened

    @classmethod
    def over(cls, mapped: Mapped) -> Problem:
        """A Problem over a container that is open."""
        arrays = mapped.arrays
        if "labels" not in arrays:
            from rrmlinear.data.container.layout import ContainerError

            raise ContainerError(
                f"{mapped.path} has several labels an example: MultilabelProblem.open and "
                "read_multilabel read it"
            )
        found = (arrays["labels"], arrays.get("weights"), arrays.get("qid"))
        return cls(mapped.rows, *found, mapped, *mapped.names())


#: The function that trains each kind of problem.
TRAINED_BY = {
    "Problem": "fit",
    "SequenceProblem": "fit_sequences",
    "GraphProblem": "fit_graphs",
    "MultilabelProblem": "fit_labels",
}


def check_rows(rows: Any) -> None:
    """Raise ValueError for rows that cannot be written."""
    fault, canonical = rows.find_fault()
    if fault is not None:
        kind, row, position = fault
        raise ValueError(f"row {row} cannot be written: its stored {kind} {position} is not valid")
    if not canonical:
        raise ValueError("the rows cannot be written: their indices must increase in each row")


def check_kind(function: str, given: Any, kind: type, maker: str) -> None:
    """Raise TypeError for arrays, or another kind of problem, where ``function`` takes this one."""
    if isinstance(given, kind):
        return
    name = type(given).__name__
    trains = name in TRAINED_BY and function in TRAINED_BY.values()
    told = f"{TRAINED_BY[name]} takes that" if trains else f"{maker} makes one"
    raise TypeError(f"{function} takes a {kind.__name__}, not {name}: {told}")


def _labelled(
    y: Any, weights: Any, n: int
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """Labels and weights, or one weight for all, of n examples."""
    return vector_of(y, "y", n), checked_weights(weights, n)


def checked_weights(weights: Any, n: int) -> NDArray[np.float64] | None:
    """Weights of n examples, or one for all. ValueError for others, and for negative ones."""
    if weights is None:
        return None
    if isinstance(weights, Real) or (isinstance(weights, np.ndarray) and not weights.ndim):
        weights = np.full(n, weights)
    weights = vector_of(weights, "sample_weight", n)
    if weights.size and weights.min() < 0:
        worst = int(weights.argmin())
        raise ValueError(f"sample_weight[{worst}] is {weights[worst]}; weights must be at least 0")
    return weights


def vector_of(values: Any, name: str, n: int) -> NDArray[np.float64]:
    """n finite numbers of any type. ValueError with this name for others."""
    if values is None:
        raise ValueError(f"{name} is None; it must be {n} numbers, one for each row of X")
    vector = np.ascontiguousarray(float64_of(values, f"{name} must be {n} numbers"))
    if vector.shape != (n,):
        raise ValueError(f"{name} has shape {vector.shape}, but X has {n} rows")
    if not np.isfinite(vector).all():
        worst = int(np.flatnonzero(~np.isfinite(vector))[0])
        raise ValueError(f"{name}[{worst}] is {vector[worst]}; it must be finite")
    return vector
