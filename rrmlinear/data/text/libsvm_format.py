"""The LIBSVM text format: ``label[ qid:n][ index:value]*``, one example a line, read and written.

The reader accepts and refuses the same text as LIBLINEAR, with these exceptions. NaN, infinite
numbers and files without examples are refused. An index beyond 32 bits makes all indices 64-bit.
``# …`` at the begin of a line or after a blank is a comment, and a line with only a comment is
skipped. ``qid:n`` after the label is kept. A line may end in CR LF right after its label. The last
line needs no newline. A CR inside a line, and text that is no ``index:value`` and that LIBLINEAR
passes over, are named in a warning, or refused if ``strict``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rrmlinear.core.machine import usable_processors
from rrmlinear.core.warned import warn_caller
from rrmlinear.data.container.signature import is_container
from rrmlinear.data.problem import Problem, check_kind, check_rows
from rrmlinear.data.rows import Rows
from rrmlinear.data.sequences import SequenceProblem
from rrmlinear.data.text._libsvm_parser import PADDING
from rrmlinear.data.text._libsvm_writer import text_bound, write_rows
from rrmlinear.data.text.byte_streams import name_of, open_to_read, open_to_write
from rrmlinear.data.text.libsvm_errors import LibsvmFormatError
from rrmlinear.data.text.libsvm_reading import INT64_MAX, Reading
from rrmlinear.data.text.line_blocks import LineBlocks

if TYPE_CHECKING:
    from rrmlinear.data.graphs import GraphProblem

__all__ = ["LibsvmFormatError", "read_graphs", "read_libsvm", "read_sequences", "write_libsvm"]

Base = bool | Literal["auto"]
BLOCK_SIZE = 1 << 19
WRITTEN_AT_ONCE = 1 << 15  # stored values
# Bytes between two looks at Ctrl-C: xz compresses some megabytes a second.
WRITTEN_PIECE = 1 << 17


def read_libsvm(
    path_or_file: Any,
    dtype: Any = None,
    n_features: int | None = None,
    zero_based: bool | Literal["auto"] = False,
    threads: int | None = None,
    *,
    strict: bool = False,
    block_size: int = BLOCK_SIZE,
) -> Problem:
    """Read examples from LIBSVM text into a Problem whose rows are CSR arrays.

    Parameters
    ----------
    path_or_file
        A path, "-" for standard input, or a binary file object; plain text or compressed by gzip,
        bzip2, xz or zstd, recognized by the first bytes. The path of a container
        (docs/container.md) is mapped after each block was compared with its checksums, and only
        ``dtype`` and ``n_features`` matter.
    dtype
        Type of the values, float64 or float32; by default float64, and a container's own. A value
        has the bits of strtod's, then is cast.
    n_features
        Columns of the result, at least the largest index, which is the default.
    zero_based
        Whether indices are written from 0; "auto": they are if an index 0 occurs anywhere.
    threads
        By default one for each processor that this process may use.
    strict
        Refuse a CR inside a line, and text that is no ``index:value``. LIBLINEAR passes over both;
        so does this reader, with a warning.
    block_size
        Bytes that a thread takes at a time.

    Indices become int32 where they fit and int64 elsewhere, and start at 0; ``query_ids`` is an
    int64 array where the lines have ``qid:n``.

    Raises LibsvmFormatError (a ValueError) with file, line and column of the first wrong line;
    ContainerError (a ValueError) with the damaged block of a container; ValueError for a file
    without examples and for damaged compressed data; TypeError for a file open as text; OSError as
    `open` does.
    """
    return _read(path_or_file, dtype, n_features, zero_based, threads, strict, block_size, None)


def read_sequences(
    path_or_file: Any,
    dtype: Any = None,
    n_features: int | None = None,
    zero_based: bool | Literal["auto"] = False,
    threads: int | None = None,
    *,
    strict: bool = False,
    block_size: int = BLOCK_SIZE,
) -> SequenceProblem:
    """Read sequences from lines ``label qid:sequence index:value …``, as SVM-hmm has them.

    Each line is a position; those of a sequence follow each other and have the same ``qid``.
    Parameters and errors are those of `read_libsvm`; a line without ``qid`` and one whose ``qid``
    comes back after another are refused too, and labels that are not whole numbers.
    """
    given = (path_or_file, dtype, n_features, zero_based, threads, strict, block_size)
    return SequenceProblem.from_problem(_read(*given, sequences=True))


def read_graphs(
    path_or_file: Any, cliques_file: Any, threads: int | None = None, *, strict: bool = False
) -> GraphProblem:
    """Read graphs: their nodes as `read_sequences` reads positions, and from another file a clique
    on each line, ``[type] qid:graph node node …``; see `with_cliques`.
    """
    from rrmlinear.data.text.cliques_text import with_cliques

    nodes = _read(path_or_file, None, None, False, threads, strict, BLOCK_SIZE, sequences=True)
    return with_cliques(nodes, cliques_file)


def read_examples(path: str, threads: int | None, strict: bool, queries: bool = False) -> Problem:
    """`read_libsvm` for losses that know no sequences: without ``queries`` a ``qid`` is refused.

    Rows take little memory: dense or packed, see `Reading`.
    """
    has_queries = None if queries else False
    return _read(path, None, None, False, threads, strict, BLOCK_SIZE, has_queries, compact=True)


def read_and_tell(path: str, strict: bool) -> tuple[Problem, str]:
    """The examples without ``qid``, and a warning or "": on workers nobody hears one."""
    return _read_and_tell(path, None, None, False, None, strict, BLOCK_SIZE, False)


def _read(*given: Any, **more: Any) -> Problem:
    problem, text = _read_and_tell(*given, **more)
    if text:
        warn_caller(text)
    return problem


def _read_and_tell(
    path_or_file: Any,
    dtype: Any,
    n_features: int | None,
    zero_based: Base,
    threads: int | None,
    strict: bool,
    block_size: int,
    sequences: bool | None,
    compact: bool = False,
) -> tuple[Problem, str]:
    is_mapped = is_container(path_or_file)
    if dtype is None and not is_mapped:
        dtype = np.float64
    given = (dtype, n_features, zero_based, threads, block_size)
    dtype, zero_based, threads = checked_options(*given)
    if is_mapped:
        return _of_container(path_or_file, dtype, n_features, sequences), ""
    reading = Reading(
        name_of(path_or_file), dtype, n_features, zero_based, bool(strict), sequences, compact
    )
    with noting_ways(), open_to_read(path_or_file) as (stream, length):
        reading.run(LineBlocks(stream, block_size, PADDING), length, threads)
    return reading.problem(), reading.warning() or ""


def checked_options(
    dtype: Any, n_features: int | None, zero_based: Base, threads: int | None, block_size: int
) -> tuple[Any, Base, int]:
    """The type of values, zero_based and threads as readers use them; ValueError for wrong ones."""
    dtype = dtype if dtype is None else np.dtype(dtype)
    if dtype not in (np.float32, np.float64, None):
        raise ValueError(f"dtype must be float64 or float32, got {dtype}")
    if zero_based not in (True, False, "auto"):
        raise ValueError(f'zero_based must be True, False or "auto", got {zero_based!r}')
    if zero_based != "auto":
        zero_based = bool(zero_based)  # 1 and NumPy's own truth values too
    if n_features is not None and not 0 <= n_features < INT64_MAX:
        raise ValueError(f"n_features must be a whole number of at least 0, got {n_features}")
    threads = usable_processors() if threads is None else threads
    if threads < 1 or block_size < 1:
        raise ValueError(f"threads and block_size must be at least 1, got {threads}, {block_size}")
    return dtype, zero_based, threads


@contextmanager
def noting_ways() -> Iterator[None]:
    """Add to an error what a caller from Python can do; commands print no notes."""
    try:
        yield
    except LibsvmFormatError as error:
        if "the index '0' is below 1" in str(error):
            error.add_note("zero_based=True reads indices from 0")
        if "for models of many labels" in str(error):
            error.add_note("read_multilabel reads examples with several labels")
        raise


def _of_container(path: Any, dtype: Any, n_features: int | None, sequences: bool | None) -> Problem:
    problem = Problem.open(path, verify=True)
    if sequences is False and problem.query_ids is not None:
        raise ValueError(f"{name_of(path)} has query ids, which only losses of sequences take")
    rows, width = problem.rows, problem.n_features
    if n_features is not None and n_features < width:
        raise ValueError(f"{name_of(path)} has {width} features, and n_features is {n_features}")
    values = rows.values if dtype is None else rows.values.astype(dtype, copy=False)
    width = width if n_features is None else n_features
    container = problem.container if values is rows.values else None
    read = Rows(values, rows.indices, rows.indptr, width)
    return replace(problem, rows=read, container=container)


def write_libsvm(path_or_file: Any, problem: Problem) -> None:
    """Write a Problem's rows, labels and query ids as LIBSVM text that reads back the same.

    Numbers have the fewest digits that give the same float64 (float32) again. Indices are written
    from 1; stored zeros are kept, zeros of dense rows left out. The format has no sample weights,
    no appended column and no number of features.

    ``path_or_file`` is a path (compressed by its suffix .gz, .bz2, .xz or .zst; written completely
    or not at all), "-" for standard output, or a binary file object.

    Raises TypeError for arrays, ValueError for numbers that are not finite and rows whose indices
    do not increase, and OSError as `open` does.
    """
    check_kind("write_libsvm", problem, Problem, "Problem.from_arrays(X, y)")
    rows, labels, query_ids = problem.rows, problem.labels, problem.query_ids
    check_rows(rows)
    if not np.isfinite(labels).all():
        row = int(np.flatnonzero(~np.isfinite(labels))[0])
        raise ValueError(f"the label of row {row} is {labels[row]}; it must be finite")
    with open_to_write(path_or_file) as stream:
        write_text(stream, rows, labels, query_ids)


def write_text(stream: Any, rows: Rows, labels: Any, query_ids: Any = None) -> None:
    """Write sound rows to a binary stream, as `write_libsvm` does, some at a time."""
    for _, _, text in texts_of(rows, labels, query_ids):
        for at in range(0, len(text), WRITTEN_PIECE):
            stream.write(text[at : at + WRITTEN_PIECE])


def texts_of(
    rows: Rows, labels: Any, query_ids: Any = None, first_index: int = 1
) -> Iterator[tuple[int, int, memoryview]]:
    """(first row, row behind the last, their text), some sound rows at a time."""
    ends = np.concatenate(([0], np.cumsum(rows.lengths())))
    n_rows = rows.shape[0]
    begin = 0
    while begin < n_rows:
        end = int(np.searchsorted(ends, ends[begin] + WRITTEN_AT_ONCE, side="right")) - 1
        end = min(max(end, begin + 1), begin + WRITTEN_AT_ONCE, n_rows)
        text = bytearray(text_bound(end - begin, int(ends[end] - ends[begin])))
        written = write_rows(text, rows, begin, end, labels, query_ids, first_index)
        yield begin, end, memoryview(text)[:written]
        begin = end
