"""Labels of any kind, as whole numbers for the workers: names, truth values, categories."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.dask.waiting import Watch


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
        futures = [watch.submit(names_of, each) for each in watch.client.compute(blocks)]
        found = watch.results(futures, {}, "looking at the labels")
        names = np.unique(np.concatenate([each for each in found if len(each)] or found))
    except TypeError:
        raise ValueError("labels of different kinds cannot be sorted: give names alone") from None
    if hasattr(y, "map_blocks"):
        return y.map_blocks(codes_of, names, dtype=np.int64), names
    return y.map_partitions(codes_of_series, names, meta=("y", np.int64)), names


def names_of(block: Any) -> NDArray[Any]:
    """The labels of a block, each once; TypeError for those that cannot be sorted."""
    return np.unique(np.asarray(block))


def codes_of(block: Any, names: NDArray[Any]) -> NDArray[np.int64]:
    """The places of a block's labels among the names."""
    return np.searchsorted(names, np.asarray(block)).astype(np.int64)


def codes_of_series(series: Any, names: NDArray[Any]) -> Any:
    """`codes_of` as a series."""
    return type(series)(codes_of(series, names), index=series.index, name="y")
