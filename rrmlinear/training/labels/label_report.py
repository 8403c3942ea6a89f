"""The pages about trainings on examples with any number of labels, and the facts of these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from rrmlinear.core.records import record
from rrmlinear.data.label_sets import MultilabelProblem
from rrmlinear.metrics import RANKS, counts_of, measures_of
from rrmlinear.pages import words
from rrmlinear.pages.page import Section, write_page
from rrmlinear.pages.pictures import scores_along
from rrmlinear.pages.run import Cell, Table, versions
from rrmlinear.training.labels.label_model import LabelModel

#: Labels that are listed one by one.
MOST_LABELS = 20
#: Bounds of relative gaps in the table of gaps.
BOUNDS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-6)


@record()
class LabelReport:
    """The page at a path; ``command`` made the model, ``said`` are warnings of reading."""

    path: str | PathLike[str]
    command: str
    problem: MultilabelProblem | None
    said: Sequence[str] = ()
    static: bool = False

    def of_model(self, model: LabelModel, measures: Sequence[Section]) -> None:
        """The page of a training, and of how well it predicts examples."""
        result = model.result
        assert result is not None
        gap, primal = result.gap, np.abs(result.primal)
        relative = np.divide(gap, primal, out=np.zeros_like(gap), where=primal > 0)
        lines = [
            ("labels", words.number(len(gap))),
            ("solved", words.number(int(result.ended.sum()))),
            ("tolerance", f"{result.tolerance:g}"),
            ("sum of primal values", f"{float(result.primal.sum()):.9g}"),
            ("sum of dual values", f"{float(result.dual.sum()):.9g}"),
            ("largest relative gap", f"{result.relative_gap:.3e}"),
            ("most passes", words.number(int(result.passes.max(initial=0)))),
            ("nonzero weights", words.number(model.weights.nnz)),
            ("seconds", f"{result.seconds:.4g}"),
        ]
        bounds = [(f"{b:g}", words.number(int((relative <= b).sum()))) for b in BOUNDS]
        worst = np.argsort(-relative, kind="stable")[:MOST_LABELS]
        rows = [
            (
                str(model.names[j]),
                words.number(int(model.counts[j])),
                words.number(int(result.passes[j])),
                f"{result.primal[j]:.6g}",
                f"{relative[j]:.3e}",
            )
            for j in worst.tolist()
        ]
        tables = [
            Table("Labels by their relative gap", ("gap at most", "labels"), bounds),
            Table(
                "Labels with the largest relative gaps",
                ("label", "rows", "passes", "primal", "relative gap"),
                rows,
            ),
        ]
        verdict = f"{'Solved' if result.solved else 'Not solved'}: {result.status.value} "
        verdict += f"(largest relative gap of a label {words.number(result.relative_gap)})."
        certificate = Section("Certificate", lines, tables=tables, warnings=list(result.notes))
        self._write("Training", [*measures, certificate], verdict, result.solved)

    def of_folds(self, folds: int, measures: Mapping[str, float]) -> None:
        """The page of a cross validation."""
        rows = [(name, f"{100 * value:.6g}%") for name, value in measures.items()]
        table = Table(f"Examples of {folds} folds held out", ("measure", "value"), rows)
        self._write("Cross validation", [Section("Measures", tables=[table])])

    def of_search(self, trials: Sequence[tuple[Any, Mapping[str, float]]], best: Any) -> None:
        """The page of a search for C."""
        names = list(trials[0][1])
        rows = [
            [
                Cell(text, "good" if trial.cost == best.cost else "")
                for text in (
                    f"{trial.cost:g}",
                    *(f"{100 * each:.6g}%" for each in measures.values()),
                )
            ]
            for trial, measures in trials
        ]
        table = Table(f"Values of C tried; the best is {best.cost:g}", ("C", *names), rows)
        costs = [trial.cost for trial, _ in trials]
        curves = {name: (costs, [found[name] for _, found in trials]) for name in names}
        picture = scores_along(curves, "C", "measure", best.cost)
        self._write("Search for C", [Section("Trials", pictures=[picture], tables=[table])])

    def _write(
        self, title: str, sections: Sequence[Section], verdict: str = "", solved: bool = True
    ) -> None:
        every = [
            *sections,
            *([] if self.problem is None else [Section("Data", label_lines(self.problem))]),
            Section("How it was made", [("command", self.command), *versions()]),
        ]
        name = f"{title}, each label against the rest"
        write_page(self.path, name, every, verdict, solved, self.said, self.static)


def label_quality(
    name: str, problem: MultilabelProblem, model: LabelModel, top_k: int | None = None
) -> Section:
    """How well a model predicts examples: measures, and those of the labels with most rows."""
    true = problem.labels.among(model.names)
    places = model.predict_top_k(problem, min(RANKS[-1], model.n_labels))[0]
    predicted = model.predict(problem, top_k)
    found = measures_of(true, places, predicted)
    predicted.resize((true.n_rows, true.n_labels))
    counts = np.array(counts_of(true, predicted))
    most = np.argsort(-counts[0], kind="stable")[:MOST_LABELS]
    rows = []
    for label, (of_label, told, both) in zip(true.names[most], counts.T[most], strict=True):
        parts = both / max(told, 1), both / max(of_label, 1), 2 * both / max(told + of_label, 1)
        shown = (f"{part:.4f}" for part in parts)
        rows.append((str(label), words.number(of_label), words.number(told), *shown))
    heads = ("label", "rows", "predicted", "precision", "recall", "F1")
    lines = [(name, f"{100 * value:.4g}%") for name, value in found.items()]
    return Section(name, lines, tables=[Table("Labels with most rows", heads, rows)])


def label_lines(problem: MultilabelProblem) -> list[tuple[str, str]]:
    """The facts of a data set, each with its name."""
    number, labels = words.number, problem.labels
    n, d = problem.rows.shape
    counts = labels.counts
    has_label = np.zeros(n, dtype=bool)
    has_label[labels.members] = True
    stored = problem.rows.lengths()
    positives = counts[counts > 0]
    lines = [
        ("rows", number(n)),
        ("features", number(d)),
        (
            "stored values",
            f"{number(stored.sum())}, {stored.sum() / max(n * d, 1):.3%} of the matrix",
        ),
        ("labels", number(len(counts))),
        ("labels a row, mean", f"{counts.sum() / n:.3g}"),
    ]
    if len(positives):
        spread = f"{number(np.median(positives))}, from {number(positives.min())}"
        lines.append(("rows of a label, median", f"{spread} to {number(positives.max())}"))
    if len(positives) < len(counts):
        lines.append(("labels without rows", number(len(counts) - len(positives))))
    lines.append(("rows without labels", number(n - has_label.sum())))
    lines.append(("rows without features", number((stored == 0).sum())))
    return lines
