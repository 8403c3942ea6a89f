"""Predictions on dask collections: what an estimator says about the rows of each block."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: What an estimator finds for rows.
Method = Callable[[Any], NDArray[Any]]


def is_collection(X: Any) -> bool:
    """Whether X is a dask array, frame, series or bag."""
    return hasattr(X, "to_delayed")


def is_elsewhere(X: Any) -> bool:
    """Whether the rows of X are not in the client's memory: a collection, or paths or futures."""
    if is_collection(X) or isinstance(X, str | os.PathLike):
        return True
    listed = isinstance(X, list | tuple) and len(X) > 0
    return listed and (isinstance(X[0], str | os.PathLike) or hasattr(X[0], "key"))


def names_of(X: Any) -> NDArray[Any] | None:
    """The names of the columns of a frame, where all are strings."""
    names = list(getattr(X, "columns", []))
    is_named = len(names) > 0 and all(isinstance(name, str) for name in names)
    return np.asarray(names, dtype=object) if is_named else None


def mapped(method: Method, X: Any, dtype: Any, columns: int) -> Any:
    """What the method of an estimator finds for the rows of each block: a collection like X.

    ``columns`` are those of the result, 1 for a vector.
    """
    found = partial(_of_block, method, columns)
    if hasattr(X, "map_blocks"):
        X = X.rechunk({1: -1})
        if columns == 1:
            return X.map_blocks(found, drop_axis=1, dtype=dtype)
        return X.map_blocks(found, chunks=(X.chunks[0], (columns,)), dtype=dtype)
    if not hasattr(X, "columns"):  # a bag of blocks
        return X.map(found)
    if columns > 1:
        return mapped(method, X.to_dask_array(), dtype, columns)
    return X.map_partitions(_of_frame, found, meta=(None, dtype))


def _of_block(method: Method, columns: int, X: Any) -> NDArray[Any]:
    X = X.to_numpy() if hasattr(X, "to_numpy") else X
    if getattr(X, "shape", (1,))[0] == 0:
        return np.zeros(0 if columns == 1 else (0, columns))
    return method(X)


def _of_frame(frame: Any, found: Method) -> Any:
    import pandas

    return pandas.Series(found(frame), index=frame.index)


def computed(values: Any) -> NDArray[Any]:
    """The values of a collection, or of an array."""
    return np.asarray(values.compute() if hasattr(values, "compute") else values)
