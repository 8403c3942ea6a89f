"""Data of many forms as blocks of examples: with the client, and on a worker."""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any, NamedTuple

import numpy as np
from distributed import Client, Future

from rrmlinear.data.problem import Problem
from rrmlinear.workers.dealing import Shape, read
from rrmlinear.workers.dealing import shape_of as shape_of_problem


class Block(NamedTuple):
    """Examples, labels and weights, each a future or a value; or a file by its path; or a tuple of
    two or three in one future, or in the client's memory (`Held`).
    """

    X: Any
    y: Any = None
    weights: Any = None


class Held(NamedTuple):
    """Examples, labels and weights in the client's memory: sent whenever a worker needs them."""

    value: tuple[Any, Any, Any]


def blocks_of(client: Client, X: Any, y: Any, weights: Any) -> list[Block]:
    """The blocks of a data set, in order.

    ``X`` is a dask array or dataframe with ``y`` and ``weights`` of the same chunks, or arrays; a
    path or a list of paths of containers or LIBSVM text that every worker can open; a list of
    futures of (X, y) or (X, y, weights); or a matrix or a Problem without a bias in the client's
    memory.
    Raises ValueError for others, and where X and y have different chunks.
    """
    if isinstance(X, str | PathLike):
        X = [X]
    if isinstance(X, list | tuple) and y is not None:
        X = X if any(isinstance(item, str | PathLike | Future) for item in X) else np.asarray(X)
    if isinstance(X, list | tuple):
        return _of_list(X, y, weights)
    if isinstance(X, Problem):
        if y is not None or weights is not None:
            own = "which has labels and weights of its own; the parameter is the third argument"
            raise ValueError(f"y and sample_weight must be None: X is a Problem, {own}")
        X, y, weights = X.to_scipy(), X.labels, X.weights
    if hasattr(X, "to_delayed"):
        columns = [_chunks(client, X, None, "X")]
        lengths = X.chunks[0] if hasattr(X, "chunks") else None
        for values, name in ((y, "y"), (weights, "sample_weight")):
            columns.append(_chunks(client, values, (len(columns[0]), lengths), name))
        return [Block(*each) for each in zip(*columns, strict=True)]
    if not hasattr(X, "shape"):
        raise ValueError(
            f"X must be a dask collection, paths, futures or a matrix, got {type(X).__name__}"
        )
    return [Block(Held((X, y, weights)))]


def offsets_of(computed: Any, X: Any, offset: Any, exposure: Any) -> tuple[Any, Any]:
    """The offset and the exposure in the client's memory: those given, ``computed`` where they are
    collections, or those of a Problem.
    """
    if isinstance(X, Problem) and X.offset is not None and offset is None is exposure:
        has_none = bool(np.isneginf(X.offset).any())  # exposures of 0
        return (None, np.exp(X.offset)) if has_none else (X.offset, None)
    return computed(offset), computed(exposure)


def _of_list(items: Any, y: Any, weights: Any) -> list[Block]:
    if y is not None or weights is not None:
        raise ValueError(
            "y and sample_weight are part of the files or futures in X: leave them out"
        )
    if not items:
        raise ValueError("X is an empty list; at least one file or future is needed")
    for item in items:
        if not isinstance(item, str | PathLike | Future):
            raise ValueError(f"X lists paths or futures, and {type(item).__name__} is neither")
    return [Block(item if isinstance(item, Future) else fspath(item)) for item in items]


def _chunks(client: Client, values: Any, like: tuple[int, Any] | None, name: str) -> list[Any]:
    """Futures of the chunks of a collection, or the pieces of an array; ``like`` tells X's."""
    if values is None:
        return [None] * (like[0] if like else 0)
    if like is not None and not hasattr(values, "to_delayed"):
        if like[1] is None or np.isnan(like[1]).any():
            raise ValueError(f"{name} must be a dask collection with the partitions of X")
        array = np.asarray(values)
        if len(array) != sum(like[1]):
            raise ValueError(f"{name} has {len(array)} entries, but X has {sum(like[1])} rows")
        return np.split(array, np.cumsum(like[1])[:-1])
    if getattr(values, "ndim", 1) == 2 and hasattr(values, "rechunk"):
        values = values.rechunk({1: -1})
    elif like is not None and like[1] is not None and hasattr(values, "rechunk"):
        n, own = sum(like[1]), sum(values.chunks[0])
        if not np.isnan([n, own]).any():
            if own != n:
                raise ValueError(f"{name} has {own} entries, but X has {n} rows")
            values = values.rechunk({0: like[1]})
    delayed = np.ravel(np.asarray(values.to_delayed(), dtype=object)).tolist()
    if like is not None and len(delayed) != like[0]:
        raise ValueError(f"{name} has {len(delayed)} chunks, but X has {like[0]}")
    found: list[Any] = client.compute(delayed)
    return found


def problem_of(X: Any, y: Any, weights: Any, strict: bool = False) -> tuple[Problem | None, str]:
    """A block's examples, on a worker, or None where it has none; and the reader's warning."""
    if isinstance(X, tuple):
        if len(X) not in (2, 3):
            raise ValueError(f"a future holds (X, y) or (X, y, weights), got {len(X)} values")
        X, y, weights = (*X, None)[:3]
    if isinstance(X, str):
        problem, told = read(X, strict)
        return problem if problem.n_examples else None, told
    X, y, weights = (
        each.to_numpy() if hasattr(each, "to_numpy") else each for each in (X, y, weights)
    )
    if X.shape[0] == 0:
        return None, ""
    if y is None:
        raise ValueError("a block of examples comes without labels: give y, or futures of (X, y)")
    weights = None if weights is None else np.ravel(np.asarray(weights))
    return Problem.from_arrays(X, np.ravel(y), weights), ""


def shape_of(block: tuple[Any, Any, Any], strict: bool) -> Shape:
    """The shape of a block, on a worker."""
    return shape_of_problem(*problem_of(*block, strict))
