"""LIBSVM text whose labels are separated by commas, ``3,17 1:0.5 …``, read and written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from rrmlinear.core.warned import warn_caller
from rrmlinear.data.container.signature import is_container
from rrmlinear.data.label_sets import MultilabelProblem
from rrmlinear.data.problem import check_kind, check_rows
from rrmlinear.data.rows import Rows
from rrmlinear.data.text._libsvm_parser import PADDING
from rrmlinear.data.text.byte_streams import name_of, open_to_read, open_to_write
from rrmlinear.data.text.libsvm_errors import shown
from rrmlinear.data.text.libsvm_format import BLOCK_SIZE, checked_options, noting_ways, texts_of
from rrmlinear.data.text.libsvm_reading import Fault, Reading
from rrmlinear.data.text.multilabel.label_blocks import LabelBlocks
from rrmlinear.data.text.multilabel.label_names import MISSING, NEGATIVE, LabelNames

#: What the text of a label cannot contain, or begin with.
UNWRITABLE = re.compile(r"[\s,:\0]|^#|^\ufeff|^$")


def read_multilabel(
    path_or_file: Any,
    dtype: Any = None,
    n_features: int | None = None,
    zero_based: bool | Literal["auto"] = False,
    threads: int | None = None,
    *,
    strict: bool = False,
    names: Any = None,
    block_size: int = BLOCK_SIZE,
) -> MultilabelProblem:
    """Read examples with any number of labels from lines ``3,17 1:0.5 …``.

    Labels are whole numbers or words, separated by commas alone. Where all are whole numbers the
    names are int64, else text; they are sorted. A line without labels begins with a blank or with
    its first ``index:value``. An empty line is an example without labels and features, but a line
    with only a comment, ``# …``, is skipped.

    The first line may be the header of the extreme classification repository: examples, features
    and labels, three whole numbers. Then indices begin at 0, the labels are 0 … labels − 1, also
    those that no example has, and what follows must agree.

    ``names`` are the labels that are allowed, in the order of the result, as those of a model; by
    default they are those of the file.

    The other parameters, compressed files and errors are those of `read_libsvm`. LibsvmFormatError
    (a ValueError) is raised for a negative number as a label, a label that is missing at a comma, a
    blank after a comma and a label that is not allowed, too, with file, line and column; ValueError
    where the header has another number of examples, or ``n_features`` less features, and for a
    container of one label an example.
    """
    if is_container(path_or_file):
        return _of_container(path_or_file, dtype, n_features, names)
    dtype = np.float64 if dtype is None else dtype
    given = (dtype, n_features, zero_based, threads, block_size)
    dtype, zero_based, threads = checked_options(*given)
    name = name_of(path_or_file)
    with noting_ways(), open_to_read(path_or_file) as (stream, length):
        blocks = LabelBlocks(name, stream, block_size, PADDING)
        header = blocks.read_header()
        if header is not None:
            n_features, zero_based = width_of(name, header, n_features), True
        blocks.names = LabelNames(names, None if header is None else header[2])
        reading = _Reading(name, dtype, n_features, zero_based, bool(strict), False)
        reading.run(blocks, length, threads)
    check_count(name, blocks)
    problem, text = reading.problem(), reading.warning()
    if text:
        warn_caller(text)
    return MultilabelProblem(problem.rows, blocks.names.sets())


class _Reading(Reading):
    """A reading whose lines and columns are those of the text before labels were taken away."""

    lines_left: LabelBlocks

    def _place(self, fault: Fault, block: Any) -> tuple[int, int, str]:
        return self.lines_left.place(*super()._place(fault, block))


def check_count(name: str, blocks: LabelBlocks) -> None:
    """Raise ValueError where the header has another number of examples than were read."""
    if blocks.header is not None and blocks.header[0] != blocks.rows:
        raise ValueError(
            f"{name} has {blocks.rows} examples, but its header says {blocks.header[0]}: "
            "examples, features and labels are expected there"
        )


def width_of(name: str, header: tuple[int, int, int], n_features: int | None) -> int:
    if n_features is not None and n_features < header[1]:
        raise ValueError(f"{name} has {header[1]} features, and n_features is {n_features}")
    return header[1] if n_features is None else n_features


def write_multilabel(path_or_file: Any, problem: MultilabelProblem, header: bool = False) -> None:
    """Write examples with any number of labels as lines ``3,17 1:0.5 …`` that read back the same.

    With ``header`` the first line has the numbers of examples, features and labels, and indices
    begin at 0, as in the files of the extreme classification repository; labels must then be
    0 … K − 1. Without, labels that no example has are not kept. A line without labels begins with a
    blank; one without features, too, is empty, which other readers may skip. Numbers, paths and
    errors are those of `write_libsvm`; ValueError is raised, too, for names that cannot be written,
    as those with a comma, a colon or a blank.
    """
    check_kind(
        "write_multilabel", problem, MultilabelProblem, "MultilabelProblem.from_arrays(X, Y)"
    )
    rows, labels = problem.rows, problem.labels
    check_rows(rows)
    names = [str(name) for name in labels.names.tolist()]
    check_writable_names(names)
    if header and names != [str(j) for j in range(labels.n_labels)]:
        raise ValueError(
            f"with a header the labels must be 0 … {labels.n_labels - 1}: take "
            "replace(labels, names=numpy.arange(labels.n_labels))"
        )
    matrix = labels.matrix()
    with open_to_write(path_or_file) as stream:
        if header:
            stream.write(f"{rows.shape[0]} {problem.n_features} {labels.n_labels}\n".encode())
        write_lines(stream, rows, (matrix.indices, matrix.indptr), names, 0 if header else 1)


def write_lines(
    stream: Any, rows: Rows, sets: tuple[Any, Any], names: Sequence[str], first: int = 1
) -> None:
    """Write sound rows to a stream; row i has the labels ``sets``[0][``sets``[1][i]] … of names."""
    places, ends = sets[0], sets[1].tolist()
    for begin, end, text in texts_of(rows, np.zeros(rows.shape[0]), None, first):
        at = ends[begin]
        given = [names[j] for j in places[at : ends[end]].tolist()]
        lines = bytes(text).split(b"\n")
        for i in range(begin, end):
            field = ",".join(given[ends[i] - at : ends[i + 1] - at]).encode()
            lines[i - begin] = field + lines[i - begin][1:]  # in place of a label 0
        stream.write(b"\n".join(lines))


def _of_container(path: Any, dtype: Any, n_features: int | None, names: Any) -> MultilabelProblem:
    problem = MultilabelProblem.open(path, verify=True)
    if dtype is not None or n_features is not None or names is not None:
        raise ValueError(
            f"{name_of(path)} is a container: dtype, n_features and names are those of text"
        )
    return problem


def check_writable_names(names: Iterable[str]) -> None:
    """Raise ValueError for the text of a label that would read back as another."""
    for name in names:
        if UNWRITABLE.search(name) or NEGATIVE.fullmatch(name) or MISSING.fullmatch(name):
            raise ValueError(
                f"the label {shown(name)} cannot be written: labels are whole numbers from 0, or "
                "words without commas, colons and blanks that do not begin with #"
            )
