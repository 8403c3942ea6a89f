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
from rrmlinear.training.trained import TrainedModel

if TYPE_CHECKING:
    from rrmlinear.training.search import Trial

Data = Problem | SequenceProblem


def command_of(program: str, arguments: Sequence[str]) -> str:
    """The line that makes a page again."""
    import shlex

    return shlex.join(["python", "-m", f"rrmlinear.{program}", *arguments])


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

    ``command`` is told as what made it; ``warnings`` are those of reading.
    """

    path: str | None
    command: str
    warnings: Sequence[str]

    def of_model(self, model: TrainedModel, problem: Data, said: Sequence[str]) -> None:
        """The page of a training."""
        if self.path is None:
            return
        with page_errors(self.path):
            model.report(self.path, problem, command=self.command, warnings=[*self.warnings, *said])

    def of_search(
        self, trials: Sequence[Trial], best: Trial, chosen: Selection, problem: Data
    ) -> None:
        """The page of a search for C."""
        if self.path is None:
            return
        regression = chosen.kind == "regression"
        score = "mean squared error" if regression else chosen.loss_row.title or "accuracy"
        with_epsilon = best.epsilon is not None
        heads = ["C", *(["p"] if with_epsilon else []), score]
        rows = [
            [f"{t.cost:g}", *([f"{t.epsilon:g}"] if with_epsilon else []), f"{t.score:.6g}"]
            for t in trials
        ]
        title = f"Values of C tried; the best is {best.cost:g}"
        found = {"C": best.cost} | ({"epsilon": best.epsilon} if with_epsilon else {})
        self._of_table("Search for C", chosen, problem, title, heads, rows, found)

    def of_folds(self, folds: int, lines: str, chosen: Selection, problem: Data) -> None:
        """The page of a cross validation, whose results were printed as ``lines``."""
        rows = [
            line.removeprefix("Cross Validation ").split(" = ", 1) for line in lines.split("\n")
        ]
        heads = ("measure", "value")
        self._of_table(
            "Cross validation", chosen, problem, f"Examples of {folds} folds held out", heads, rows
        )

    def _of_table(
        self,
        title: str,
        chosen: Selection,
        problem: Data,
        name: str,
        heads: Sequence[str],
        rows: Sequence[Sequence[str]],
        found: Mapping[str, Any] | None = None,
    ) -> None:
        """``found`` are choices in place of those asked for."""
        if self.path is None:
            return
        from rrmlinear.pages.facts import facts_of
        from rrmlinear.pages.run import Run, Table
        from rrmlinear.pages.run_pages import write_run

        run = Run(
            f"{title}, {chosen.loss_row.name} loss",
            self.command,
            chosen.loss_row.name,
            replace(chosen.choices, **(found or {})),
            facts=facts_of(problem, chosen.kind == "regression"),
            warnings=self.warnings,
            tables=[Table(name, heads, rows)],
        )
        with page_errors(self.path):
            write_run(run, self.path)
