"""Arrays in NumPy's files as examples: .npy matrices, and .npz files as SciPy saves them.

Dense arrays and CSR matrices are streams: a piece of each is in memory at a time. Other forms of
sparse matrices, arrays in Fortran's order and turned ones are read as a whole.
"""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.container.pieces import ROWS_AT_ONCE, STORED_AT_ONCE
from rrmlinear.data.formats.asked import BY_EXAMPLE, Asked
from rrmlinear.data.formats.batches import Batch, BatchExamples, MatrixExamples
from rrmlinear.data.formats.beside import read_names, read_vector

#: The names of a matrix, and of labels, weights and query ids, within a .npz.
MATRIX = "X"
LABELS, WEIGHTS, QUERY_IDS = ("labels", "y"), ("weights", "sample_weight"), ("qid", "query_ids")
#: The names of these in an archive; offsets are asked for alone.
NAMES = dict(zip(BY_EXAMPLE, (LABELS, WEIGHTS, QUERY_IDS, (), (), ()), strict=True))
LABELS_FROM = (
    "name a .npy file that has them, or text with one on each line (--labels), or put them into "
    f"the .npz as {LABELS[0]}"
)


@contextmanager
def damage(name: str) -> Iterator[None]:
    """Damage of an archive as a ValueError."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise ValueError(f"{name} is damaged: {error}") from None


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
        if self.dtype.hasobject:
            raise ValueError(f"{name} holds Python objects, which only pickle reads")
        self.by_column = fortran and len(self.shape) > 1

    def read(self, count: int) -> NDArray[Any]:
        """The next ``count`` rows. Raises ValueError where the file ends before."""
        shape = (count, *self.shape[1:])
        size = int(np.prod(shape)) * self.dtype.itemsize
        data = self.stream.read(size)
        if len(data) < size:
            raise ValueError(f"{self.name} ends before the last of its {self.shape[0]} rows")
        return np.frombuffer(data, self.dtype).reshape(shape)

    def whole(self) -> NDArray[Any]:
        """All of it, from its first row."""
        found = self.read(self.shape[0] if self.shape else 1)
        if self.by_column:
            return found.reshape(self.shape[::-1]).T
        return found.reshape(self.shape)

    def check_numbers(self) -> None:
        """Raise ValueError where it holds anything else."""
        if self.dtype.kind not in "iufb":
            raise ValueError(f"{self.name} holds {self.dtype}, not numbers")


class Archive:
    """The arrays of a .npy or .npz file, each a stream at its first row, until ``stack`` closes."""

    def __init__(self, path: Any, stack: ExitStack):
        self.name = os.fsdecode(path)
        self.streams: dict[str, ArrayStream] = {}
        if not zipfile.is_zipfile(path):
            file = open(path, "rb")  # noqa: SIM115
            stack.callback(file.close)
            self.streams[MATRIX] = ArrayStream(file, self.name)
            return
        archive = stack.enter_context(zipfile.ZipFile(path))
        if "state.json" in archive.namelist():
            raise ValueError(f"{self.name} holds an estimator, not data: info tells what it knows")
        for entry in archive.namelist():
            name = entry.removesuffix(".npy")
            if entry.endswith(".npy"):
                opened = stack.enter_context(archive.open(entry))
                self.streams[name] = ArrayStream(opened, f"{name} of {self.name}")

    def form(self) -> str:
        """What the matrix is: "dense", or SciPy's name of a sparse form."""
        if MATRIX in self.streams:
            return "dense"
        form = self.streams["format"].whole().item() if "format" in self.streams else ""
        form = form.decode() if isinstance(form, bytes) else form
        if not form or {"data", "shape"} - self.streams.keys():
            raise ValueError(
                f"{self.name} has neither a matrix X nor the arrays of a sparse matrix as "
                "scipy.sparse.save_npz writes them"
            )
        return str(form)

    def vectors(self, asked: Asked) -> dict[str, Any]:
        """Labels, weights and query ids: of the files asked for, or else the archive's own."""
        found: dict[str, Any] = dict.fromkeys(BY_EXAMPLE)
        for field, names in NAMES.items():
            own = next((name for name in names if name in self.streams), None)
            if (path := getattr(asked, field)) is not None:
                found[field] = read_vector(path)
            elif own is not None:
                found[field] = self.streams[own].whole()
        return found


def open_arrays(path: Any, asked: Asked) -> BatchExamples:
    """The reader of a .npy or .npz file."""
    name = os.fsdecode(path)
    with damage(name), ExitStack() as stack:
        archive = Archive(path, stack)
        form = archive.form()
        by_column = form == "dense" and archive.streams[MATRIX].by_column
    whole = asked.transpose or by_column or form not in ("dense", "csr")
    return (WholeArrays if whole else StreamedArrays)(path, asked)


class WholeArrays(MatrixExamples):
    """A matrix in any of SciPy's forms, or a dense one that is turned."""

    is_upright = True
    labels_from = LABELS_FROM

    def __init__(self, path: Any, asked: Asked):
        super().__init__(os.fsdecode(path), asked)
        self.found: dict[str, Any] = {}

    def matrix(self) -> Any:
        from scipy.sparse import csr_array, load_npz

        with damage(self.name), ExitStack() as stack:
            archive = Archive(self.name, stack)
            form = archive.form()
            self.found = archive.vectors(self.asked)
            if form == "dense":
                archive.streams[MATRIX].check_numbers()
                return archive.streams[MATRIX].whole()
        try:
            return csr_array(load_npz(self.name))
        except (ValueError, KeyError, IndexError) as error:
            raise ValueError(f"{self.name} holds no {form} matrix: {error}") from None

    def own(self, field: str, name: str | None) -> Any:
        return self.found[field]


class StreamedArrays(BatchExamples):
    """A .npy matrix, or a .npz with one, and labels in the same .npz or in files of their own.

    A .npz may have labels as ``labels`` or ``y``, weights as ``weights`` or ``sample_weight``,
    query ids as ``qid`` or ``query_ids``. Files that are asked for come before those.
    """

    labels_from = LABELS_FROM

    def __init__(self, path: Any, asked: Asked):
        super().__init__(os.fsdecode(path), asked)
        self.path = path
        with damage(self.name), ExitStack() as stack:
            archive = Archive(path, stack)
            self.dense = archive.form() == "dense"
            streams = archive.streams
            shape = streams[MATRIX].shape if self.dense else streams["shape"].whole().tolist()
            if len(shape) != 2:
                raise ValueError(
                    f"{self.name} must be a matrix of n rows and d columns, not {tuple(shape)}"
                )
            self.total, self.n_features = int(shape[0]), int(shape[1])
            stored = streams[MATRIX if self.dense else "data"].shape
            self.most_bytes = 16 * int(np.prod(stored)) + 32 * (self.total + 1)
            self.columns = self._taken(archive.vectors(asked))
        if asked.names is not None:
            self.feature_names = read_names(asked.names)
            self._check_names(asked.names)

    def batches(self) -> Iterator[Batch]:
        at = 0
        with damage(self.name), ExitStack() as stack:
            streams = Archive(self.path, stack).streams
            for matrix in self._dense(streams) if self.dense else self._sparse(streams):
                n = matrix.shape[0]
                some = {
                    field: None if values is None else values[at : at + n]
                    for field, values in self.columns.items()
                }
                yield Batch(matrix, **some)
                at += n

    def _dense(self, streams: dict[str, ArrayStream]) -> Iterator[Any]:
        stream, (n, d) = streams[MATRIX], streams[MATRIX].shape
        stream.check_numbers()
        most = max(1, min(ROWS_AT_ONCE, STORED_AT_ONCE // max(d, 1)))
        for begin in range(0, n, most):
            yield stream.read(min(most, n - begin))

    def _sparse(self, streams: dict[str, ArrayStream]) -> Iterator[Any]:
        from scipy.sparse import csr_array

        d, n = self.n_features or 0, self.total or 0
        data, indices, indptr = (streams[name] for name in ("data", "indices", "indptr"))
        data.check_numbers()
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
                yield csr_array((values, columns, starts), shape=(until - at, d))
                before, at = int(ends[until - 1]), until
