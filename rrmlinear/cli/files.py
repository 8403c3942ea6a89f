"""Files of the commands, whose errors are LIBLINEAR's sentences."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

from rrmlinear.cli.leaving import INTERRUPTED, LeaveError
from rrmlinear.cli.parser import Parser
from rrmlinear.core.records import replace
from rrmlinear.data.container.signature import is_container
from rrmlinear.data.formats.asked import Asked, flag_of
from rrmlinear.data.formats.beside import is_matrix, read_matrix
from rrmlinear.data.formats.known import format_of
from rrmlinear.data.formats.opening import check_text, is_plain, read_file, with_offset
from rrmlinear.data.label_sets import LabelSets, MultilabelProblem
from rrmlinear.data.problem import Problem
from rrmlinear.data.sequences import SequenceProblem
from rrmlinear.data.text.byte_streams import name_of
from rrmlinear.data.text.libsvm_format import LibsvmFormatError, read_graphs, read_sequences
from rrmlinear.data.text.multilabel.kinds import LABELS, has_sets, text_kind
from rrmlinear.data.text.multilabel.multilabel_text import read_multilabel
from rrmlinear.data.text.whole_file import check_writable, is_standard_output, whole_file

#: The fields of `Asked` that commands offer.
FIELDS = ("labels", "weights", "query_ids", "categories", "names", "transpose")
#: Those that train and predict offer too.
OFFSETS = ("offset", "exposure")
#: What train alone offers.
ENTRY = "entry"
#: Nothing is asked of a file: it has all in itself.
NOTHING = Asked()
Examples = TypeVar("Examples", Problem, SequenceProblem, MultilabelProblem)


@contextmanager
def blaming(sentence: str) -> Iterator[None]:
    """End the command with this sentence, and the system's on the next line, on an OSError."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise LeaveError(f"{sentence}\n{error.strerror or error}") from None


def files_beside(edges: str | None, cliques: str | None) -> dict[str, str]:
    """The files of edges and of cliques that are given, by name."""
    named = {"file of edges": edges, "file of cliques": cliques}
    return {name: path for name, path in named.items() if path is not None}


@contextmanager
def read_again(path: str) -> Iterator[str]:
    """The path of a file that can be read more than once: of a pipe, a copy that is kept until the
    block ends. Sentences that end the command have the name of the pipe.
    """
    if not Path(path).is_fifo():
        yield path
        return
    with tempfile.NamedTemporaryFile() as copy:
        with blaming(f"can't open input file {path}"), open(path, "rb") as file:
            shutil.copyfileobj(file, copy)
            copy.flush()
        try:
            yield copy.name
        except LeaveError as error:
            told = error.message.replace(copy.name, path)
            raise LeaveError(told, error.output, error.exit_code) from None


def check_input(path: str) -> None:
    """End the command if this file cannot be opened; a pipe, a pattern and a URL are left alone."""
    if path == "-" or not is_plain(path):
        return
    with blaming(f"can't open input file {path}"):
        mode = os.stat(path).st_mode
        if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
            open(path, "rb").close()


def check_output(path: str, sentence: str) -> None:
    """End the command with the sentence if this file cannot be written.

    If it is standard output, what the command says goes to standard error from here on.
    """
    with blaming(f"{sentence} {path}"):
        check_writable(path)
    if is_standard_output(path):
        sys.stdout = sys.stderr


def check_distinct(outputs: Sequence[tuple[str, str]], inputs: Sequence[tuple[str, str]]) -> None:
    """End the command if an output, (its name, path), is also another of the files.

    A pipe or a terminal may be an input and an output, and only the null device several outputs.
    """
    read = {_identity(path): what for what, path in inputs if path != "-"}
    written: dict[Any, str] = {}
    for what, path in outputs:
        where = _identity(path)
        is_file = os.path.isfile(path) or not os.path.exists(path)
        other = written.get(where) or (read.get(where) if is_file else None)
        if other is not None and where != _identity(os.devnull):
            raise LeaveError(f"ERROR: {path} is the {other} and cannot be the {what} too")
        written[where] = what


def _identity(path: str) -> Any:
    try:
        status = os.stat(path)
    except OSError:
        return os.path.realpath(path)
    return status.st_dev, status.st_ino


def read_problem(
    path: str, threads: int | None, strict: bool, cached: bool = False, asked: Asked = NOTHING
) -> Problem:
    """The examples of a file, or of its cache; an error in it ends the command."""
    return read_test(path, threads, strict, asked, cached)[0]


def read_test(
    path: str, threads: int | None, strict: bool, asked: Asked, cached: bool = False
) -> tuple[Problem, bool]:
    """`read_problem`, and whether the file has labels."""
    labelled = True

    def read(path: str) -> Problem:
        nonlocal labelled
        problem, labelled = read_file(path, asked, threads, strict)
        if problem.query_ids is not None and problem.container is None and not asked.queries:
            raise ValueError(
                f"{path} has query ids, which only losses of sequences, ranks and times take"
            )
        return problem

    with reading(path):
        problem = with_offset(_read_cached(path, read), asked) if cached else read(path)
    return problem, labelled


def read_chains(
    path: str,
    threads: int | None,
    strict: bool,
    cached: bool = False,
    edges_file: str | None = None,
    cliques_file: str | None = None,
    asked: Asked = NOTHING,
) -> SequenceProblem:
    """The sequences of a file, or of its cache, with features of edges of another file, or the
    graphs with cliques of another; an error in one ends the command.
    """

    def read(path: str) -> SequenceProblem:
        if cliques_file is None and (format_of(path) or not is_plain(path)):
            return SequenceProblem.from_problem(read_file(path, asked, threads, strict)[0])
        if cliques_file is None:
            return read_sequences(path, threads=threads, strict=strict)
        return read_graphs(path, cliques_file, threads, strict=strict)

    with reading(path):
        problem = _read_cached(path, read) if cached else read(path)
    if edges_file is None:
        return problem
    with reading(edges_file):
        of_edges = read(edges_file)
    if of_edges.n_features == 0:
        raise LeaveError(f"ERROR: {edges_file} has no features; at least one is needed")
    try:
        return problem.with_edges(of_edges)
    except ValueError as error:
        raise LeaveError(f"ERROR: {path} and {edges_file}: {error}") from None


def read_labels(
    path: str, threads: int | None, strict: bool, cached: bool = False, asked: Asked = NOTHING
) -> MultilabelProblem:
    """The examples of a file with several labels an example, or of its cache, or of arrays or a
    table with a matrix of labels beside it, or none; an error in it ends the command.
    """

    def read(path: str) -> MultilabelProblem:
        if is_plain(path) and not format_of(path):
            check_text(path, asked)
            return read_multilabel(path, threads=threads, strict=strict)
        matrix = None if asked.labels is None else read_matrix(asked.labels)
        of_rows = replace(asked, labels=None, unlabelled=True)
        problem = read_file(path, of_rows, threads, strict)[0]
        n = problem.n_examples
        none = matrix is None
        labels = LabelSets.from_lists([[]] * n) if none else LabelSets.from_matrix(matrix)
        if labels.n_rows != n:
            raise ValueError(f"{asked.labels} has {labels.n_rows} rows, and {path} has {n}")
        names = problem.feature_names
        return MultilabelProblem(problem.rows, labels, problem.weights, feature_names=names)

    with reading(path):
        return _read_cached(path, read, of_labels=True) if cached else read(path)


def read_labelled(
    path: str, threads: int | None, strict: bool, asked: Asked = NOTHING
) -> MultilabelProblem | None:
    """The examples of a file with several labels an example, or with a matrix of labels beside it;
    None for any other file.
    """
    with reading(path):
        if format_of(path) and is_matrix(asked.labels):
            return read_labels(path, threads, strict, asked=asked)
        if format_of(path) or (not has_sets(path) and text_kind(path) != LABELS):
            return None
        return read_multilabel(path, threads=threads, strict=strict)


@contextmanager
def reading(path: str) -> Iterator[None]:
    """End the command with a sentence on what goes wrong while this file is read."""
    try:
        with blaming(f"can't open input file {path}"):
            try:
                yield
            except FileNotFoundError as error:  # it may be a file beside this one
                with blaming(f"can't open input file {os.fsdecode(error.filename or path)}"):
                    raise
    except ValueError as error:
        raise error_of_data(error) from None
    except MemoryError as error:
        reason = f": {error}" if str(error) else ""
        raise LeaveError(f"ERROR: not enough memory to read {path}{reason}") from None
    except KeyboardInterrupt:
        raise LeaveError(
            f"interrupted while reading {name_of(path)}; nothing was saved", exit_code=INTERRUPTED
        ) from None


def error_of_data(error: ValueError) -> LeaveError:
    """The end of the command for wrong data, whose sentence may be LIBLINEAR's already."""
    text = str(error)
    return LeaveError(text if text.startswith("Wrong input") else f"ERROR: {text}")


def _read_cached(path: str, read: Callable[[str], Examples], of_labels: bool = False) -> Examples:
    """What ``read`` finds in the cache of this file, or in the file where it has none."""
    kind = "a container" if is_container(path) else getattr(format_of(path), "name", "")
    if kind or not is_plain(path):
        what = f"is {kind}" if kind else "is several files"
        warnings.warn(f"--cache has no effect: {path} {what}", stacklevel=3)
        return read(path)
    from rrmlinear.data.container.cache import cache_of, with_cache

    try:
        with blaming(f"can't read {path} or write cache file {cache_of(path)}"):
            return with_cache(path, read, of_labels)
    except LibsvmFormatError:
        found = read(path)  # or the error of reading as it was asked for
        warnings.warn(f"no cache is left: strict reading refuses {path}", stacklevel=3)
        return found


@contextmanager
def output_file(path: str, sentence: str) -> Iterator[Any]:
    """A file that after the block is complete or absent; its errors end the command."""
    whole = whole_file(path)
    with blaming(f"{sentence} {path}"):
        file = whole.__enter__()
    try:
        yield file
    except BaseException:
        whole.__exit__(*sys.exc_info())
        raise
    with blaming(f"{sentence} {path}"):
        whole.__exit__(None, None, None)


def offer_reading(parser: Parser, but: Sequence[str] = (), more: Sequence[str] = ()) -> None:
    """Add these options to a command, all ``but`` some, and ``more``."""
    for field in [each for each in (*FIELDS, *more) if each not in but]:
        if field == "transpose":
            parser.flag(flag_of(field), dest=field)
        else:
            parser.value(flag_of(field), dest=field, type={"categories": _columns}.get(field, str))


def _columns(text: str) -> tuple[str, ...]:
    return tuple(filter(None, text.split(",")))


def words_of(options: SimpleNamespace, path: str) -> str:
    """These options as a command has them, and the file that they are for."""
    words: list[str] = []
    for field in FIELDS:
        if value := getattr(options, field, None):
            own = [] if value is True else [value if isinstance(value, str) else ",".join(value)]
            words += [flag_of(field), *own]
    return shlex.join([*words, path])


def asked_of(options: SimpleNamespace) -> Asked:
    """What was asked for by these options."""
    given = {field: getattr(options, field, None) for field in (*FIELDS, *OFFSETS, ENTRY)}
    return Asked(**{name: value for name, value in given.items() if value is not None})
