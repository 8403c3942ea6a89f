"""Data in LIBLINEAR's Python forms: lists, dicts by feature, arrays and sparse matrices."""

from __future__ import annotations

import copy
import io
import sys
from itertools import pairwise
from numbers import Integral
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rrmlinear.data.array_rows import float64_of
from rrmlinear.data.problem import Problem
from rrmlinear.data.text.libsvm_format import read_libsvm

# With more values than this many times the given ones, scaled data are worth a warning.
MOST_FILLED = 3


def svm_read_problem(data_source: Any, return_scipy: bool = False) -> tuple[Any, Any]:
    """(y, x) of a file in the LIBSVM format: labels, and examples as dicts {index from 1: value}.

    ``data_source`` is a path (compressed files too) or a file object, open as text or as bytes.
    With ``return_scipy`` y is an array and x a csr_matrix, whose columns begin at index 1, or at 0
    if an index 0 occurs. Raises ValueError naming the line that is wrong.
    """
    if hasattr(data_source, "read"):
        text = data_source.read()
        data_source = io.BytesIO(text.encode() if isinstance(text, str) else text)
    found = read_libsvm(data_source, zero_based="auto")
    rows = found.to_scipy()
    if return_scipy:
        matrix = sparse.csr_matrix(rows)
        matrix.eliminate_zeros()
        return found.labels, matrix
    values, names = rows.data.tolist(), (rows.indices + 1).tolist()
    ends = rows.indptr.tolist()
    examples = [
        dict(zip(names[begin:end], values[begin:end], strict=True)) for begin, end in pairwise(ends)
    ]
    return found.labels.tolist(), examples


class problem:  # noqa: N801  (LIBLINEAR's name)
    """l labelled examples of n features, the appended column counted among them.

    ``y`` is a list, tuple or array of numbers; ``x`` a list of examples, each a dict {index from
    1: value} or a list of values, or an array or sparse matrix of l rows. ``bias`` ≥ 0 is the
    value of the appended column. Raises TypeError for other types, ValueError for lengths that
    differ, values that are not finite and indices below 1.
    """

    def __init__(self, y: Any, x: Any, bias: float = -1):
        if not isinstance(y, list | tuple | np.ndarray):
            raise TypeError(f"type of y: {type(y)} is not supported!")
        matrix = matrix_of(x)
        if len(y) != matrix.shape[0]:
            raise ValueError(f"len(y) != len(x): they are {len(y)} and {matrix.shape[0]}")
        self.examples = Problem.from_arrays(matrix, y)
        self.set_bias(bias)

    @property
    def l(self) -> int:  # noqa: E743
        """The number of examples."""
        return self.examples.n_examples

    @property
    def n(self) -> int:
        """The number of features, with the appended column."""
        return self.examples.rows.width

    @property
    def y(self) -> NDArray[np.float64]:
        """The labels."""
        return self.examples.labels

    @y.setter
    def y(self, labels: Any) -> None:
        rows, bias = self.examples.rows, self.bias
        if len(labels) != rows.shape[0]:
            raise ValueError(f"len(y) is {len(labels)}, and there are {rows.shape[0]} examples")
        self.examples = Problem(rows, np.array(labels, dtype=np.float64)).with_bias(bias)

    @property
    def bias(self) -> float:
        """The value of the appended column; negative: there is none."""
        return self.examples.bias

    def set_bias(self, bias: float) -> None:
        """Append a column of this value; with a negative one, none."""
        self.examples = self.examples.with_bias(bias)

    def copy(self) -> problem:
        """Another problem over the same examples, whose labels may be set anew."""
        return copy.copy(self)


def matrix_of(x: Any) -> Any:
    """A sparse or dense matrix of examples in any of the forms."""
    if isinstance(x, np.ndarray) or sparse.issparse(x):
        return x
    if not isinstance(x, list | tuple):
        raise TypeError(f"type of x: {type(x)} is not supported!")
    columns: list[int] = []
    values: list[float] = []
    ends = [0]
    for example in x:
        if isinstance(example, dict):
            indices = _sorted_indices(example, len(ends) - 1)
            columns.extend(at - 1 for at in indices)
            values.extend(example[at] for at in indices)
        elif isinstance(example, list | tuple | np.ndarray):
            columns.extend(range(len(example)))
            values.extend(example)
        else:
            raise TypeError(f"xi should be a dictionary, list, tuple or array, not {type(example)}")
        ends.append(len(columns))
    width = max(columns, default=-1) + 1
    data = float64_of(values, "the values of x must be numbers")
    return sparse.csr_matrix((data, columns, ends), shape=(len(x), width))


def _sorted_indices(example: dict[Any, Any], number: int) -> list[int]:
    """The indices of an example, or an error that names this example and the wrong index."""
    try:
        indices = sorted(map(index, example))
    except TypeError:
        wrong = next(key for key in example if not isinstance(key, Integral))
        raise TypeError(
            f"example {number} has the index {wrong!r}; indices are whole numbers from 1"
        ) from None
    if indices and indices[0] < 1:
        raise ValueError(f"example {number} has the index {indices[0]}, below 1")
    return indices


def csr_find_scale_param(
    x: Any, lower: float = -1, upper: float = 1
) -> dict[str, NDArray[np.float64]]:
    """{"coef", "offset"} with which x · diag(coef) + offset lies within ``lower`` … ``upper``.

    ``x`` is a csr_matrix. Constant columns become zeros. A warning on stderr says where the scaled
    matrix would have three times as many values as the given one. Raises ValueError where ``lower``
    is not below ``upper``.
    """
    if not lower < upper:
        raise ValueError(f"lower is {lower}; it must be below upper, {upper}")
    least = x.min(axis=0).toarray().ravel()
    spread = x.max(axis=0).toarray().ravel() - least
    moving = spread > 0
    coef = np.zeros(x.shape[1])
    coef[moving] = (upper - lower) / spread[moving]
    offset = np.where(moving, lower - least * coef, 0.0)
    if np.count_nonzero(offset) * x.shape[0] > MOST_FILLED * x.nnz:
        print(
            "WARNING: the scaled data have at least twice as many nonzeros more than the given "
            "ones. For sparse data without negative values set lower=0.",
            file=sys.stderr,
        )
    return {"coef": coef, "offset": offset}


def csr_scale(x: Any, scale_param: dict[str, NDArray[np.float64]]) -> Any:
    """The csr_matrix x · diag(coef) + offset; columns without a coefficient become zeros."""
    n = x.shape[1]
    coef, offset = np.zeros(n), np.zeros(n)
    shared = min(n, len(scale_param["coef"]))
    if shared != n or n != len(scale_param["coef"]):
        print(
            f"WARNING: the data have {n} features, the scaling parameters "
            f"{len(scale_param['coef'])}.",
            file=sys.stderr,
        )
    coef[:shared] = scale_param["coef"][:shared]
    offset[:shared] = scale_param["offset"][:shared]
    moved = sparse.csr_matrix(np.ones((x.shape[0], 1))) @ sparse.csr_matrix(offset[np.newaxis])
    return sparse.csr_matrix(x @ sparse.diags_array(coef) + moved)
