"""The sequences command: text in columns to SVM-hmm's text by a template, and back to names."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise
from types import SimpleNamespace

import numpy as np

from rrmlinear.cli.files import blaming, check_distinct, check_input, check_output, output_file
from rrmlinear.cli.leaving import LeaveError
from rrmlinear.cli.parser import Parser, choice, whole
from rrmlinear.cli.usage import SEQUENCES
from rrmlinear.data.attributes.builtin import BUILTIN
from rrmlinear.data.attributes.chunks import are_chunks, chunk_score
from rrmlinear.data.attributes.columns import Items, Tokens, read_tokens, width_of
from rrmlinear.data.attributes.dictionary import Dictionary, read_dictionary
from rrmlinear.data.attributes.templates import (
    ATTRIBUTES,
    COLUMNS,
    CONLLU,
    FORMATS,
    Template,
    is_of_crfpp,
    parse_template,
    translated,
)
from rrmlinear.data.sequences import SequenceProblem
from rrmlinear.data.text.libsvm_format import write_libsvm
from rrmlinear.data.text.whole_file import is_stream

DEFAULT_TEMPLATE, UPOS = "chunking", "upos"


def parse_sequences(arguments: Sequence[str]) -> SimpleNamespace:
    """The command's arguments, with the files; LeaveError for those that do not fit each other."""
    parser = Parser(lambda: SEQUENCES, outputs=1)
    parser.value("--template", dest="template")
    parser.value("--format", dest="form", type=choice("--format", FORMATS))
    parser.value("--dictionary", dest="dictionary")
    parser.value("--predicted", dest="predicted")
    parser.value("--least", dest="least", type=whole("--least", 1))
    parser.flag("--unlabelled", dest="unlabelled")
    options, files = parser.parse(arguments)
    names = ("columns_file", "output_file")
    if len(files) < len(names):
        raise parser.wrong(f"no {names[len(files)]} is given")
    most = 2 if options.dictionary else 3
    if len(files) > most:
        raise parser.wrong(f"{files[most]} is one file too many")
    if len(files) < 3 and not options.dictionary and is_stream(files[1]):
        raise parser.wrong("no dictionary_file is given, and output_file has no name for it")
    if options.dictionary:
        own = {"--template": options.template, "--least": options.least, "--format": options.form}
        parser.refuse(own, "has no effect with --dictionary, which has its own")
    elif options.form == ATTRIBUTES and options.template:
        raise parser.wrong("--template has no effect: --format attributes has them in the file")
    elif options.predicted:
        raise parser.wrong("--predicted needs --dictionary, which has the names of the labels")
    elif options.unlabelled:
        raise parser.wrong("--unlabelled is for --dictionary: training needs labels")
    options.template = options.template or (UPOS if options.form == CONLLU else DEFAULT_TEMPLATE)
    options.least, options.labelled = options.least or 1, not options.unlabelled
    options.columns_file, options.output_file = files[:2]
    options.dictionary_file = files[2] if len(files) > 2 else f"{files[1]}.dictionary"
    return options


def main(arguments: Sequence[str]) -> None:
    """Write the sequences of a file of columns. Raises LeaveError for every error."""
    options = parse_sequences(arguments)
    check_input(options.columns_file)
    outputs = [("output", options.output_file)]
    if not is_stream(options.output_file):
        outputs.append(("output of edges", edges_of(options.output_file)))
    if options.dictionary is None:
        outputs.append(("dictionary", options.dictionary_file))
    inputs = [("columns file", options.columns_file)]
    for name, path in (("dictionary", options.dictionary), ("predicted file", options.predicted)):
        if path is not None:
            inputs.append((name, path))
    for name, path in outputs:
        check_output(path, f"can't open {name} file")
    check_distinct(outputs, inputs)
    try:
        if options.dictionary is None:
            _make(options)
        else:
            _apply(options, options.dictionary)
    except ValueError as error:
        raise LeaveError(f"ERROR: {error}") from None


def _make(options: SimpleNamespace) -> None:
    """Sequences and their dictionary."""
    template = _template(options)
    dictionary, problem = Dictionary.of(_tokens(options, template), template, options.least)
    with output_file(options.dictionary_file, "can't write dictionary file") as file:
        file.write(dictionary.text().encode())
    _write(options, problem)
    if not options.quiet:
        edges = f", {len(dictionary.edges)} of edges" if dictionary.edges else ""
        print(
            f"{_size(problem)}, {len(dictionary.labels)} labels, {len(dictionary.attributes)} "
            f"attributes{edges}"
        )


def _apply(options: SimpleNamespace, path: str) -> None:
    """Sequences by a dictionary that exists, or the names of predictions."""
    with blaming(f"can't open dictionary file {path}"):
        dictionary = read_dictionary(path)
    tokens = _tokens(options, dictionary.template)
    if options.predicted is not None:
        _name(options, options.predicted, dictionary, tokens)
        return
    problem, unknown = dictionary.problem(tokens)
    _write(options, problem)
    if news := dictionary.unknown_labels(tokens):
        print(
            f"WARNING: the label {news[0]} is not in the dictionary"
            + (f", nor are {len(news) - 1} more" if len(news) > 1 else "")
            + "; no model predicts it",
            file=sys.stderr,
        )
    if not options.quiet:
        known = problem.rows.n_stored + (problem.edges.n_stored if problem.edges else 0)
        print(
            f"{_size(problem)}; {unknown} of {known + unknown} attributes are not in the "
            "dictionary and are left out"
        )


def _name(
    options: SimpleNamespace, path: str, dictionary: Dictionary, tokens: Tokens | Items
) -> None:
    """Write the columns with the predicted label behind them, and print scores."""
    with blaming(f"can't open predicted file {path}"), open(path, "rb") as file:
        lines = file.read().split(b"\n")
    lines = lines[1:] if lines[0].startswith(b"labels ") else lines  # probabilities stand behind
    try:
        numbers = np.array([float(line.split()[0]) for line in lines if line.strip()])
    except ValueError:
        raise LeaveError(
            f"ERROR: {path} is no output of predict: its lines begin with a label"
        ) from None
    if len(numbers) != tokens.n:
        raise LeaveError(
            f"ERROR: {path} has {len(numbers)} labels and {options.columns_file} {tokens.n} tokens"
        )
    names = dictionary.names(numbers)
    columns = [*tokens.columns, *([tokens.labels] if tokens.labels else []), names]
    ends = set(tokens.starts[1:].tolist())
    mark = " " if dictionary.template.form == COLUMNS else "\t"
    with output_file(options.output_file, "can't write output file") as out:
        for at, words in enumerate(zip(*columns, strict=True), 1):
            out.write((mark.join(words) + ("\n\n" if at in ends else "\n")).encode())
    if tokens.labels is not None and not options.quiet:
        print(scores(tokens.labels, names, tokens.starts.tolist()))


def scores(true: Sequence[str], predicted: Sequence[str], starts: Sequence[int]) -> str:
    """The share of right labels, and precision, recall and F1 where the labels are chunks."""
    right = sum(a == b for a, b in zip(true, predicted, strict=True))
    lines = [f"Accuracy = {100 * right / len(true):g}% ({right}/{len(true)})"]
    if are_chunks(true):
        bounds = list(pairwise(starts))
        score = chunk_score(*([labels[b:e] for b, e in bounds] for labels in (true, predicted)))
        lines.append(
            f"Chunks: precision = {100 * score.precision:.2f}%, "
            f"recall = {100 * score.recall:.2f}%, F1 = {100 * score.f1:.2f}% "
            f"({score.true} true, {score.predicted} predicted, {score.correct} correct)"
        )
    return "\n".join(lines)


def _template(options: SimpleNamespace) -> Template:
    name = options.template
    if options.form == ATTRIBUTES:
        return parse_template(f"format {ATTRIBUTES}\n", "--format")
    if name in BUILTIN:
        return _parsed(BUILTIN[name], f"the template {name}", options)
    known = ", ".join(BUILTIN)
    sentence = f"can't open template file {name} (those with a name are {known})"
    with blaming(sentence), open(name, encoding="utf-8", errors="replace") as file:
        text = file.read()
    if is_of_crfpp(text):
        with blaming(f"can't open input file {options.columns_file}"):
            text = translated(text, name, width_of(options.columns_file) - 1)
    return _parsed(text, name, options)


def _parsed(text: str, name: str, options: SimpleNamespace) -> Template:
    """The template, for files of the format that was asked for."""
    own = parse_template(text, name)
    if options.form in (None, own.form):
        return own
    if CONLLU in (options.form, own.form):
        raise LeaveError(
            f"ERROR: --format {options.form} does not fit {name}, whose columns are those of "
            f"{own.form}"
        )
    lines = [line for line in text.splitlines() if line.split()[:1] != ["format"]]
    return parse_template("\n".join([f"format {options.form}", *lines, ""]), name)


def _tokens(options: SimpleNamespace, template: Template) -> Tokens | Items:
    if template.edges and not options.predicted and is_stream(options.output_file):
        raise LeaveError(
            f"ERROR: the template has attributes of edges, whose file stands beside output_file: "
            f"{options.output_file} is no file"
        )
    with blaming(f"can't open input file {options.columns_file}"):
        return read_tokens(options.columns_file, template, options.labelled)


def _write(options: SimpleNamespace, problem: SequenceProblem) -> None:
    with blaming(f"can't write output file {options.output_file}"):
        write_libsvm(options.output_file, problem.to_problem())
    if problem.edges is not None:
        path = edges_of(options.output_file)
        with blaming(f"can't write output file {path}"):
            write_libsvm(path, problem.edges_to_problem())


def edges_of(path: str) -> str:
    """The file of the features of edges beside that of positions."""
    return f"{path}.edges"


def _size(problem: SequenceProblem) -> str:
    return f"{problem.n_sequences} sequences, {problem.n_positions} positions"
