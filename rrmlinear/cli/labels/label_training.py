"""The train command on examples with any number of labels each."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rrmlinear.cli.files import blaming, check_output, reading
from rrmlinear.cli.flags import sentence_of
from rrmlinear.cli.leaving import INTERRUPTED, LeaveError
from rrmlinear.cli.report import warn, warnings_said
from rrmlinear.data.label_sets import MultilabelProblem
from rrmlinear.data.text.multilabel.multilabel_text import read_multilabel
from rrmlinear.training.labels.fit_labels import solve_labels
from rrmlinear.training.labels.label_model import LabelModel
from rrmlinear.training.labels.terms import LabelTerms

#: Seconds between two lines of progress.
BETWEEN_LINES = 1.0


def train_labels(options: Any) -> None:
    """Read, train and save; ``options`` are `TrainingOptions`. LeaveError for every error."""
    chosen, asked = options.chosen, options.labels
    _refuse(options)
    if chosen.kind != "binary":
        raise LeaveError(
            f"ERROR: {options.training_file} has several labels a line, and loss "
            f"{chosen.loss_row.name} is none of two classes: with many labels each is trained "
            "against the rest"
        )
    known = None if asked.append is None else _known(asked.append)
    with warnings_said(), reading(options.training_file):
        problem = read_multilabel(
            options.training_file, threads=options.reading_threads, strict=options.strict
        )
    if problem.n_features == 0:
        raise LeaveError(f"ERROR: {options.training_file} has no features; at least one is needed")
    problem = problem.with_bias(options.bias)
    journal = options.model_file + ".journal" if asked.resume else None
    if journal is not None:
        check_output(journal, "can't write journal")
    run = _Run(options, problem, known, journal)
    try:
        with warnings_said(), _crew_of(options) as run.crew_of:
            model = run.trained()
    except (ValueError, FloatingPointError) as error:
        raise LeaveError(f"ERROR: {sentence_of(error)}") from None
    except (ConnectionError, TimeoutError, MemoryError) as error:
        raise LeaveError(f"ERROR: {str(error) or 'not enough memory'}") from None
    except KeyboardInterrupt:
        raise LeaveError(run.interrupted_sentence(), exit_code=INTERRUPTED) from None
    assert model.result is not None
    if not model.result.solved:
        warn(model.result.shortfall())
    if not options.quiet:
        print(_summary(model), flush=True)
    sentence = f"can't save model to file {options.model_file}"
    with blaming(sentence):
        try:
            model.save(options.model_file)
        except ValueError as error:
            raise LeaveError(f"ERROR: {error}") from None
    if journal is not None:
        os.remove(journal)


def _refuse(options: Any) -> None:
    without = {
        "-v": options.folds is not None and options.search is None,
        "-C": options.search is not None,
        "-wi": bool(options.chosen.choices.class_weights),
        "--trace": options.trace_file is not None,
        "--report": options.report_file is not None,
        "--cache": options.cached,
        "--liblinear-model": options.liblinear_model,
        "--mpi": options.mpi,
    }
    for flag, is_given in without.items():
        if is_given:
            raise LeaveError(
                f"ERROR: {flag} is not for examples with several labels, as "
                f"{options.training_file} has"
            )


@contextmanager
def _crew_of(options: Any) -> Iterator[Any]:
    """What makes a crew of the workers that were asked for, or None."""
    if options.dask is None:
        yield None
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

    def trained(self) -> LabelModel:
        asked, chosen = self.options.labels, self.options.chosen
        weight: Any = 1.0 if asked.positive_weight is None else asked.positive_weight
        prune = asked.prune or 0.0
        if asked.thresholds == "cost":
            from rrmlinear.training.labels.thresholds import costs_by_folds

            weight = costs_by_folds(self.problem, chosen, weight, crew_of=self.crew_of)
        terms = LabelTerms(
            positive_weight=weight, prune=prune, known=self.known, journal=self.journal
        )
        model = solve_labels(self.problem, chosen, terms, self._see, self.crew_of)
        if asked.thresholds == "cv":
            from rrmlinear.training.labels.thresholds import thresholds_by_folds

            found = thresholds_by_folds(self.problem, chosen, weight, prune, crew_of=self.crew_of)
            of_name = dict(zip(self.problem.labels.names.tolist(), found.tolist(), strict=True))
            if self.known is not None and self.known.thresholds is not None:
                kept = self.known.thresholds.tolist()
                of_name |= dict(zip(self.known.names.tolist(), kept, strict=True))
            model = model.with_thresholds([of_name.get(name, 0.0) for name in model.names.tolist()])
        return model

    def _see(self, name: Any, end: Any) -> None:
        self.ended += 1
        now = time.perf_counter()
        if not self.options.quiet and now - self.last >= BETWEEN_LINES:
            self.last = now
            print(f"{self.ended} of {self.problem.labels.n_labels} labels", flush=True)

    def interrupted_sentence(self) -> str:
        """The sentence for Ctrl-C, with its place."""
        when = f"interrupted after {self.ended} of {self.problem.labels.n_labels} labels"
        if self.journal is None:
            return f"{when}; nothing was saved"
        return f"{when}, which {self.journal} keeps: the same command goes on from there"


def _summary(model: LabelModel) -> str:
    result = model.result
    assert result is not None
    gap = float(result.gap.sum())
    ended, k = int(result.ended.sum()), len(result.ended)
    return "\n".join(
        [
            f"{'solved' if result.solved else 'stopped'}, {ended} of {k} labels to a gap of "
            f"{result.tolerance:g} of their objective, {result.seconds:.4f} seconds: "
            f"{result.status.value}",
            f"primal = {float(result.primal.sum()):.9g}, dual = {float(result.dual.sum()):.9g}, "
            f"gap = {gap:.3e}, largest relative gap of a label = {result.relative_gap:.3e}",
            f"passes = {int(result.passes.max(initial=0))} at most, nonzeros = {model.weights.nnz}",
            *(f"note: {note}" for note in result.notes),
        ]
    )
