"""Files beside a matrix: labels, weights and query ids, one an example, and names of features."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

import numpy as np

from rrmlinear.data.container.signature import head_of
from rrmlinear.data.text.byte_streams import read_text
from rrmlinear.data.text.libsvm_errors import shown

ARCHIVE, ARRAY = b"PK\x03\x04", b"\x93NUMPY"


def lines_of(path: str) -> list[str]:
    """The lines of a text file, plain or compressed. ValueError for one that is no UTF-8."""
    return read_text(path).splitlines()


def read_vector(path: Any) -> Any:
    """The array of a .npy file, or of text with a number or a word on each line.

    ``FILE:COLUMN`` is a column of a table (CSV, Parquet, Arrow) with that name.
    """
    path = os.fsdecode(path)
    name, colon, column = path.rpartition(":")
    if colon and name and not os.path.exists(path) and os.path.exists(name):
        from rrmlinear.data.formats.table_files import read_column

        return read_column(name, column)
    head = head_of(path)
    if head.startswith(ARCHIVE):
        raise ValueError(f"{path} is an archive; it must be .npy, or text with a line an example")
    if head.startswith(ARRAY):
        try:
            return np.load(path, allow_pickle=False)
        except (ValueError, EOFError) as error:
            objects = "it holds Python objects, and array.astype(str) words"
            why = objects if "pickle" in str(error) else error
            raise ValueError(f"{path} is no array of numbers or words: {why}") from None
    lines = [line.strip() for line in lines_of(path)]
    if not lines:
        raise ValueError(f"{path} is empty; it must have a number or a word on each line")
    for dtype in (np.int64, np.float64):
        with suppress(ValueError):
            return np.array(lines, dtype=dtype)
    return np.array(lines)


def is_matrix(path: str | None) -> bool:
    """Whether this is a file of a matrix, as `read_matrix` reads it."""
    if path is None:
        return False
    head = head_of(path)
    if head.startswith(ARRAY):
        with suppress(ValueError):  # `read_vector` says what is wrong
            return np.load(path, "r").ndim == 2
    return head.startswith(ARCHIVE)


def read_matrix(path: str) -> Any:
    """The matrix of a .npy file, of scipy.sparse.save_npz, or X or Y of a .npz."""
    from scipy.sparse import csr_array, load_npz

    head = head_of(path)
    if not head.startswith((ARCHIVE, ARRAY)):
        raise ValueError(f"{path} is no .npy or .npz file, as its matrix of labels is one")
    try:
        if head.startswith(ARRAY):
            found = np.load(path, allow_pickle=False)
        else:
            with np.load(path, allow_pickle=False) as arrays:
                names = [name for name in ("X", "Y") if name in arrays]
                found = arrays[names[0]] if names else csr_array(load_npz(path))
    except (KeyError, ValueError) as error:
        raise ValueError(f"{path} has no matrix: {error}") from None
    return found


def read_names(path: str) -> tuple[str, ...]:
    """The names of features, one on each line, all different.

    Of lines with tabs, as features.tsv of 10x has them, the second column is the name, with the
    first behind it where names repeat.
    """
    rows = [line.split("\t") for line in lines_of(path)]
    names = different([row[min(1, len(row) - 1)] for row in rows], [row[0] for row in rows])
    seen: dict[str, int] = {}
    for at, name in enumerate(names, 1):
        if not name.strip():
            raise ValueError(f"{path}, line {at}: the name of feature {at} is empty")
        if name in seen:
            raise ValueError(f"{path}, line {at}: the name {shown(name)} stands in line "
                             f"{seen[name]} too; each feature has its own")  # fmt: skip
        seen[name] = at
    return names


def different(names: list[str], ids: list[str]) -> tuple[str, ...]:
    """Names, with the id behind those that several features have."""
    repeated = len(set(names)) < len(names)
    if not repeated:
        return tuple(names)
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    each = zip(names, ids, strict=True)
    return tuple(n if counts[n] == 1 or n == i else f"{n} ({i})" for n, i in each)
