"""A model with its training: what was asked, the certificate, and a page about them."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

from rrmlinear.catalog.choices import Choices
from rrmlinear.catalog.losses import loss_row
from rrmlinear.core.records import record
from rrmlinear.data.problem import Problem
from rrmlinear.data.sequences import SequenceProblem
from rrmlinear.solvers.loop.result import Result
from rrmlinear.training.stored import StoredModel


@record()
class TrainedModel(StoredModel):
    """A `StoredModel` with the parameter and the result of its training.

    A loaded model has neither.
    """

    parameter: Choices | None = None
    result: Result | None = None

    def report(
        self,
        path: str | PathLike[str],
        problem: Problem | SequenceProblem | None = None,
        *,
        feature_names: Sequence[str] | None = None,
        title: str | None = None,
        command: str = "",
        warnings: Sequence[str] = (),
    ) -> None:
        """Write a page about the training, one HTML file that needs no network.

        The page has the problem, the certificate with its trace, and the largest weights. With
        ``problem``, the training data, it also has facts of the data. ``feature_names`` has a name
        for each feature. ``command`` is told as what made the model.

        Raises ImportError without plotly and Jinja2 (the extra ``report``), and ValueError for a
        loaded model and for a wrong number of names.
        """
        from rrmlinear.pages.duals import DualCounts
        from rrmlinear.pages.facts import facts_of
        from rrmlinear.pages.run import Run
        from rrmlinear.pages.run_pages import write_run

        if self.result is None or self.parameter is None or self.loss is None:
            raise ValueError("a model that was loaded has no trace to report: train it")
        check_names(feature_names, self.n_features)
        numbers = loss_row(self.loss).kind == "regression"
        run = Run(
            title or f"{self.solver_name}, {self.loss} loss",
            command or repr(self.parameter),
            self.loss,
            self.parameter,
            self.weights[: self.n_features],
            self._columns(),
            self.result,
            duals=DualCounts.of(self.result.duals),
            facts=None if problem is None else facts_of(problem, numbers),
            feature_names=feature_names,
            warnings=warnings,
        )
        write_run(run, path)

    def _columns(self) -> list[str]:
        """Names of the columns of weights."""
        if self.is_regression:
            return ["prediction"]
        if self.weights.shape[1] == 1:
            return [f"label {self.labels[0]} against {self.labels[1]}"]
        return [f"label {label}" for label in self.labels.tolist()]


def check_names(names: Sequence[str] | None, n_features: int) -> None:
    """Raise ValueError unless there is a name for each feature, or none at all."""
    if names is not None and len(names) != n_features:
        raise ValueError(f"feature_names has {len(names)} names, and there are {n_features}")
