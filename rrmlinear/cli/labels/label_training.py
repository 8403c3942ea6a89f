"""The train command on examples with any number of labels each."""

from __future__ import annotations

import math
import os
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rrmlinear.cli.files import blaming, check_output, output_file, read_labels
from rrmlinear.cli.flags import sentence_of
from rrmlinear.cli.leaving import INTERRUPTED, LeaveError
from rrmlinear.cli.pages import messages, page_errors
from rrmlinear.cli.report import warn, warnings_said
from rrmlinear.cli.summary import best_line
from rrmlinear.core.records import replace
from rrmlinear.data.label_sets import MultilabelProblem
from rrmlinear.training.labels.fit_labels import solve_labels
from rrmlinear.training.labels.label_model import LabelModel
from rrmlinear.training.labels.terms import LabelTerms

if TYPE_CHECKING:
    from rrmlinear.training.labels.label_report import LabelReport
    from rrmlinear.training.labels.label_tree import LabelTree
    from rrmlinear.training.search import Trial

#: Seconds between two lines of progress.
BETWEEN_LINES = 1.0
#: Options of classes, of labels without a tree, and of a model that is saved.
OF_CLASSES = ("-wi", "-e")
OF_A_MODEL = ("--append", "--resume", "--thresholds")
OF_LABELS = (
    *OF_A_MODEL,
    "--positive-weight",
    "--dask",
    "--mpi",
    "--trace",
    "--report",
    "--liblinear-model",
    "--cache",
    "-C",
    "-v",
)


def train_labels(options: Any, command: str) -> None:
    """Read, train and save; ``options`` are of `parse_training`, ``command`` is what gave them.
    LeaveError for every error.
    """
    chosen = options.chosen
    _refuse(options)
    if chosen.kind != "binary":
        raise LeaveError(
            f"ERROR: {options.training_file} has several labels a line, and loss "
            f"{chosen.loss_row.name} is none of two classes: with many labels each is trained "
            "against the rest"
        )
    if not options.mpi:
        with warnings_said() as said:
            problem = _read(options)
        _train(options, command, problem, messages(said), None)
        return
    from rrmlinear.cli.clusters.workers import room

    processes = room("rrmlinear.mpi.many_labels").LabelProcesses()
    try:
        if processes.rank:
            _serve(options, processes)
            return
        with warnings_said() as said:
            problem = processes.agreed(lambda: _read(options))
        processes.compare(problem)
        with processes.lead() as crew_of:
            _train(options, command, problem, messages(said), crew_of)
    except (RuntimeError, ValueError) as error:
        raise LeaveError(f"ERROR: {error}") from None


def _serve(options: Any, processes: Any) -> None:
    """In another process than the first, which alone says what is wrong."""
    with warnings.catch_warnings(action="ignore"):
        try:
            problem = processes.agreed(lambda: _read(options))
            processes.compare(problem)
            fails = processes.serve(problem)
        except (LeaveError, RuntimeError, ValueError):
            fails = True
    if fails:
        raise LeaveError


def _read(options: Any, path: str | None = None, names: Any = None) -> MultilabelProblem:
    """The examples of training, or those of another file, with these names of features."""
    path = options.training_file if path is None else path
    given = options.reading_threads, options.strict, options.cached
    problem = read_labels(path, *given, replace(options.asked, features=names))
    if problem.n_features == 0:
        raise LeaveError(f"ERROR: {path} has no features; at least one is needed")
    return problem.with_bias(options.bias)


def _train(
    options: Any, command: str, problem: MultilabelProblem, said: list[str], crew_of: Any
) -> None:
    """Train and save; ``crew_of`` makes a crew of processes, or is None."""
    asked = options.labels
    known = None if asked.append is None else _known(asked.append)
    journal = options.model_file + ".journal" if asked.resume else None
    if journal is not None:
        check_output(journal, "can't write journal")
    run = _Run(options, problem, known, journal)
    if options.report_file is not None:
        from rrmlinear.training.labels.label_report import LabelReport, label_quality

        told = [("Examples of the training", problem)]
        if options.report_test is not None:
            with warnings_said() as of_test:
                test = _read(options, options.report_test, problem.feature_names)
                told.append(("Test examples", test))
            said += messages(of_test)
        run.report = LabelReport(options.report_file, command, problem, said, options.report_static)
    try:
        with warnings_said(), _crew_of(options, crew_of) as run.crew_of:
            if options.folds is not None:
                run.over_folds(options.folds)
                return
            tree = None if asked.tree is None else run.tree()
            with label_trace(options.trace_file) as run.trace:
                model = run.trained() if tree is None else tree.edges
    except (ValueError, FloatingPointError) as error:
        raise LeaveError(f"ERROR: {sentence_of(error)}") from None
    except (ConnectionError, TimeoutError, MemoryError, RuntimeError) as error:
        raise LeaveError(f"ERROR: {str(error) or 'not enough memory'}") from None
    except KeyboardInterrupt:
        raise LeaveError(run.interrupted_sentence(), exit_code=INTERRUPTED) from None
    assert model.result is not None
    if not model.result.solved:
        warn(model.result.shortfall())
    if not options.quiet:
        print(_summary(model, "labels" if tree is None else "nodes"), flush=True)
    sentence = f"can't save model to file {options.model_file}"
    with blaming(sentence):
        try:
            if tree is None:
                model.save(options.model_file, liblinear=options.liblinear_model)
            else:
                tree.save(options.model_file)
        except ValueError as error:
            raise LeaveError(f"ERROR: {error}") from None
    if journal is not None:
        os.remove(journal)
    if run.report is not None:
        with page_errors(options.report_file):
            run.report.of_model(model, [label_quality(*each, model) for each in told])


def _refuse(options: Any) -> None:
    """Raise LeaveError for a flag that the training asked for does not take."""
    asked = options.labels
    given = {
        "-wi": bool(options.chosen.choices.class_weights),
        "-e": options.chosen.choices.tolerance is not None,
        "--mpi": options.mpi,
        "--append": asked.append is not None,
        "--resume": asked.resume,
        "--thresholds": asked.thresholds is not None,
        "--positive-weight": asked.positive_weight is not None,
        "--dask": options.dask is not None,
        "--trace": options.trace_file is not None,
        "--report": options.report_file is not None,
        "--liblinear-model": options.liblinear_model,
        "--cache": options.cached,
        "-C": options.search,
        "-v": options.folds is not None,
    }
    of_sets = f"is not for examples with several labels, as {options.training_file} has"
    of_folds = "has no effect with -v and -C, which save no model"
    cases: list[tuple[bool, tuple[str, ...], str]] = [
        (True, OF_CLASSES, of_sets),
        (asked.tree is not None, OF_LABELS, "is not for --tree, which trains a tree of labels"),
        (options.folds is not None, OF_A_MODEL, of_folds),
    ]
    for holds, flags, sentence in cases:
        for flag in flags:
            if holds and given[flag]:
                raise LeaveError(f"ERROR: {flag} {sentence}")


@contextmanager
def label_trace(path: str | None) -> Iterator[Callable[[Any, Any], None] | None]:
    """A function that writes a label and its end to a file, a line of JSON each; or None."""
    if path is None:
        yield None
        return
    import json

    begun = time.perf_counter()
    with output_file(path, "can't write trace file") as file:

        def write(name: Any, end: Any) -> None:
            told = {
                "label": name.item() if hasattr(name, "item") else name,
                "passes": end.passes,
                "seconds": time.perf_counter() - begun,
                "primal": end.primal,
                "dual": end.dual,
                "gap": end.primal - end.dual,
                "solved": bool(end.has_ended),
            }
            with blaming(f"can't write trace file {path}"):
                file.write(json.dumps(told).encode() + b"\n")

        yield write


@contextmanager
def _crew_of(options: Any, of_processes: Any) -> Iterator[Any]:
    """What makes a crew of the workers that were asked for, or None."""
    if options.dask is None:
        yield of_processes
        return
    from rrmlinear.cli.clusters.workers import client_of, room

    many_labels = room("rrmlinear.dask.many_labels")
    with client_of(options.dask, options.dashboard) as client:
        yield many_labels.crews(client)


def _known(path: str) -> LabelModel:
    try:
        with blaming(f"can't open model file {path}"):
            return LabelModel.load(path)
    except ValueError as error:
        raise LeaveError(f"ERROR: {error}") from None


class _Run:
    """A training, with what it says."""

    def __init__(
        self,
        options: Any,
        problem: MultilabelProblem,
        known: LabelModel | None,
        journal: str | None,
    ) -> None:
        self.options, self.problem, self.known, self.journal = options, problem, known, journal
        self.ended, self.last = 0, time.perf_counter()
        self.crew_of: Any = None
        self.trace: Any = None
        self.report: LabelReport | None = None

    def trained(self) -> LabelModel:
        asked, chosen = self.options.labels, self.options.chosen
        terms = self._terms()
        weight, prune = terms.positive_weight, terms.prune
        if asked.thresholds == "cost":
            from rrmlinear.training.labels.held_out import costs_by_folds

            weight = costs_by_folds(self.problem, chosen, weight, crew_of=self.crew_of)
        terms = replace(terms, positive_weight=weight, known=self.known, journal=self.journal)
        model = solve_labels(self.problem, chosen, terms, self._see, self.crew_of)
        if asked.thresholds == "cv":
            from rrmlinear.training.labels.held_out import thresholds_by_folds

            found = thresholds_by_folds(self.problem, chosen, weight, prune, crew_of=self.crew_of)
            of_name = dict(zip(self.problem.labels.names.tolist(), found.tolist(), strict=True))
            if self.known is not None and self.known.thresholds is not None:
                kept = self.known.thresholds.tolist()
                of_name |= dict(zip(self.known.names.tolist(), kept, strict=True))
            model = model.with_thresholds([of_name.get(name, 0.0) for name in model.names.tolist()])
        return model

    def tree(self) -> LabelTree:
        """A tree of labels in place of a model."""
        from rrmlinear.training.labels.fit_tree import solve_label_tree

        asked = self.options.labels
        prune = asked.prune or 0.0
        return solve_label_tree(self.problem, self.options.chosen, asked.tree, prune)

    def _terms(self) -> LabelTerms:
        asked = self.options.labels
        weight = 1.0 if asked.positive_weight is None else asked.positive_weight
        return LabelTerms(positive_weight=weight, prune=asked.prune or 0.0)

    def over_folds(self, folds: int) -> None:
        """Cross validate, or search C by P@1 over the folds."""
        from rrmlinear.training.labels.held_out import cross_validate_labels, search_labels

        options, terms = self.options, self._terms()
        if folds > self.problem.n_examples:
            folds = self.problem.n_examples
            warn(
                "# folds > # data. Will use # folds = # data instead "
                "(i.e., leave-one-out cross validation)"
            )
        if not options.search:
            given = self.problem, options.chosen, folds, terms, self.crew_of
            measures = cross_validate_labels(*given)
            for name, value in measures.items():
                print(f"Cross Validation {name} = {100 * value:g}%", flush=True)
            if self.report is not None:
                with page_errors(options.report_file):
                    self.report.of_folds(folds, measures)
            return
        trials: list[tuple[Trial, dict[str, float]]] = []
        print(f"Doing parameter search with {folds}-fold cross validation.", flush=True)

        def say(trial: Trial, measures: dict[str, float]) -> None:
            trials.append((trial, measures))
            if not options.quiet:
                told = "\t".join(f"{name}={100 * each:g}" for name, each in measures.items())
                end = "\nWARNING: maximum C reached." if trial.at_limit else ""
                print(f"log2c={math.log2(trial.cost):7.2f}\t{told}{end}", flush=True)

        first = options.C
        best = search_labels(self.problem, options.chosen, folds, first, terms, say, self.crew_of)
        print(best_line(best, False, "P@1"))
        if self.report is not None:
            with page_errors(options.report_file):
                self.report.of_search(trials, best)

    def _see(self, name: Any, end: Any) -> None:
        self.ended += 1
        if self.trace is not None:
            self.trace(name, end)
        now = time.perf_counter()
        if not self.options.quiet and now - self.last >= BETWEEN_LINES:
            self.last = now
            print(f"{self.ended} of {self.problem.labels.n_labels} labels", flush=True)

    def interrupted_sentence(self) -> str:
        """The sentence for Ctrl-C, with its place."""
        when = f"interrupted after {self.ended} of {self.problem.labels.n_labels} labels"
        if self.journal is None:
            is_flat = self.options.folds is None and self.options.labels.tree is None
            remedy = ": --resume keeps labels that have ended" if is_flat else ""
            return f"{when}; nothing was saved{remedy}"
        return f"{when}, which {self.journal} keeps: the same command goes on from there"


def _summary(model: LabelModel, what: str) -> str:
    result = model.result
    assert result is not None
    gap = float(result.gap.sum())
    ended, k = int(result.ended.sum()), len(result.ended)
    pruned = result.solved and result.relative_gap > result.tolerance
    when = " before weights were dropped" if pruned else ""
    return "\n".join(
        [
            f"{'solved' if result.solved else 'stopped'}, {ended} of {k} {what} to a gap of "
            f"{result.tolerance:g} of their objective{when}, {result.seconds:.4f} seconds: "
            f"{result.status.value}",
            f"primal = {float(result.primal.sum()):.9g}, dual = {float(result.dual.sum()):.9g}, "
            f"gap = {gap:.3e}, largest relative gap of a label = {result.relative_gap:.3e}",
            f"passes = {int(result.passes.max(initial=0))} at most, nonzeros = {model.weights.nnz}",
            *(f"note: {note}" for note in result.notes),
        ]
    )
