"""The predict command."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import chain
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.losses import ORDER_LOSSES
from rrmlinear.cli.files import (
    OFFSETS,
    asked_of,
    blaming,
    check_distinct,
    check_input,
    check_output,
    files_beside,
    offer_reading,
    output_file,
    read_again,
    read_chains,
    read_test,
)
from rrmlinear.cli.leaving import LeaveError
from rrmlinear.cli.parser import MAX_THREADS, Parser, choice, number, whole
from rrmlinear.cli.report import Amounts, amounts, warn, warn_of_features, warnings_said
from rrmlinear.cli.summary import (
    accuracy,
    mean_squared_error,
    measure_line,
    sequence_lines,
    squared_correlation,
)
from rrmlinear.core.loading import named
from rrmlinear.core.records import replace
from rrmlinear.data.container.signature import head_of
from rrmlinear.data.formats.words import renumbered
from rrmlinear.data.problem import Problem
from rrmlinear.training.labels.label_files import begins_with_labels
from rrmlinear.training.model import Model
from rrmlinear.training.model_files.header import ModelFileError
from rrmlinear.training.model_files.reading import load_model
from rrmlinear.training.order_measures import measures_of

if TYPE_CHECKING:  # models of sequences take a hundred modules
    from rrmlinear.training.labelling_model import LabellingModel

LINES_AT_ONCE = 1 << 12
#: Rows that are predicted between two sights of the progress.
ROWS_AT_ONCE = 1 << 18


def _usage() -> str:
    from rrmlinear.cli.usage import PREDICT

    return PREDICT


def parse_prediction(arguments: Sequence[str]) -> SimpleNamespace:
    """The predict command's arguments, with the files and what was asked of the test file."""
    parser = Parser(_usage, outputs=2)
    parser.value("-b", dest="probabilities", type=choice("-b", ("0", "1")), default="0")
    parser.value("-m", dest="threads", type=whole("-m", 1, MAX_THREADS))
    parser.value("--edges", dest="edges_file")
    parser.value("--cliques", dest="cliques_file")
    parser.flag("--strict")
    parser.value("--top-k", dest="top_k", type=whole("--top-k", 1))
    parser.value("--beam", type=whole("--beam", 1))
    parser.value("--threshold", type=number("--threshold"))
    parser.flag("--scores")
    offer_reading(parser, more=OFFSETS)
    options, files = parser.parse(arguments)
    parser.check_files(files, ("test_file", "model_file", "output_file"), "test, model and output")
    options.test_file, options.model_file, options.output_file = files
    options.probabilities = options.probabilities == "1"
    options.asked = asked_of(options)
    return options


def main(arguments: Sequence[str]) -> None:
    """Read a model and examples, write a label for each. Raises LeaveError for every error."""
    options = parse_prediction(arguments)
    check_input(options.test_file)
    check_output(options.output_file, "can't open output file")
    inputs = [("test set", options.test_file), ("model", options.model_file)]
    for name, path in files_beside(options.edges_file, options.cliques_file).items():
        check_input(path)
        inputs.append((name, path))
    check_distinct([("output", options.output_file)], inputs)
    with read_again(options.model_file) as options.model_file:
        _predict(options)


def _predict(options: SimpleNamespace) -> None:
    if _is_of_labels(options):
        from rrmlinear.cli.labels.label_prediction import predict_labels

        predict_labels(options)
        return
    model = _load(options.model_file, options.test_file)
    _check_beside(model, options)
    if options.probabilities and model.link is None:
        only = "logistic regression" if isinstance(model, Model) else "sequences of loss crf"
        raise LeaveError(
            f"probability output is only supported for {only}\n"
            f"the loss of {options.model_file} is {model.loss}, which has no probabilities for -b 1"
        )
    if isinstance(model, Model):
        _label_examples(model, options)
    else:
        _label_sequences(model, options)


def _is_of_labels(options: SimpleNamespace) -> bool:
    """Whether the model is one of many labels; other models do not take their options."""
    with blaming(f"can't open model file {options.model_file}"):
        if begins_with_labels(options.model_file):
            return True
    asked = {
        "--top-k": options.top_k is not None,
        "--threshold": options.threshold is not None,
        "--scores": options.scores,
        "--beam": options.beam is not None,
    }
    flags = [flag for flag, is_given in asked.items() if is_given]
    if not flags:
        return False
    from rrmlinear.training.labels.liblinear_text import has_columns

    if has_columns(options.model_file):
        return True
    told = f"{flags[0]} is for models of many labels, and {options.model_file} is none"
    raise LeaveError(f"ERROR: {told}")


def _check_beside(model: Model | LabellingModel, options: SimpleNamespace) -> None:
    """End the command unless features of edges are given to a model that has some, cliques to one
    of graphs, and neither to others.
    """
    for has, file, flag, what in (
        (model.edge_weights is not None, options.edges_file, "--edges", "features of edges"),
        (model.tables is not None, options.cliques_file, "--cliques", "tables of cliques"),
    ):
        if has and file is None:
            raise LeaveError(f"ERROR: {options.model_file} needs {flag}")
        if file is not None and not has:
            raise LeaveError(f"ERROR: {options.model_file} has no {what} for {flag}")


def _label_examples(model: Model, options: SimpleNamespace) -> None:
    if (flag := options.asked.given(*OFFSETS)) and not model.is_regression:
        raise LeaveError(
            f"ERROR: {flag} is for models of numbers, and loss {model.loss} has labels"
        )
    known: dict[str, Any] = {"n_features": model.n_features, "queries": model.loss in ORDER_LOSSES}
    known |= {"features": model.feature_names, "words": model.label_names}
    asked = replace(options.asked, unlabelled=True, **known)
    with warnings_said():
        problem, is_labelled = read_test(options.test_file, options.threads, options.strict, asked)
    warn_of_features(problem, model, options.test_file)
    threads = options.threads or 1
    with amounts(options.quiet, lines=False) as show:
        predicted = in_steps(lambda some: model.predict_numbers(some, threads), problem, show)
        of_classes = None
        if options.probabilities:
            of_classes = in_steps(lambda some: model.predict_proba(some, threads), problem, show)
        _write_labels(options.output_file, model, predicted, of_classes, show)
    if options.quiet or not is_labelled:
        return
    labels = _labels_as_numbers(problem, model)
    if labels is None:
        warn(f"{options.test_file} has labels of numbers or of words, and the model the others: "
             "no accuracy")  # fmt: skip
        return
    if model.loss is not None and model.loss in ORDER_LOSSES:
        for name, value in measures_of(model.loss, labels, predicted, problem.query_ids).items():
            print(f"{name} = {value:g}")
    elif model.levels is not None:
        left, levels = labels[:, np.newaxis] - predicted, np.array(model.levels)
        for level, each in zip(
            levels, np.maximum(levels * left, (levels - 1) * left).T, strict=True
        ):
            print(f"Mean loss of quantile {level:g} = {each.mean():g}")
    elif model.is_regression:
        error = mean_squared_error(predicted, labels)
        print(f"Mean squared error = {error:g} (regression)")
        correlation = squared_correlation(predicted, labels)
        print(f"Squared correlation coefficient = {correlation:g} (regression)")
    else:
        correct = np.count_nonzero(predicted == labels)
        share = accuracy(predicted, labels)
        print(f"Accuracy = {share:g}% ({correct}/{len(predicted)})")
        if measured := model.measured(problem, labels):
            print(measure_line(*measured))


def in_steps(
    predict: Callable[[Any], NDArray[Any]], problem: Problem, show: Amounts
) -> NDArray[Any]:
    """The predictions of all rows, some at a time."""
    n, found = problem.n_examples, []
    for begin in range(0, max(n, 1), ROWS_AT_ONCE):
        rows = problem.rows.between(begin, begin + ROWS_AT_ONCE)
        labels, offset = problem.labels[begin : begin + ROWS_AT_ONCE], problem.offset
        offset = None if offset is None else offset[begin : begin + ROWS_AT_ONCE]
        found.append(predict(Problem(rows, labels, offset=offset)))
        show(min(begin + ROWS_AT_ONCE, n), n)
    return np.concatenate(found)


def _labels_as_numbers(problem: Problem, model: Model) -> NDArray[np.float64] | None:
    """The labels by the model's numbers, 0 for words that it does not know; None where the one has
    words and the other numbers.
    """
    words, known = problem.label_names, model.label_names
    if words is None:  # text that was made of words has their numbers
        return problem.labels
    if known is None:
        return None
    places = renumbered(problem.labels, words, known).astype(np.int64)
    return np.append(model.labels, 0.0)[places - 1]


def _label_sequences(model: LabellingModel, options: SimpleNamespace) -> None:
    with warnings_said():
        given = (options.test_file, options.threads, options.strict, False)
        problem = read_chains(*given, options.edges_file, options.cliques_file, options.asked)
    warn_of_features(problem, model, options.test_file)
    threads = options.threads or 1
    try:
        predicted = model.predict(problem, threads)
        marginals = model.predict_marginals(problem, threads) if options.probabilities else None
    except ValueError as error:
        raise LeaveError(f"ERROR: {error}") from None
    with amounts(options.quiet, lines=False) as show:
        _write_labels(options.output_file, model, predicted, marginals, show)
    if not options.quiet:
        print(sequence_lines(predicted, problem))


def _write_labels(
    path: str,
    model: Model | LabellingModel,
    predicted: NDArray[Any],
    probabilities: NDArray[np.float64] | None,
    show: Amounts,
) -> None:
    words = model.label_names
    line = "%.17g" if words is None else "%s"
    if words is not None:
        if probabilities is not None:  # in quotes where a word has blanks
            words = [
                json.dumps(w, ensure_ascii=False) if len(w.split()) > 1 or '"' in w else w
                for w in words
            ]
        shown = dict(zip(model.labels.tolist(), words, strict=True))
        predicted = np.array([shown[number] for number in predicted.tolist()])
    if probabilities is None:
        columns = list(np.atleast_2d(predicted.T))
        _write(path, " ".join([line] * len(columns)) + "\n", columns, show)
    else:
        names = " ".join(map(str, model.labels.tolist() if words is None else shown.values()))
        line = ("%d" if words is None else line) + " %g" * probabilities.shape[1] + "\n"
        _write(path, line, [predicted, *probabilities.T], show, f"labels {names}\n")


def _load(path: str, test_file: str) -> Model | LabellingModel:
    try:
        with blaming(f"can't open model file {path}"):
            stored = load_model(path)
    except ModelFileError as error:
        swapped = b"solver_type".startswith(head_of(test_file) or b"-")
        order = "; the files are test_file, model_file, output_file" if swapped else ""
        raise LeaveError(f"{error}\ncan't open model file {path}{order}") from None
    place = "chain_model:ChainModel" if stored.transitions is not None else "model:Model"
    if stored.tables is not None:
        place = "graphs:GraphModel"
    model: Model | LabellingModel = named(f"training.{place}")(**vars(stored))
    return model


def _write(
    path: str, line: str, columns: Sequence[NDArray[Any]], show: Amounts, header: str = ""
) -> None:
    """The header, and the line with a value of each column for each example."""
    sentence = "can't write output file"
    with output_file(path, sentence) as file, blaming(f"{sentence} {path}"):
        file.write(header.encode())
        for begin in range(0, len(columns[0]), LINES_AT_ONCE):
            some = [column[begin : begin + LINES_AT_ONCE].tolist() for column in columns]
            # one call for many lines: a call for each takes three times as long
            values = tuple(chain.from_iterable(zip(*some, strict=True)))
            file.write((line * len(some[0]) % values).encode())
            show(begin + len(some[0]), len(columns[0]))
