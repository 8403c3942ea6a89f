"""Files opened: the one way from a path, a pattern, a folder or a URL to examples."""

from __future__ import annotations

import glob
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from rrmlinear.core.records import replace
from rrmlinear.data.array_rows import csr_of, rows_of
from rrmlinear.data.container.opening import open_container
from rrmlinear.data.container.pieces import Piece, pieces_of
from rrmlinear.data.container.signature import MAGIC, head_of, is_container
from rrmlinear.data.container.sources import ContainerExamples, Examples, TextExamples
from rrmlinear.data.formats.asked import Asked, flag_of
from rrmlinear.data.formats.batches import BatchExamples, as_numbers, stacked
from rrmlinear.data.formats.beside import read_names, read_vector
from rrmlinear.data.formats.known import Format, format_of
from rrmlinear.data.formats.table_columns import CATEGORY
from rrmlinear.data.formats.words import numbered_words, order_by, renumbered
from rrmlinear.data.labels import log_exposure
from rrmlinear.data.problem import Problem
from rrmlinear.data.text.byte_streams import name_of
from rrmlinear.data.text.libsvm_format import read_examples

PATTERN = "*?["
URL = "://"
#: Fields that say what LIBSVM text and containers say themselves.
OWN = ("labels", "weights", "query_ids", "categories", "transpose")


def is_plain(path: Any) -> bool:
    """Whether a path names one file of this machine, or standard input."""
    if isinstance(path, (list, tuple)):
        return False
    if not isinstance(path, (str, bytes, os.PathLike)):
        return True
    name = os.fsdecode(path)
    return os.path.isfile(name) or not (
        URL in name or any(mark in name for mark in PATTERN) or os.path.isdir(name)
    )


@contextmanager
def local_files(path: Any) -> Iterator[list[Any]]:
    """The files that a path means, on this machine: those of a URL are copied for as long.

    Raises FileNotFoundError for a pattern without a file, ValueError for a folder without one.
    """
    if is_plain(path):
        yield [path]
        return
    parts = path if isinstance(path, (list, tuple)) else [path]
    with ExitStack() as stack:
        found: list[Any] = []
        for part in parts:
            found += [part] if is_plain(part) else _files_of(os.fsdecode(part), stack)
        if not found:
            raise ValueError("the list of files is empty; at least one is needed")
        yield found


def _files_of(name: str, stack: ExitStack) -> list[str]:
    if URL in name:
        return _copied(name, stack.enter_context(tempfile.TemporaryDirectory()))
    if os.path.isdir(name):
        each = sorted(os.listdir(name))
        found = [os.path.join(name, file) for file in each if not file.startswith(("_", "."))]
        found = [file for file in found if os.path.isfile(file)]
        if not found:
            raise ValueError(f"the folder {name} has no files")
        return found
    found = sorted(glob.glob(name))
    if not found:
        raise FileNotFoundError(2, "no file has a name of this pattern", name)
    return found


def _copied(url: str, folder: str) -> list[str]:
    try:
        import fsspec
    except ImportError:
        raise ValueError(
            f"{url} is a URL, which needs the package fsspec: pip install 'rrmlinear[urls]'"
        ) from None
    try:
        files, path = fsspec.core.url_to_fs(url)
        has_pattern = any(mark in path for mark in PATTERN) and not files.exists(path)
        paths = sorted(files.glob(path)) if has_pattern else [path]
        if not has_pattern and files.isdir(path):
            listed = (each for each in files.ls(path, detail=False))
            paths = sorted(e for e in listed if not os.path.basename(e).startswith(("_", ".")))
        if not paths:
            raise FileNotFoundError(2, "no file has a name of this pattern", url)
        copies = []
        for number, each in enumerate(paths):
            own = os.path.join(folder, str(number))
            os.mkdir(own)
            copies.append(os.path.join(own, os.path.basename(each.rstrip("/"))))
            files.get_file(each, copies[-1])
    except (ImportError, ValueError) as error:
        raise ValueError(f"{url} cannot be read: {error}") from None
    return copies


def check_text(path: Any, asked: Asked) -> None:
    """Raise ValueError for what LIBSVM text and containers have in themselves."""
    flag = asked.given(*OWN)
    if flag:
        raise ValueError(
            f"{flag} has no effect: {name_of(path)} is LIBSVM text or a container, which has its "
            "labels, weights and query ids in itself; only arrays and tables take them from "
            "elsewhere"
        )


def _common_format(paths: Sequence[Any]) -> Format | None:
    """The format of these files, all of one; None: LIBSVM text or a container."""
    kind = format_of(paths[0])
    for path in paths[1:]:
        other = format_of(path)
        if other is not kind:
            names = (each.name if each else "LIBSVM text" for each in (kind, other))
            raise ValueError(
                f"{name_of(paths[0])} is {next(names)} and {name_of(path)} {next(names)}; files "
                "that are read together have one format"
            )
    return kind


def read_file(
    path: Any, asked: Asked, threads: int | None = None, strict: bool = False
) -> tuple[Problem, bool]:
    """(the examples of a file or of several of one format, whether they have labels).

    With the features of a model the columns are those of the model, by name, where both have names.
    Raises as the readers do.
    """
    with local_files(path) as paths:
        kind = _common_format(paths)
        if kind is None:
            check_text(paths[0], asked)
            parts = [
                _with_names(read_examples(each, threads, strict, asked.queries), asked)
                for each in paths
            ]
            labelled = True
        else:
            readers = kind.open(paths, asked)
            parts = [reader.problem() for reader in readers]
            labelled = all(reader.is_labelled for reader in readers)
    problem = parts[0] if len(parts) == 1 else joined(parts)
    if kind is None:
        problem = with_offset(problem, asked)
    if asked.features is not None:
        problem = by_model(problem, asked.features, name_of(paths[0]))
    if kind is not None and asked.words is not None and labelled and problem.label_names is None:
        texts = [str(int(y)) if y.is_integer() else str(y) for y in problem.labels.tolist()]
        labels, names = numbered_words(texts, name_of(paths[0]))
        problem = replace(problem, labels=labels, label_names=names)
    return problem, labelled


def open_problem(path: Any, verify: bool, asked: dict[str, Any]) -> Problem:
    """`Problem.open`."""
    if unknown := asked.keys() - vars(Asked()).keys():
        known = ", ".join(vars(Asked()))
        raise TypeError(f"Problem.open has no field {min(unknown)!r}; there are {known}")
    if isinstance(asked.get("categories"), str):
        asked = asked | {"categories": asked["categories"].split(",")}
    given = Asked(**asked)
    name = os.fsdecode(path) if isinstance(path, (str, bytes, os.PathLike)) else ""
    if is_container(path) or name.endswith(".rrm"):
        check_text(path, given)
        mapped = Problem.over(open_container(path, verify))
        return with_offset(_with_names(mapped, given), given)
    return read_file(path, given)[0]


def _with_names(problem: Problem, asked: Asked) -> Problem:
    """The problem of a text with names of features of a file, where that was asked for."""
    if asked.names is None:
        return problem
    names, rows = read_names(asked.names), problem.rows
    if len(names) < rows.shape[1]:
        raise ValueError(
            f"{asked.names} has {len(names)} names, and the data {rows.shape[1]} features"
        )
    if len(names) > rows.shape[1]:  # text knows its largest index alone
        matrix = csr_of(rows)
        matrix.resize((rows.shape[0], len(names)))
        rows = rows_of(matrix)
    return replace(problem, rows=rows, feature_names=names)


def with_offset(problem: Problem, asked: Asked) -> Problem:
    """The problem of a text or a container with the offsets or the times of entry of a file, where
    that was asked for.
    """
    n = problem.n_examples
    if problem.offset is not None or problem.entry is not None:
        return problem
    given = numbers_beside(asked, "offset", "exposure", "entry")
    for field, numbers in given.items():
        if numbers is not None and numbers.shape != (n,):
            raise ValueError(
                f"{getattr(asked, field)} has {numbers.size} numbers, and there are {n} examples; "
                "it must have one for each"
            )
    moved = log_exposure(given["offset"], given["exposure"], n)
    return replace(problem, offset=moved, entry=given["entry"])


def numbers_beside(asked: Asked, *fields: str) -> dict[str, Any]:
    """The numbers of the files that were asked for as these fields, or None."""
    paths = {field: getattr(asked, field) for field in fields}
    return {
        field: None if path is None else as_numbers(read_vector(path), field, path)
        for field, path in paths.items()
    }


def joined(parts: Sequence[Problem]) -> Problem:
    """The examples of several problems, end to end."""
    names = parts[0].feature_names
    words = sorted({name for part in parts for name in part.label_names or ()})
    for part in parts[1:]:
        if tuple(part.feature_names or ()) != tuple(names or ()):
            raise ValueError("the files have features of different names; they must be the same")
        if (part.label_names is None) != (parts[0].label_names is None):
            raise ValueError("some files have labels that are words, and others numbers")
    matrices = [
        part.rows.values if part.rows.indptr is None else csr_of(part.rows) for part in parts
    ]
    labels = [
        part.labels
        if part.label_names is None
        else renumbered(part.labels, part.label_names, words)
        for part in parts
    ]
    weights, ids, offset, entry = (
        None if any(getattr(part, field) is None for part in parts)
        else np.concatenate([getattr(part, field) for part in parts])
        for field in ("weights", "query_ids", "offset", "entry")
    )  # fmt: skip
    made = Problem.from_arrays(stacked(matrices), np.concatenate(labels), weights)
    made = replace(made, query_ids=ids, offset=offset, entry=entry)
    return replace(made, feature_names=names, label_names=tuple(words) if words else None)


def by_model(problem: Problem, features: Sequence[str], name: str) -> Problem:
    """The problem with the columns of a model, by name; as it is where it has no names."""
    own = problem.feature_names
    if own is None or list(own) == list(features):
        return problem
    if len(set(own)) < len(own) or len(set(features)) < len(features):
        raise ValueError(
            f"{name} has names that several features share, and other features than the model: "
            "which is which cannot be told"
        )
    columns = {each[: each.find(CATEGORY) + 1] for each in own} - {""}
    others = [each for each in features if each[: each.find(CATEGORY) + 1] in columns]
    levels, rows = sorted(set(others) - set(own)), problem.rows  # levels that no row has
    order = order_by([*own, *levels], features, name)
    matrix = rows.values if rows.indptr is None and not levels else csr_of(rows)
    if levels:
        matrix.resize((rows.shape[0], len(own) + len(levels)))
    rows = rows_of(matrix[:, order])
    gone = {"container": None} if hasattr(problem, "container") else {}
    return replace(problem, rows=rows, feature_names=tuple(features), **gone)


class _InMemory(BatchExamples):
    """The examples of several files that are no tables, all in memory."""

    def __init__(self, problem: Problem, name: str, asked: Asked):
        super().__init__(name, asked)
        self.made, self.total = problem, problem.n_examples
        self.n_features, self.feature_names = problem.n_features, problem.feature_names
        self.label_names = problem.label_names

    def pieces(self) -> Iterator[Piece]:
        for piece in pieces_of(self.made):
            self.done += len(piece.ends)
            yield piece


@contextmanager
def examples_in(path: Any, asked: Asked, **of_text: Any) -> Iterator[Examples]:
    """`examples_of` of what a path means; files of a URL are kept for as long."""
    with local_files(path) as paths:
        if len(paths) == 1:
            yield examples_of(paths[0], asked, **of_text)
            return
        kind = _common_format(paths)
        if kind is not None and kind.joins:
            yield kind.open(paths, asked)[0]
            return
        how = {name: of_text.get(name) for name in ("threads", "strict")}
        problem, _ = read_file(paths, asked, how["threads"], bool(how["strict"]))
        yield _InMemory(problem, name_of(paths[0]), asked)


def examples_of(
    path: Any,
    asked: Asked | None = None,
    *,
    dtype: Any = None,
    n_features: int | None = None,
    zero_based: bool = False,
    strict: bool = False,
    threads: int | None = None,
) -> Examples:
    """The examples of a file in pieces; its first bytes, or its name, tell the format.

    The parameters behind ``asked`` are those of text, as `read_libsvm` has them; `TextExamples`
    gives the default of ``threads``. Raises ValueError for what the format does not take.
    """
    asked = Asked() if asked is None else asked
    kind = format_of(path)
    if kind is not None:
        return kind.open([path], asked)[0]
    check_text(path, asked)
    if asked.names is not None:
        raise ValueError(f"{flag_of('names')} is for train, predict and info, and for arrays")
    if head_of(path) == MAGIC:
        return ContainerExamples(path)
    dtype = np.float64 if dtype is None else dtype
    return TextExamples(path, dtype, n_features, zero_based, strict, threads=threads)
