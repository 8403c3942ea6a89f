"""The convert command from files with many labels to containers and text of comma labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rrmlinear.data.array_rows import csr_of
from rrmlinear.data.container.conversion import CONTAINER, Converted, convert, target_kind
from rrmlinear.data.container.label_sources import LabelledExamples
from rrmlinear.data.container.writing import write_container
from rrmlinear.data.formats.beside import is_matrix, read_matrix
from rrmlinear.data.formats.known import format_of
from rrmlinear.data.formats.opening import is_plain
from rrmlinear.data.label_sets import MultilabelProblem
from rrmlinear.data.text.byte_streams import name_of
from rrmlinear.data.text.multilabel.kinds import LABELS, TEXTS, text_kind
from rrmlinear.data.text.multilabel.labelled_texts import Terms, read_texts, tf_idf
from rrmlinear.data.text.multilabel.multilabel_text import write_multilabel

#: The kind of a matrix with a matrix of labels beside it.
ARRAYS = "arrays"
Progress = Callable[[int, int | None], None]


@dataclass(frozen=True)
class TermFiles:
    """The file whose terms are the features of texts, and the one to write them to."""

    known: str | None = None
    saved: str | None = None


def labels_kind(source: str, beside: dict[str, str]) -> str | None:
    """The kind of a source with many labels, by `text_kind`, or ARRAYS; None for any other."""
    labels = beside.get("labels")
    if labels is None:
        return None if format_of(source) or not is_plain(source) else text_kind(source)
    return ARRAYS if is_matrix(labels) else None


def convert_labels(
    kind: str,
    source: str,
    target: str,
    beside: dict[str, str],
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
    without = [name for name in beside if name != "labels"]
    if without:
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
        X = read_matrix(source, dtype)
        problem = MultilabelProblem.from_arrays(X, read_matrix(beside["labels"]))
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
