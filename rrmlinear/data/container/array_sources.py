"""Arrays in NumPy's files as examples: .npy matrices, and .npz files as SciPy saves them.

The arrays are streams: a piece of each is in memory at a time.
"""

from __future__ import annotations

import os
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.array_rows import in_order
from rrmlinear.data.container.pieces import ROWS_AT_ONCE, STORED_AT_ONCE, Piece, checked_pieces

#: The names of a matrix, and of labels, weights and query ids, within a .npz.
MATRIX = "X"
LABELS, WEIGHTS, QUERY_IDS = ("labels", "y"), ("weights", "sample_weight"), ("qid", "query_ids")
FORMATS = "a matrix X nor the arrays of a CSR matrix as scipy.sparse.save_npz writes them"


class ArrayStream:
    """An array of a .npy file, read row by row from a binary stream that is at its beginning."""

    def __init__(self, stream: Any, name: str):
        self.stream, self.name = stream, name
        try:
            version = np.lib.format.read_magic(stream)
            read = {
                (1, 0): np.lib.format.read_array_header_1_0,
                (2, 0): np.lib.format.read_array_header_2_0,
            }[version]
            self.shape, fortran, self.dtype = read(stream)
        except (ValueError, KeyError) as error:
            raise ValueError(f"{name} is no array as NumPy saves them: {error}") from None
        if self.dtype.kind not in "iufb":
            raise ValueError(f"{name} holds {self.dtype}, not numbers")
        if fortran and len(self.shape) > 1:
            raise ValueError(
                f"{name} is in Fortran's order, column by column; save it in C's order "
                "(numpy.ascontiguousarray)"
            )

    def read(self, count: int) -> NDArray[Any]:
        """The next ``count`` rows. Raises ValueError where the file ends before."""
        shape = (count, *self.shape[1:])
        size = int(np.prod(shape)) * self.dtype.itemsize
        data = self.stream.read(size)
        if len(data) < size:
            raise ValueError(f"{self.name} ends before the last of its {self.shape[0]} rows")
        return np.frombuffer(data, self.dtype).reshape(shape)


def _opened(stack: ExitStack, path: Any) -> ArrayStream:
    return ArrayStream(stack.enter_context(open(path, "rb")), os.fsdecode(path))


def say_summed(name: str) -> None:
    """Warn that repeated entries were summed."""
    warnings.warn(
        f"{name} has repeated column indices: repeated entries are summed",
        stacklevel=3,
    )


class Column:
    """Labels, weights or query ids that come beside a matrix: one number for each example."""

    def __init__(self, stream: ArrayStream, n_rows: int, dtype: Any):
        if stream.shape != (n_rows,):
            raise ValueError(
                f"{stream.name} has shape {stream.shape}, and there are {n_rows} examples"
            )
        self.stream, self.dtype = stream, np.dtype(dtype)

    def read(self, count: int) -> NDArray[Any]:
        values = self.stream.read(count)
        if self.dtype.kind == "i" and values.dtype.kind != "i":
            raise ValueError(
                f"{self.stream.name} holds {values.dtype}, and must hold whole numbers"
            )
        return np.ascontiguousarray(values, dtype=self.dtype)


class ArrayExamples:
    """A .npy matrix, or a .npz with one, and labels in the same .npz or in files of their own.

    A .npz may have labels as ``labels`` or ``y``, weights as ``weights`` or ``sample_weight``,
    query ids as ``qid`` or ``query_ids``. ``beside`` has .npy files by the names of `Piece`'s
    fields; they come before those.
    """

    def __init__(self, path: Any, beside: dict[str, str] | None = None):
        self.path, self.beside = path, beside or {}
        self.name = os.fsdecode(path)
        self.done = 0
        self.total: int | None = None
        self.n_features: int | None = None
        self.most_bytes: int | None = None
        with self._sentences(), ExitStack() as stack:
            self._open(stack)

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        """Damage of the archive as a ValueError."""
        try:
            yield
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise ValueError(f"{self.name} is damaged: {error}") from None

    def _open(self, stack: ExitStack) -> tuple[dict[str, ArrayStream], dict[str, Column]]:
        """(the streams of the matrix, those beside it), each at its first row."""
        streams: dict[str, ArrayStream] = {}
        if zipfile.is_zipfile(self.path):
            archive = stack.enter_context(zipfile.ZipFile(self.path))
            for entry in archive.namelist():
                name = entry.removesuffix(".npy")
                if entry.endswith(".npy") and name not in ("format", "shape"):
                    stream = stack.enter_context(archive.open(entry))
                    streams[name] = ArrayStream(stream, f"{name} of {self.name}")
            shape = self._shape(archive, streams)
        else:
            streams[MATRIX] = _opened(stack, self.path)
            shape = streams[MATRIX].shape
        if len(shape) != 2:
            raise ValueError(f"{self.name} must be a matrix of n rows and d columns, not {shape}")
        self.total, self.n_features = int(shape[0]), int(shape[1])
        stored = streams["data" if "data" in streams else MATRIX].shape
        self.most_bytes = 16 * int(np.prod(stored)) + 32 * (self.total + 1)
        fields = {"labels": LABELS, "weights": WEIGHTS, "query_ids": QUERY_IDS}
        columns = {}
        for field, names in fields.items():
            found = next((streams[name] for name in names if name in streams), None)
            if field in self.beside:
                found = _opened(stack, self.beside[field])
            if found is not None:
                columns[field] = Column(found, self.total, "i8" if field == "query_ids" else "f8")
        if "labels" not in columns:
            raise ValueError(
                f"{self.name} has no labels: name a .npy file that has them (--labels), or put "
                f"them into the .npz as {LABELS[0]}"
            )
        return streams, columns

    def _shape(self, archive: Any, streams: dict[str, ArrayStream]) -> tuple[int, ...]:
        if MATRIX in streams:
            return streams[MATRIX].shape
        form, parts = "csr", {"data", "indices", "indptr", "shape", "format"}
        if "format.npy" in archive.namelist():
            with archive.open("format.npy") as file:
                form = np.lib.format.read_array(file).item()
        form = form.decode() if isinstance(form, bytes) else form
        if form != "csr":
            raise ValueError(f"{self.name} holds a {form} matrix; save it as CSR (its tocsr())")
        if not {f"{part}.npy" for part in parts} <= set(archive.namelist()):
            raise ValueError(f"{self.name} has neither {FORMATS}")
        with archive.open("shape.npy") as file:
            return tuple(np.lib.format.read_array(file).tolist())

    def pieces(self) -> Iterator[Piece]:
        with self._sentences(), ExitStack() as stack:
            streams, columns = self._open(stack)
            were_summed = False
            for matrix in self._dense(streams) if MATRIX in streams else self._sparse(streams):
                if MATRIX not in streams and not matrix.has_canonical_format:
                    matrix, was = in_order(matrix)
                    were_summed |= was
                n = matrix.shape[0]
                beside = {field: column.read(n) for field, column in columns.items()}
                yield from self._checked(matrix, beside)
            if were_summed:
                say_summed(self.name)

    def _checked(self, matrix: Any, beside: dict[str, NDArray[Any]]) -> Iterator[Piece]:
        labels, ids = beside["labels"], beside.get("query_ids")
        place = self.name, self.done, "file"
        for piece in checked_pieces(place, matrix, labels, beside.get("weights"), ids):
            self.done += len(piece.ends)
            yield piece

    def _dense(self, streams: dict[str, ArrayStream]) -> Iterator[Any]:
        stream, (n, d) = streams[MATRIX], streams[MATRIX].shape
        most = max(1, min(ROWS_AT_ONCE, STORED_AT_ONCE // max(d, 1)))
        for begin in range(0, n, most):
            yield stream.read(min(most, n - begin))

    def _sparse(self, streams: dict[str, ArrayStream]) -> Iterator[Any]:
        from scipy.sparse import csr_array

        d, n = self.n_features or 0, self.total or 0
        data, indices, indptr = (streams[name] for name in ("data", "indices", "indptr"))
        if indptr.shape != (n + 1,) or data.shape != indices.shape or indptr.read(1)[0] != 0:
            raise ValueError(f"{self.name} holds arrays whose sizes do not fit each other")
        before = 0
        for begin in range(0, n, ROWS_AT_ONCE):
            ends = indptr.read(min(ROWS_AT_ONCE, n - begin)).astype(np.int64)
            lengths = np.diff(ends, prepend=before)
            if (lengths < 0).any() or ends[-1] > data.shape[0]:
                raise ValueError(f"{self.name} holds an indptr that falls or passes its data")
            at = 0
            while at < len(ends):  # rows of about STORED_AT_ONCE values
                until = int(np.searchsorted(ends, before + STORED_AT_ONCE, side="right"))
                until = min(max(until, at + 1), len(ends))
                count = int(ends[until - 1]) - before
                starts = np.concatenate(([0], ends[at:until] - before))
                values, columns = data.read(count), indices.read(count)
                if count and not 0 <= columns.min() <= columns.max() < d:
                    raise ValueError(f"{self.name} holds a column index outside 0 … {d - 1}")
                if values.dtype not in (np.float32, np.float64):
                    values = values.astype(np.float64)
                yield csr_array((values, columns, starts), shape=(until - at, d))
                before, at = int(ends[until - 1]), until
