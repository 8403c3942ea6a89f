"""Predictions on dask collections: what an estimator says about the rows of each block; labels of
any kind, names, truth values and categories, as whole numbers for the workers.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.dask.waiting import Watch

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


def computed(values: Any) -> Any:
    """The values of a collection; others as they are."""
    return values.compute() if hasattr(values, "compute") else values


def coded(watch: Watch, y: Any) -> tuple[Any, NDArray[Any] | None]:
    """(codes, names) of labels of dask that are no numbers, names sorted; (y, None) of numbers.

    Raises ValueError for labels that cannot be sorted, such as names and numbers together, and as
    `Watch` does.
    """
    if getattr(y, "ndim", 1) == 2 and hasattr(y, "columns") and len(y.columns) == 1:
        y = y[y.columns[0]]
    if getattr(y.dtype, "kind", "O") in "iuf":
        return y, None
    try:
        blocks = np.ravel(np.asarray(y.to_delayed(), dtype=object)).tolist()
        futures = [watch.submit(labels_of, each) for each in watch.client.compute(blocks)]
        found = watch.results(futures, {}, "looking at the labels")
        names = np.unique(np.concatenate([each for each in found if len(each)] or found))
    except TypeError:
        raise ValueError("labels of different kinds cannot be sorted: give names alone") from None
    if hasattr(y, "map_blocks"):
        return y.map_blocks(codes_of, names, dtype=np.int64), names
    return y.map_partitions(codes_of_series, names, meta=("y", np.int64)), names


def labels_of(block: Any) -> NDArray[Any]:
    """The labels of a block, each once; TypeError for those that cannot be sorted."""
    return np.unique(np.asarray(block))


def codes_of(block: Any, names: NDArray[Any]) -> NDArray[np.int64]:
    """The places of a block's labels among the names."""
    return np.searchsorted(names, np.asarray(block)).astype(np.int64)


def codes_of_series(series: Any, names: NDArray[Any]) -> Any:
    """`codes_of` as a series."""
    return type(series)(codes_of(series, names), index=series.index, name="y")
