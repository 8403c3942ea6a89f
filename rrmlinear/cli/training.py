"""The train command."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.selection import select
from rrmlinear.cli.columns import check_columns
from rrmlinear.cli.files import (
    blaming,
    check_distinct,
    check_input,
    check_output,
    read_chains,
    read_problem,
)
from rrmlinear.cli.flags import sentence_of
from rrmlinear.cli.leaving import INTERRUPTED, LeaveError
from rrmlinear.cli.options import parse_training
from rrmlinear.cli.pages import Report, check_page, command_of, messages
from rrmlinear.cli.report import Reporter, progress, shown_passes, warn, warnings_said
from rrmlinear.cli.summary import (
    best_line,
    cross_validation_lines,
    measure_line,
    sequence_lines,
    summary,
    trial_line,
)
from rrmlinear.core.records import replace
from rrmlinear.data.container.signature import is_container
from rrmlinear.data.formats.beside import is_matrix
from rrmlinear.data.formats.known import format_of
from rrmlinear.data.formats.opening import OWN
from rrmlinear.data.problem import Problem
from rrmlinear.data.sequences import SequenceProblem
from rrmlinear.solvers.loop.result import TraceRow
from rrmlinear.training.fit import fit_selection
from rrmlinear.training.model import Model

if TYPE_CHECKING:
    from rrmlinear.training.labelling_model import LabellingModel
    from rrmlinear.training.search import Trial


def main(arguments: Sequence[str]) -> None:
    """Read, train, save; or read and cross validate. Raises LeaveError for every error."""
    options = parse_training(arguments)
    for sentence in options.warnings:
        print(sentence, file=sys.stderr, flush=True)
    check_input(options.training_file)
    if options.report_test is not None:
        check_input(options.report_test)
    for path in options.beside.values():
        check_input(path)
    _check_outputs(options)
    over_workers = options.dask is not None or options.mpi
    if over_workers and (kind := format_of(options.training_file)):
        raise LeaveError(
            f"ERROR: workers read LIBSVM text and containers, and {options.training_file} is "
            f"{kind.name}: python -m rrmlinear.convert makes a container of it"
        )
    if _has_labels(options, of_lines=over_workers):
        _train_labels(options, arguments)
        return
    if over_workers:
        from rrmlinear.cli.clusters.workers import train_over_workers

        train_over_workers(options)
        return
    with warnings_said() as said:
        try:
            problem = _read(options)
        except LeaveError:
            if not _has_labels(options, of_lines=True):
                raise
            said.clear()
            problem = None
    if problem is None:
        _train_labels(options, arguments)
        return
    if problem.n_features == 0:
        raise LeaveError(f"ERROR: {options.training_file} has no features; at least one is needed")
    check_columns(problem, options.training_file, options.groups_file, options.chosen.choices)
    problem = problem.with_bias(options.bias)
    words, weights = getattr(problem, "label_names", None), options.chosen.choices.class_weights
    if not words and (wrong := [label for label in weights if isinstance(label, str)]):
        raise LeaveError(f"ERROR: -wi: i takes a whole number, not {wrong[0]!r}")
    if words and weights:
        number: dict[str, Any] = {word: at for at, word in enumerate(words, 1)}
        weights = {number.get(str(label), str(label)): each for label, each in weights.items()}
        options.chosen = select(replace(options.chosen.choices, class_weights=weights))
    command = command_of("train", arguments) if options.report_file is not None else ""
    test = None
    if options.report_test is not None:
        with warnings_said() as said_of_test:
            test = _read_test(options, problem)
        said += said_of_test
    report = Report(options.report_file, command, messages(said), options.report_static, test)
    run = _Run(options, problem, report)
    try:
        if options.folds is not None:
            run.over_folds(options.folds)
        else:
            run.train()
    except (ValueError, FloatingPointError) as error:
        raise LeaveError(f"ERROR: {sentence_of(error)}") from None
    except MemoryError as error:
        raise LeaveError(run.memory_sentence(error)) from None
    except KeyboardInterrupt:
        raise LeaveError(run.interrupted_sentence(), exit_code=INTERRUPTED) from None


def _read(options: SimpleNamespace) -> Problem | SequenceProblem:
    given = (options.training_file, options.reading_threads, options.strict, options.cached)
    if options.chosen.kind == "chain":
        return read_chains(*given, options.edges_file, options.cliques_file, options.asked)
    return read_problem(*given, replace(options.asked, queries=options.chosen.has_order))


def _read_test(
    options: SimpleNamespace, problem: Problem | SequenceProblem
) -> Problem | SequenceProblem:
    """Test data, with the features of the training data by name."""
    read = read_chains if options.chosen.kind == "chain" else read_problem
    known = {"features": getattr(problem, "feature_names", None), "n_features": problem.n_features}
    known |= {"queries": options.chosen.has_order, "words": getattr(problem, "label_names", None)}
    known["entry"] = None  # measures do not look at it
    if not format_of(options.report_test):  # text and containers have these in themselves
        known |= dict.fromkeys(OWN)
    asked = replace(options.asked, **known)
    return read(options.report_test, options.reading_threads, options.strict, asked=asked)


def _has_labels(options: SimpleNamespace, of_lines: bool = False) -> bool:
    """Whether the file has several labels a line: by the options, its header, or ``of_lines``."""
    if options.labels.given:
        return True
    of_classes = options.chosen.kind in ("binary", "multiclass")
    if options.training_file == "-" or not (of_classes or of_lines):
        return False
    if format_of(options.training_file):
        return is_matrix(options.asked.labels)
    from rrmlinear.data.text.multilabel.kinds import has_header, has_sets, has_several_labels

    if has_sets(options.training_file):
        return True
    return (has_several_labels if of_lines else has_header)(options.training_file)


def _train_labels(options: SimpleNamespace, arguments: Sequence[str]) -> None:
    from rrmlinear.cli.labels.label_training import train_labels

    train_labels(options, command_of("train", arguments))


def _check_outputs(options: SimpleNamespace) -> None:
    outputs = []
    is_text = not is_container(options.training_file) and not format_of(options.training_file)
    if options.cached and is_text:
        from rrmlinear.data.container.cache import cache_of, is_fresh

        outputs.append(("cache file", cache_of(options.training_file)))
        if not is_fresh(options.training_file):
            check_output(outputs[0][1], "can't write cache file")
    if options.report_file is not None:
        outputs.append(("report file", options.report_file))
        check_page(options.report_file)
    inputs = [("training set", options.training_file), *options.beside.items()]
    if options.folds is not None:
        check_distinct(outputs, inputs)
        return
    outputs.append(("model file", options.model_file))
    check_output(options.model_file, "can't save model to file")
    if options.trace_file is not None:
        outputs.append(("trace file", options.trace_file))
        check_output(options.trace_file, "can't open trace file")
    if options.groups_file is not None:
        inputs.append(("groups file", options.groups_file))
    check_distinct(outputs, inputs)


class _Run:
    """A training, a cross validation or a search, with what it prints, saves and reports."""

    def __init__(
        self, options: SimpleNamespace, problem: Problem | SequenceProblem, report: Report
    ):
        self.options, self.problem, self.report = options, problem, report
        self.passes = 0

    def train(self) -> None:
        options = self.options
        given = options.quiet, options.trace_file
        with warnings_said() as said, shown_passes(*given) as reporters:
            fitted = self._of_levels if len(options.of_levels) > 1 else self._fitted
            model = fitted(self._on_pass(reporters))
        if not options.quiet and model.result is not None:
            print(summary(model, options.chosen.solver))
            sys.stdout.flush()
        with blaming(f"can't save model to file {self.options.model_file}"):
            model.save(self.options.model_file, liblinear=self.options.liblinear_model)
        self.report.of_model(model, self.problem, messages(said))

    def _fitted(self, on_pass: Reporter) -> Model | LabellingModel:
        if isinstance(self.problem, SequenceProblem):
            return self._fit_labels()(self.problem, self.options.chosen, on_pass)
        return fit_selection(self.problem, self.options.chosen, on_pass)

    def _of_levels(self, on_pass: Reporter) -> Model:
        """The model of several quantiles, each fitted by itself."""
        assert isinstance(self.problem, Problem)
        models: list[Model] = []
        for chosen in self.options.of_levels:
            models.append(fit_selection(self.problem, chosen, on_pass))
            if not self.options.quiet:
                print(f"quantile {chosen.choices.quantile:g}\n{summary(models[-1], chosen.solver)}")
        levels = tuple(chosen.choices.quantile for chosen in self.options.of_levels)
        weights = np.hstack([model.weights for model in models])
        return replace(models[0], weights=weights, levels=levels, result=None)

    def _fit_labels(self) -> Callable[..., LabellingModel]:
        """The function that fits sequences, or graphs."""
        from rrmlinear.data.graphs import GraphProblem

        if isinstance(self.problem, GraphProblem):
            from rrmlinear.training.graphs import fit_selected_graphs

            return fit_selected_graphs
        from rrmlinear.training.chains import fit_chains

        return fit_chains

    def over_folds(self, folds: int) -> None:
        """Cross validate, or search by it."""
        problem = self.problem
        what = "data"
        if isinstance(problem, SequenceProblem):
            n = problem.n_sequences
        elif self.options.chosen.has_order:
            from rrmlinear.training.cross_validation import units_of

            what, n = units_of(problem, self.options.chosen)
        else:
            n = problem.n_examples
        if folds > n > 1:
            folds = n
            kind = " (i.e., leave-one-out cross validation)" if what == "data" else ""
            warn(f"# folds > # {what}. Will use # folds = # {what} instead{kind}")
        if self.options.search:
            self.search(folds)
        else:
            self.cross_validate(folds)

    def search(self, folds: int) -> None:
        from rrmlinear.training.search import scores_by_error, search

        assert isinstance(self.problem, Problem)
        quiet, chosen = self.options.quiet, self.options.chosen
        if chosen.has_order:
            from rrmlinear.training.cross_validation import check_folds

            check_folds(self.problem, folds, chosen)
        print(f"Doing parameter search with {folds}-fold cross validation.", flush=True)

        trials: list[Trial] = []

        def say(trial: Trial) -> None:
            trials.append(trial)
            if not quiet:
                print(trial_line(trial, is_error), flush=True)

        is_error = scores_by_error(chosen)
        first = self.options.C, self.options.epsilon
        with warnings_said():
            best = search(self.problem, chosen, folds, *first, say, self._on_pass([]))
        print(best_line(best, is_error, chosen.loss_row.title or "accuracy"))
        self.report.of_search(trials, best, chosen, self.problem)

    def cross_validate(self, folds: int) -> None:
        options = self.options
        with warnings_said(), progress(options.quiet) as show:
            predicted = self._held_out(folds, self._on_pass([show]))
        if isinstance(self.problem, SequenceProblem):
            lines = f"Cross Validation {sequence_lines(predicted, self.problem)}"
        else:
            lines = self._lines_of_examples(predicted, folds)
        print(lines)
        self.report.of_folds(folds, lines, options.chosen, self.problem)

    def _lines_of_examples(self, predicted: NDArray[Any], folds: int) -> str:
        """The lines of a cross validation: LIBLINEAR's, and those of measures of all labels."""
        assert isinstance(self.problem, Problem)
        chosen, labels = self.options.chosen, self.problem.labels
        if chosen.has_order:
            from rrmlinear.training.cross_validation import value_of_order

            found = value_of_order(self.problem, chosen, folds, predicted)
            return "\n".join(f"Cross Validation {n} = {each:g}" for n, each in found.items())
        if chosen.kind != "measure":
            return cross_validation_lines(predicted, labels, chosen.kind == "regression")
        from rrmlinear.training.cross_validation import value_of_measure

        predicted, value = value_of_measure(self.problem, chosen, predicted)
        lines = cross_validation_lines(predicted, labels, regression=False)
        title = chosen.loss_row.title
        return f"{lines}\nCross Validation {measure_line(title, value)}" if title else lines

    def _held_out(self, folds: int, on_pass: Reporter) -> NDArray[Any]:
        """Labels that models of the other folds predict; for a measure their scores."""
        if isinstance(self.problem, SequenceProblem):
            from rrmlinear.training.chains import cross_validate_sequences

            given = (self.problem, self.options.chosen, folds, on_pass)
            return cross_validate_sequences(*given, self._fit_labels())
        from rrmlinear.training.cross_validation import cross_validate, cross_validate_scores

        chosen = self.options.chosen
        held_out = cross_validate_scores if chosen.kind == "measure" else cross_validate
        return held_out(self.problem, chosen, folds, on_pass)

    def _on_pass(self, reporters: Sequence[Reporter]) -> Reporter:
        def on_pass(row: TraceRow) -> None:
            self.passes = row.number
            for show in reporters:
                show(row)

        return on_pass

    def memory_sentence(self, error: MemoryError) -> str:
        """The error for a lack of memory, with the size of the weights."""
        regression = self.options.chosen.kind == "regression"
        features = self.problem.rows.width
        classes = 1 if regression else len(np.unique(self.problem.labels))
        reason = str(error) or "no more memory is to be had"
        return (
            f"ERROR: not enough memory: {reason}; the weights of {features} features and "
            f"{classes} {'value' if regression else 'classes'} take {8 * features * classes} bytes"
        )

    def interrupted_sentence(self) -> str:
        """The sentence for Ctrl-C, with its place."""
        when = f"after pass {self.passes}" if self.passes else "before the first pass was done"
        return f"interrupted {when}; nothing was saved"
