"""LIBSVM text from arrays, block by block, for the scripts of this folder.

Plain NumPy and SciPy, so that data can be made before the package is built.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

# Values made here have at most this many decimals: short text that reads back to the same number.
DECIMALS = 6


def format_rows(X: Any, y: NDArray[Any]) -> str:
    """One line ``label index:value …`` per row of X, indices from 1, zeros left out.

    X (n × d, dense or CSR) is written to `DECIMALS` decimals, labels y (n) to nine digits, neither
    with a trailing zero. Labels that are text, as ``3,17``, are written as they are.
    """
    rows = csr_array(X)
    values = np.round(rows.data.astype(np.float64), DECIMALS)
    # "%.9g" on whole rows is the fastest formatter Python has; nine digits hold |value| < 1000.
    pairs = np.empty(2 * values.size, dtype=object)
    pairs[0::2] = rows.indices + 1
    pairs[1::2] = values
    pairs = pairs.tolist()
    ends = (2 * rows.indptr).tolist()
    lines = []
    label_format = "%s" if np.asarray(y).dtype.kind == "U" else "%.9g"
    for label, begin, end in zip(np.asarray(y).tolist(), ends, ends[1:], strict=False):
        template = label_format + " %d:%.9g" * ((end - begin) // 2) + "\n"
        lines.append(template % (label, *pairs[begin:end]))
    return "".join(lines)


def write_blocks(path: Path, blocks: Iterable[tuple[Any, NDArray[Any]]]) -> None:
    """Write (X, y) blocks one below the other to a file, completely or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with open(partial, "w", encoding="ascii", newline="\n") as file:
            for X, y in blocks:
                file.write(format_rows(X, y))
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
