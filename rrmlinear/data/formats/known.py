"""The table of formats: how each is told, and what reads it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rrmlinear.core.loading import named
from rrmlinear.data.container.signature import head_of
from rrmlinear.data.formats.asked import Asked
from rrmlinear.data.formats.batches import BatchExamples
from rrmlinear.data.formats.table_files import ARROW_FILE, ARROW_STREAM, PARQUET, separators_of


@dataclass(frozen=True)
class Format:
    """A kind of files: its name, its first bytes, the suffixes that users give it, its reader.

    ``heads`` tell it, or ``told`` where the name has to. ``reader`` is imported when it is used. It
    takes a path and what is asked, or all paths where ``joins``.
    """

    name: str
    suffixes: tuple[str, ...]
    reader: str
    heads: tuple[bytes, ...] = ()
    told: Callable[[str], bool] | None = None
    joins: bool = False

    def open(self, paths: Sequence[str], asked: Asked) -> list[BatchExamples]:
        """The readers of these files: one each, or one for all."""
        reader: Any = named(f"data.formats.{self.reader}")
        return [reader(paths, asked)] if self.joins else [reader(path, asked) for path in paths]


FORMATS = (
    Format("NumPy array", (".npy",), "arrays:open_arrays", (b"\x93NUMPY",)),
    Format("NumPy archive or SciPy matrix", (".npz",), "arrays:open_arrays", (b"PK\x03\x04",)),
    Format(
        "Matrix Market",
        (".mtx", ".mtx.gz"),
        "matrix_market:MatrixMarket",
        (b"%%Matrix", b"%%matrix", b"%%MATRIX"),
        lambda path: path.endswith((".mtx.gz", ".mtx.bz2")),
    ),
    Format("AnnData, 10x Genomics", (".h5ad", ".h5"), "hdf5:open_cells", (b"\x89HDF\r\n\x1a\n",)),
    Format("Parquet", (".parquet",), "tables:TableExamples", (PARQUET,), joins=True),
    Format(
        "Arrow, Feather",
        (".arrow", ".feather"),
        "tables:TableExamples",
        (ARROW_FILE, ARROW_STREAM),
        joins=True,
    ),
    Format(
        "separated values",
        (".csv", ".tsv", ".csv.gz"),
        "tables:TableExamples",
        told=lambda path: separators_of(os.path.basename(path)) != "",
        joins=True,
    ),
)


def format_of(path: Any) -> Format | None:
    """The format of a file; None for LIBSVM text, containers and what is no regular file."""
    head = head_of(path)
    if not head and not os.path.isfile(path):
        return None
    for each in FORMATS:
        if head.startswith(each.heads) or (each.told is not None and each.told(os.fsdecode(path))):
            return each
    return None
