"""The pages that the commands write. What makes them is imported where one is asked for."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rrmlinear.catalog.selection import Selection
from rrmlinear.cli.files import blaming, check_output
from rrmlinear.cli.leaving import LeaveError
from rrmlinear.core.records import record
from rrmlinear.data.problem import Problem
from rrmlinear.data.sequences import SequenceProblem
from rrmlinear.training.stored import StoredModel

if TYPE_CHECKING:
    from rrmlinear.pages.run import Table
    from rrmlinear.training.search import Trial

Data = Problem | SequenceProblem


def command_of(program: str, arguments: Sequence[str]) -> str:
    """The line that makes a page again."""
    import shlex

    return shlex.join(["python", "-m", "rrmlinear", program, *arguments])


def check_page(path: str) -> None:
    """End the command where a page cannot be made or written."""
    from rrmlinear.pages.page import check_available

    try:
        check_available()
    except ImportError as error:
        raise LeaveError(f"ERROR: {error}") from None
    check_output(path, "can't write report file")


@contextmanager
def page_errors(path: str) -> Iterator[None]:
    """End the command with a sentence where this page cannot be written."""
    with blaming(f"can't write report file {path}"):
        yield


def messages(said: Sequence[warnings.WarningMessage]) -> list[str]:
    """The sentences of warnings."""
    return [str(warning.message) for warning in said]


@record(eq=True)
class Report:
    """The page that `train --report` writes, none where ``path`` is None.

    ``command`` is shown as what made it; ``warnings`` are those of reading. ``test`` are examples
    that the model is tried on.
    """

    path: str | None
    command: str
    warnings: Sequence[str]
    static: bool = False
    test: Data | None = None

    def of_model(self, model: StoredModel, problem: Data, said: Sequence[str]) -> None:
        """The page of a training."""
        if self.path is None:
            return
        told: Any = {"command": self.command, "warnings": [*self.warnings, *said]}
        with page_errors(self.path):
            model.report(self.path, problem, self.test, **told, static=self.static)

    def of_search(
        self, trials: Sequence[Trial], best: Trial, chosen: Selection, problem: Data
    ) -> None:
        """The page of a search for C."""
        if self.path is None:
            return
        from rrmlinear.pages.canvas import MOST_CURVES
        from rrmlinear.pages.pictures import scores_along
        from rrmlinear.pages.run import Cell, Table
        from rrmlinear.training.search import scores_by_error

        regression = scores_by_error(chosen)
        score = "mean squared error" if regression else chosen.loss_row.title or "accuracy"
        with_epsilon = best.epsilon is not None
        heads = ["C", *(["p"] if with_epsilon else []), score]
        told = [
            [f"{t.cost:g}", *([f"{t.epsilon:g}"] if with_epsilon else []), f"{t.score:.6g}"]
            for t in trials
        ]
        is_best = [(t.cost, t.epsilon) == (best.cost, best.epsilon) for t in trials]
        rows = [
            [Cell(text, "good" if marked else "") for text in row]
            for row, marked in zip(told, is_best, strict=True)
        ]
        curves: dict[str, tuple[list[float], list[float]]] = {}
        for trial in trials:
            name = "" if trial.epsilon is None else f"p = {trial.epsilon:.3g}"
            costs, scores = curves.setdefault(name, ([], []))
            costs.append(trial.cost)
            scores.append(trial.score)
        sign = 1 if regression else -1
        shown = dict(sorted(curves.items(), key=lambda item: min(sign * s for s in item[1][1])))
        few = {name: shown[name] for name in list(shown)[:MOST_CURVES]}
        pictures = [scores_along(few, "C", score, best.cost)]
        title = f"Values of C tried; the best is {best.cost:g}"
        found = {"C": best.cost} | ({"epsilon": best.epsilon} if with_epsilon else {})
        table = Table(title, heads, rows)
        self._of_table("Search for C", chosen, problem, table, pictures, found)

    def of_folds(self, folds: int, lines: str, chosen: Selection, problem: Data) -> None:
        """The page of a cross validation, whose results were printed as ``lines``."""
        from rrmlinear.pages.run import Table

        rows = [
            line.removeprefix("Cross Validation ").split(" = ", 1) for line in lines.split("\n")
        ]
        table = Table(f"Examples of {folds} folds held out", ("measure", "value"), rows)
        self._of_table("Cross validation", chosen, problem, table)

    def _of_table(
        self,
        title: str,
        chosen: Selection,
        problem: Data,
        table: Table,
        pictures: Sequence[Any] = (),
        found: Mapping[str, Any] | None = None,
    ) -> None:
        """``found`` are choices in place of those asked for."""
        if self.path is None:
            return
        from rrmlinear.pages import words
        from rrmlinear.pages.facts import facts_of
        from rrmlinear.pages.run import Run
        from rrmlinear.pages.run_pages import write_run

        loss, choices = chosen.loss_row.name, replace(chosen.choices, **(found or {}))
        facts = facts_of(problem, chosen.kind == "regression")
        n_classes = 0 if facts.labels is None or chosen.loss_row.threshold else len(facts.labels)
        run = Run(
            f"{title}: {words.title(loss, choices, n_classes)}",
            self.command,
            loss,
            choices,
            facts=facts,
            warnings=self.warnings,
            tables=[table],
            pictures=pictures,
            static=self.static,
        )
        with page_errors(self.path):
            write_run(run, self.path)
