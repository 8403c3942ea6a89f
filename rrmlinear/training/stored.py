"""A model: weights, labels, the names of solver and loss, and its training with a page about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.choices import Choices
from rrmlinear.catalog.losses import CONCORDANCE, ORDER_LOSSES, loss_row
from rrmlinear.core.plain_state import PlainState
from rrmlinear.core.records import record
from rrmlinear.data.problem import Problem
from rrmlinear.data.sequences import SequenceProblem
from rrmlinear.solvers.loop.result import Result

if TYPE_CHECKING:
    from rrmlinear.pages.facts import DataFacts
    from rrmlinear.pages.run import Predictions


@record()
class StoredModel(PlainState):
    """A linear model of scores x'W.

    ``weights`` is (d + 1 with a bias, else d) × m. There are three kinds of models:

    - A model without labels is a regression. Its one score is the prediction.
    - A model with one column has two labels. A score above 0 means the first label, any other score
      the second.
    - Else the columns are in the order of ``labels``. The class of x is the first with the largest
      score; of two classes the second where their scores are equal. LIBLINEAR's type of two columns
      has the first class where its score is above 0.

    A one-class model has the labels 1 and −1. Its score is x'w − ``rho``, and so is the score of a
    model of a measure that ranks. Labels are in the order of first appearance in the training data.
    The larger label is the first one for a measure.

    A model of sequences has ``transitions``, k × k: row i and column j have the weight of label j
    after label i. With features of edges it has ``edge_weights``, such a matrix for each feature. A
    model of graphs has ``tables`` by the type or size of cliques, k × … × k, an axis for each node.

    ``numbers`` are the parameters of a measure, such as its β.

    ``bias`` is the value of the appended column, negative for none. ``loss`` is the name of the
    training loss, if known. A loaded model has neither the ``parameter`` nor the ``result`` of its
    training.
    """

    solver_name: str
    labels: NDArray[np.int64]
    weights: NDArray[np.float64]
    n_features: int
    bias: float = -1.0
    loss: str | None = None
    rho: float | None = None
    transitions: NDArray[np.float64] | None = None
    numbers: Mapping[str, float] = field(default_factory=dict)
    edge_weights: NDArray[np.float64] | None = None
    tables: Mapping[int, NDArray[np.float64]] | None = None
    #: The words that labels stand for, in their order, and the names of the features.
    label_names: Sequence[str] | None = None
    feature_names: Sequence[str] | None = None
    #: The levels of several quantiles, which have a column of weights each.
    levels: Sequence[float] | None = None
    parameter: Choices | None = None
    result: Result | None = None

    @property
    def is_regression(self) -> bool:
        """Whether predictions are numbers, not labels."""
        return len(self.labels) == 0

    @property
    def structure(self) -> str:
        """Words on what is labelled, or on several quantiles."""
        if self.levels is not None:
            return "of several quantiles"
        of_graphs = self.tables is not None
        return "of graphs, with tables" if of_graphs else "of sequences, with transitions"

    @property
    def read_by(self) -> str:
        """The method that reads such a model file."""
        if self.tables is not None:
            return "GraphModel.load"
        return "Model.load" if self.transitions is None else "ChainModel.load"

    @property
    def rows_behind(self) -> list[NDArray[np.float64]] | None:
        """The rows of k weights behind those of features in a file: of transitions and edges, or of
        tables; None for a model of examples.
        """
        k = len(self.labels)
        if self.tables is not None:
            return [self.tables[kind].reshape(-1, k) for kind in sorted(self.tables)]
        if self.transitions is None:
            return None
        return [self.transitions, *([] if self.edge_weights is None else self.edge_weights)]

    def lines_behind(self, n_lines: int) -> list[str]:
        """The header's lines on these rows, which stand in ``n_lines`` lines with the others."""
        lines = []
        if self.tables is not None:
            kinds = (f" {kind}:{self.tables[kind].ndim}" for kind in sorted(self.tables))
            lines = ["tables" + "".join(kinds)]
        elif self.transitions is not None:
            edges = 0 if self.edge_weights is None else len(self.edge_weights)
            lines = [f"transitions {len(self.transitions)}", f"edge_features {edges}"]
        return [*lines, f"lines {n_lines}"] if lines else []

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


def shaped_tables(
    rows: NDArray[np.float64], sizes: Mapping[int, int]
) -> dict[int, NDArray[np.float64]]:
    """The tables of these sizes by type, from rows of k weights, one table behind the other."""
    k, begin = rows.shape[1], 0
    tables = {}
    for kind, size in sizes.items():
        end = begin + k ** (size - 1)
        tables[kind] = rows[begin:end].reshape((k,) * size)
        begin = end
    return tables
