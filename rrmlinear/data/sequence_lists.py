"""Lists of matrices, labels and weights of sequences, as users give them, to arrays; checked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.array_rows import check_unmasked, float64_of, rows_of
from rrmlinear.data.rows import Rows

MIXED_LABELS = "labels must be all numbers or all strings"


def stack(X: Sequence[Any]) -> tuple[NDArray[np.int64], Rows]:
    """Starts and rows of a list of matrices, sparse or dense; some may have no row.

    Raises ValueError as `SequenceProblem.from_lists`.
    """
    if isinstance(X, str | bytes) or not hasattr(X, "__len__"):
        raise ValueError("X must be a list of matrices, one for each sequence")
    if hasattr(X, "tocsr"):
        raise ValueError("X is one matrix; it must be a list of matrices, one for each sequence")
    if len(X) == 0:
        raise ValueError("X has 0 sequences; at least one is needed")
    parts = [_matrix(part, f"X[{s}]") for s, part in enumerate(X)]
    first = next((s for s, part in enumerate(parts) if part.shape[:1] != (0,)), None)
    if first is None:
        raise ValueError("all sequences of X are empty; one must have a position")
    for s, (given, part) in enumerate(zip(X, parts, strict=True)):
        check_unmasked(given, f"X[{s}] must hold numbers")
        if part.shape[0] == 0:
            continue
        if part.ndim != 2:
            has_dicts = part.ndim == 1 and part.size > 0 and isinstance(part[0], dict)
            hint = "; scikit-learn's DictVectorizer makes one of dicts" if has_dicts else ""
            raise ValueError(
                f"X[{s}] must be a matrix with a row for each position, and has shape {part.shape}"
                f"{hint}"
            )
        if part.shape[1] != parts[first].shape[1]:
            raise ValueError(
                f"X[{s}] has {part.shape[1]} columns and X[{first}] has {parts[first].shape[1]}"
            )
    starts = np.cumsum([0] + [part.shape[0] for part in parts], dtype=np.int64)
    try:
        return starts, rows_of(_stacked([part for part in parts if part.shape[0]]))
    except ValueError:
        for s, part in enumerate(parts):
            try:
                if part.shape[0]:
                    rows_of(part)
            except ValueError as error:
                raise ValueError(f"sequence {s}: {error}") from None
        raise


def _matrix(given: Any, name: str) -> Any:
    """A sparse matrix as it is, anything else as an array; ValueError for rows of two lengths."""
    if hasattr(given, "tocsr"):
        return given
    try:
        return np.asarray(given)
    except ValueError:
        raise ValueError(f"{name} must be a matrix, and its rows have different lengths") from None


def stack_with_edges(X: Sequence[Any]) -> tuple[NDArray[np.int64], Rows, Rows | None]:
    """`stack`, and the features of edges or None, where X may have pairs of matrices."""
    if isinstance(X, str | bytes) or not hasattr(X, "__len__") or hasattr(X, "tocsr"):
        return (*stack(X), None)
    pairs = [isinstance(part, tuple) for part in X]
    if not any(pairs):
        return (*stack(X), None)
    for s, part in enumerate(X):
        if not pairs[s] or len(part) != 2:
            raise ValueError(
                f"X[{s}] must be a pair of matrices, of positions and of edges, as others of X are"
            )
    starts, rows = stack([part for part, _ in X])
    parts = [
        _matrix(of_edges, f"the features of edges of X[{s}]") for s, (_, of_edges) in enumerate(X)
    ]
    for s, (_, of_edges) in enumerate(X):
        check_unmasked(of_edges, f"the features of edges of X[{s}] must hold numbers")
    kept = np.flatnonzero(np.diff(starts)).tolist()
    first = kept[0]
    for s, length in zip(kept, np.diff(starts)[kept].tolist(), strict=True):
        part = parts[s]
        if part.ndim != 2 or part.shape[0] != length - 1:
            raise ValueError(
                f"X[{s}] has {length} positions; the features of its edges must be a matrix of "
                f"{length - 1} rows, and have shape {part.shape}"
            )
        if part.shape[1] != parts[first].shape[1]:
            raise ValueError(
                f"X[{s}] has {part.shape[1]} features of edges and X[{first}] has "
                f"{parts[first].shape[1]}"
            )
    if parts[first].shape[1] == 0:
        raise ValueError("the matrices of edges have no columns; without features give none")
    if starts[-1] == len(kept):  # no edge at all
        none = np.zeros(1, dtype=np.int64)
        empty = np.zeros(0, dtype=np.int32)
        return starts, rows, Rows(np.zeros(0), empty, none, parts[first].shape[1])
    try:
        return starts, rows, rows_of(_stacked([parts[s] for s in kept]))
    except ValueError as error:
        raise ValueError(f"features of edges: {error}") from None


def _stacked(parts: list[Any]) -> Any:
    if len(parts) == 1:
        return parts[0]
    if not any(hasattr(part, "tocsr") for part in parts):
        return np.concatenate(parts)
    from scipy.sparse import csr_array, vstack

    return vstack([part.tocsr() if hasattr(part, "tocsr") else csr_array(part) for part in parts])


def joined(y: Sequence[Any]) -> NDArray[Any]:
    """The labels of all sequences, end to end; ValueError for numbers mixed with strings."""
    for s, part in enumerate(y):
        check_unmasked(part, f"y[{s}] must hold labels")
    parts = [np.asarray(part) for part in y if len(part)]
    text, numbers = (any(part.dtype.kind in kinds for part in parts) for kinds in ("US", "biufc"))
    # NumPy makes text of numbers that are mixed with it
    each = chain.from_iterable(part for part in y if isinstance(part, list | tuple))
    if text and (numbers or not all(isinstance(label, str | bytes) for label in each)):
        raise ValueError(MIXED_LABELS)
    whole = np.concatenate(parts)
    if whole.dtype.kind == "f" and all(
        isinstance(label, Integral) for label in chain.from_iterable(y)
    ):
        return np.array(list(chain.from_iterable(y)), dtype=object)  # of 2^63 and more
    return whole


def numbered(y: NDArray[Any], labels: Any) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """All labels, sorted, and the place of each position's.

    Raises ValueError for NaN, infinity, numbers mixed with text and labels not among ``labels``.
    """
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        worst = int(np.flatnonzero(~np.isfinite(y))[0])
        raise ValueError(f"the label of position {worst} is {y[worst]}; it must be finite")
    try:
        names = np.unique(y if labels is None else np.asarray(labels))
        place = np.searchsorted(names, y)
        unknown = names[np.minimum(place, len(names) - 1)] != y
    except TypeError:
        raise ValueError(MIXED_LABELS) from None
    if np.any(unknown):
        raise ValueError(f"y has the label {y[unknown][0]!r}, which is not among labels")
    return names, place.astype(np.int32)


def checked_weights(weights: Any, m: int) -> NDArray[np.float64]:
    """Weights of m sequences as an array, or a ValueError."""
    array = np.ascontiguousarray(float64_of(weights, "weights must hold numbers"))
    if array.shape != (m,):
        raise ValueError(f"weights has shape {array.shape}, but there are {m} sequences")
    wrong = np.flatnonzero(~(np.isfinite(array) & (array >= 0)))
    if wrong.size:
        raise ValueError(
            f"weights[{wrong[0]}] is {array[wrong[0]]}; it must be finite and at least 0"
        )
    return array
