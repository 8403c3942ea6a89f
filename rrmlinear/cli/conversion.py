"""The convert command, of one label an example or of several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from rrmlinear.cli.files import (
    ENTRY,
    OFFSETS,
    asked_of,
    blaming,
    check_distinct,
    check_input,
    check_output,
    error_of_data,
    offer_reading,
    read_labels,
)
from rrmlinear.cli.leaving import INTERRUPTED, LeaveError
from rrmlinear.cli.parser import MAX_THREADS, Parser, output, whole
from rrmlinear.cli.report import amounts, warnings_said
from rrmlinear.cli.usage import CONVERT
from rrmlinear.core.records import replace
from rrmlinear.data.array_rows import csr_of, rows_of
from rrmlinear.data.container.conversion import CONTAINER, Converted, convert, target_kind
from rrmlinear.data.container.sources import LabelledExamples
from rrmlinear.data.container.writing import write_container
from rrmlinear.data.formats.asked import BY_EXAMPLE, Asked
from rrmlinear.data.formats.beside import is_matrix
from rrmlinear.data.formats.known import format_of
from rrmlinear.data.formats.opening import examples_in, is_plain
from rrmlinear.data.label_sets import MultilabelProblem
from rrmlinear.data.text.byte_streams import name_of
from rrmlinear.data.text.multilabel.kinds import LABELS, TEXTS, text_kind
from rrmlinear.data.text.multilabel.labelled_texts import Terms, read_texts, tf_idf
from rrmlinear.data.text.multilabel.multilabel_text import write_multilabel

Progress = Callable[[int, int | None], None]
#: The kind of a matrix with a matrix of labels beside it.
ARRAYS = "arrays"


def parse_conversion(arguments: Sequence[str]) -> SimpleNamespace:
    """The convert command's arguments, with the files and what was asked of the input."""
    parser = Parser(lambda: CONVERT, outputs=1)
    parser.flag("--float32")
    parser.flag("--strict")
    offer_reading(parser, more=(*OFFSETS, ENTRY))
    parser.value("--terms", dest="known_terms")
    parser.value("--save-terms", dest="saved_terms", type=output)
    parser.value("-m", dest="threads", type=whole("-m", 1, MAX_THREADS))
    options, files = parser.parse(arguments)
    parser.check_files(files, ("input_file", "output_file"), "input and output")
    options.source, options.target = files
    options.dtype = np.float32 if options.float32 else None
    options.asked = asked_of(options)
    if flag := options.asked.given(*OFFSETS, ENTRY):
        raise parser.wrong(
            f"{flag} is for train and predict, which take it beside the output, too, as FILE or "
            f"FILE:COLUMN of a table: {files[1]} has no place for it"
        )
    options.terms = TermFiles(options.known_terms, options.saved_terms)
    return options


def main(arguments: Sequence[str]) -> None:
    """Convert a file of examples to another. Raises LeaveError for every error."""
    options = parse_conversion(arguments)
    source, target = options.source, options.target
    check_input(source)
    try:
        target_kind(target)
        check_output(target, "can't open output file")
        outputs, inputs = [("output", target)], [("input", source)]
        if options.terms.saved is not None:
            check_output(options.terms.saved, "can't open output file")
            outputs.append(("file of terms", options.terms.saved))
        if options.terms.known is not None:
            check_input(options.terms.known)
            inputs.append(("file of terms", options.terms.known))
        check_distinct(outputs, inputs)
        with (
            blaming(f"can't read {source} or write {target}"),
            _blaming_files_beside(options.asked),
            warnings_said(),
            amounts(options.quiet) as show,
        ):
            made = _convert(options, show)
    except ValueError as error:
        raise error_of_data(error) from None
    except KeyboardInterrupt:
        raise LeaveError(
            f"interrupted while converting {name_of(source)}; nothing was saved",
            exit_code=INTERRUPTED,
        ) from None
    if not options.quiet:
        labels = "" if made.n_labels is None else f", {made.n_labels} labels"
        print(
            f"{made.n_examples} examples, {made.n_features} features, {made.n_stored} stored values"
            f"{labels}"
        )


def _convert(options: SimpleNamespace, show: Progress) -> Converted:
    """Convert one label an example, or several where the source has them."""
    how = {"dtype": options.dtype, "strict": options.strict, "threads": options.threads}
    source, target, asked = options.source, options.target, options.asked
    kind = labels_kind(source, asked.labels)
    if kind is not None:
        return convert_labels(kind, source, target, asked, options.terms, show, **how)
    refuse_terms(source, options.terms)
    with examples_in(source, asked, **how) as examples:
        return convert(examples, target, show, dtype=options.dtype)


@contextmanager
def _blaming_files_beside(asked: Asked) -> Iterator[None]:
    """End the command with the name of the file beside the input that cannot be opened."""
    try:
        yield
    except OSError as error:
        if error.filename not in [getattr(asked, name) for name in (*BY_EXAMPLE, "names")]:
            raise
        with blaming(f"can't open input file {error.filename}"):
            raise


@dataclass(frozen=True)
class TermFiles:
    """The file whose terms are the features of texts, and the one to write them to."""

    known: str | None = None
    saved: str | None = None


def labels_kind(source: str, labels: str | None) -> str | None:
    """The kind of a source with many labels, by `text_kind`, or ARRAYS where a matrix of them is
    beside it; None for any other.
    """
    if labels is None:
        return None if format_of(source) or not is_plain(source) else text_kind(source)
    return ARRAYS if is_matrix(labels) else None


def convert_labels(
    kind: str,
    source: str,
    target: str,
    asked: Asked,
    terms: TermFiles,
    show: Progress,
    dtype: Any = None,
    strict: bool = False,
    threads: int | None = None,
) -> Converted:
    """Write the examples of a file of this kind as a container or as comma labels, by the target's
    suffix. Those of texts and arrays are all in memory.

    Raises ValueError for what is wrong in the files, and for terms of other files than texts;
    OSError as `open` does.
    """
    if without := [name for name in BY_EXAMPLE[1:] if getattr(asked, name) is not None]:
        word = without[0].replace("_", " ")
        raise ValueError(f"text of several labels an example has no {word}")
    if kind != TEXTS:
        refuse_terms(source, terms)
    if kind == LABELS:
        kept = np.float64 if dtype is None else dtype
        examples = LabelledExamples(source, kept, strict=strict, threads=threads)
        return convert(examples, target, show)
    made: Terms | None = None
    if kind == TEXTS:
        texts, labels = read_texts(source)
        known = None if terms.known is None else Terms.read(terms.known)
        X, made = tf_idf(texts, np.float64 if dtype is None else dtype, known)
        problem = MultilabelProblem.from_arrays(X, labels.matrix(), names=labels.names)
    else:
        problem = read_labels(source, threads, strict, asked=asked)
        if dtype is not None:
            problem = replace(problem, rows=rows_of(csr_of(problem.rows).astype(dtype)))
    write = write_container if target_kind(target) == CONTAINER else write_multilabel
    write(target, problem)
    if made is not None and terms.saved is not None:
        made.write(terms.saved)
    n, d = problem.rows.shape
    return Converted(n, d, int(csr_of(problem.rows).count_nonzero()), problem.labels.n_labels)


def refuse_terms(source: str, terms: TermFiles) -> None:
    """Raise ValueError where terms are given for a file without texts."""
    for name, file in (("--terms", terms.known), ("--save-terms", terms.saved)):
        if file is not None:
            raise ValueError(
                f"{name} is for texts, tab-separated lines of labels and text, and "
                f"{name_of(source)} is none"
            )
