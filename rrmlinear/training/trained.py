"""A model with its training: what was asked, the certificate, and a page about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.choices import Choices
from rrmlinear.catalog.losses import CONCORDANCE, ORDER_LOSSES, loss_row
from rrmlinear.core.records import record
from rrmlinear.data.problem import Problem
from rrmlinear.data.sequences import SequenceProblem
from rrmlinear.solvers.loop.result import Result
from rrmlinear.training.stored import StoredModel

if TYPE_CHECKING:
    from rrmlinear.pages.facts import DataFacts
    from rrmlinear.pages.run import Predictions


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
        test: Problem | SequenceProblem | None = None,
        *,
        feature_names: Sequence[str] | None = None,
        title: str | None = None,
        command: str = "",
        warnings: Sequence[str] = (),
        static: bool = False,
    ) -> None:
        """Write a page about the training, one HTML file that needs no network.

        The page has the problem, the certificate with its trace, and the largest weights. With
        ``problem``, the training data, it also has facts of the data. It says how well the model
        predicts these data, and those of ``test``. ``feature_names`` has a name for each feature,
        by default those of the data. ``command`` is shown as what made the model. A ``static`` page
        has no script, pictures in SVG, and at most some 300 kB in place of 5 MB.

        Raises ImportError without the packages of the extra ``report``, and ValueError for a
        loaded model and for a wrong number of names.
        """
        from rrmlinear.pages.run import Run
        from rrmlinear.pages.run_pages import write_run
        from rrmlinear.pages.traces import DualCounts
        from rrmlinear.pages.words import title as title_of

        if self.result is None or self.parameter is None or self.loss is None:
            raise ValueError("a model that was loaded has no trace to report: train it")
        feature_names = self.feature_names if feature_names is None else feature_names
        check_names(feature_names, self.n_features)
        row = loss_row(self.loss)
        given = {"training data": problem, "test data": test}
        run = Run(
            title or title_of(self.loss, self.parameter, 0 if row.threshold else len(self.labels)),
            command or repr(self.parameter),
            self.loss,
            self.parameter,
            self.weights[: self.n_features],
            self._columns(),
            self.result,
            duals=DualCounts.of(self.result.duals),
            facts=self._facts(problem),
            feature_names=feature_names,
            warnings=warnings,
            measured=[
                self._measured(name, data) for name, data in given.items() if data is not None
            ],
            static=static,
        )
        write_run(run, path)

    def _facts(self, problem: Problem | SequenceProblem | None) -> DataFacts | None:
        from rrmlinear.pages.facts import facts_of

        if problem is None or self.loss is None:
            return None
        facts = facts_of(problem, loss_row(self.loss).kind == "regression")
        is_cox = loss_row(self.loss).title == CONCORDANCE
        return replace(facts, groups_are="strata") if is_cox else facts

    def _measured(self, name: str, problem: Problem | SequenceProblem) -> Predictions:
        """Predictions of examples, with their labels."""
        from rrmlinear.pages.run import Predictions

        model: Any = self
        if self.loss is not None and self.loss in ORDER_LOSSES:
            from rrmlinear.training.order_measures import order_predictions

            data: Any = problem
            given = data.labels, model.decision_function(data), data.query_ids
            return order_predictions(name, self.loss, *given)
        predicted: NDArray[Any] = model.predict(problem)
        if isinstance(problem, SequenceProblem):
            return Predictions(name, predicted, problem.labels[problem.label], self.labels)
        if self.is_regression:
            return Predictions(name, predicted, problem.labels)
        scores = model.decision_function(problem)
        if self.rho is not None:
            return Predictions(name, predicted, scores=scores)
        if self.label_names is not None and problem.label_names is not None:
            true = np.array(problem.label_names)[problem.labels.astype(np.int64) - 1]
            labels = np.array(self.label_names)
            return Predictions(name, predicted, true, labels, scores, positive=0)
        predicted, true = model.predict_numbers(problem), problem.labels
        if (true == true.astype(np.int64)).all():
            true = true.astype(np.int64)
        return Predictions(name, predicted, true, self.labels, scores, positive=0)

    def _columns(self) -> list[str]:
        """Names of the columns of weights."""
        if self.is_regression:
            return ["prediction"]
        names = self.labels.tolist() if self.label_names is None else self.label_names
        if self.weights.shape[1] < len(names):
            return [f"label {names[0]} against {names[1]}"]
        return [f"label {name}" for name in names]


def check_names(names: Sequence[str] | None, n_features: int) -> None:
    """Raise ValueError unless there is a name for each feature, or none at all."""
    if names is not None and len(names) != n_features:
        raise ValueError(f"feature_names has {len(names)} names, and there are {n_features}")
