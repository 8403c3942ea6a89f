"""Labelled graphs trained, and the model that labels the nodes of others."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.errors import ChoiceError, Named
from rrmlinear.catalog.parameter import Parameter
from rrmlinear.catalog.selection import Selection, select
from rrmlinear.core.records import record
from rrmlinear.core.warned import warn_caller
from rrmlinear.data.graphs import GraphProblem
from rrmlinear.data.problem import check_kind
from rrmlinear.risks.layouts.graphs._messages import Messages
from rrmlinear.risks.layouts.graphs.cliques import Cliques
from rrmlinear.risks.layouts.graphs.graph_risk import GraphRisk
from rrmlinear.solvers.loop.result import OnPass, Result
from rrmlinear.training.chains import COLUMNS, check_sequences, sequence_costs
from rrmlinear.training.fit import NotSolvedWarning
from rrmlinear.training.labelling_model import LabellingModel, in_parts
from rrmlinear.training.model_files.header import ModelFileError
from rrmlinear.training.model_files.reading import load_model
from rrmlinear.training.stored import shaped_tables

Array = NDArray[np.float64]


@record()
class GraphModel(LabellingModel):
    """A `StoredModel` with tables of cliques, which labels the nodes of graphs; else as `Model`.

    A labelling y of a graph has the score Σ_t w_{y_t}'x_t + Σ_c T_c(y_c) over its cliques, T_c the
    one of ``tables`` with its type, or its size where cliques have no types. Graphs are given as a
    `GraphProblem`, whose labels do not count, or as a list as `GraphProblem.from_lists` takes it.
    Results stand node after node, graph after graph; `GraphProblem.split` cuts them.

    Examples
    --------
    >>> import numpy as np
    >>> from rrmlinear import GraphProblem, Parameter, fit_graphs
    >>> star = [(0, 1), (0, 2), (0, 3)]
    >>> X = [(np.array([[s], [0], [0], [0]]), star) for s in (1.0, -1.0)]
    >>> problem = GraphProblem.from_lists(X, [[1, 2, 2, 2], [3, 4, 4, 4]])
    >>> model = fit_graphs(problem, Parameter(loss="crf", C=10.0))
    >>> [part.tolist() for part in problem.split(model.predict(X))]
    [[1, 2, 2, 2], [3, 4, 4, 4]]
    """

    def predict(self, X: Any, threads: int = 1) -> NDArray[Any]:
        """The label of each node, in the labelling of the highest score.

        Raises ValueError for cliques of types, or sizes, that were in no graph of the training.
        """
        given, messages, tables = self._ready(X)
        found = np.empty(given.rows.shape[0], dtype=np.int32)
        values = np.empty(given.n_sequences)

        def some(nodes: Array, first: int, last: int) -> None:
            messages.best(nodes, tables, found, values, first, last)

        self._in_parts(given, threads, some)
        return self.labels[found]

    def predict_marginals(self, X: Any, threads: int = 1) -> Array:
        """The probability of each label at each node, n × k, of labellings as likely as e^score.

        Raises ValueError as `predict` does, and for losses whose scores are no likelihoods.
        """
        self.check_marginals()
        given, messages, tables = self._ready(X)
        marginals = np.zeros((given.rows.shape[0], len(self.labels)))
        values, ones = np.empty(given.n_sequences), np.ones(given.n_sequences)

        def some(nodes: Array, first: int, last: int) -> None:
            unused = np.zeros_like(tables)
            messages.sums(nodes, tables, 1.0, ones, marginals, unused, values, first, last)

        self._in_parts(given, threads, some)
        return marginals

    def _in_parts(
        self, given: GraphProblem, threads: int, some: Callable[[Array, int, int], None]
    ) -> None:
        """Call some(scores of nodes, first, last) for the graphs in parts, by threads."""
        starts = given.starts
        nodes = np.empty((given.rows.shape[0], len(self.labels)))

        def part(first: int, last: int) -> None:
            begin, end = int(starts[first]), int(starts[last])
            nodes[begin:end] = self._nodes(given.rows.between(begin, end))
            some(nodes, first, last)

        in_parts(starts, threads, threads, part)

    def _ready(self, X: Any) -> tuple[GraphProblem, Messages, Array]:
        """The graphs, messages between their cliques, and scores of the tables."""
        given = self._by_names(X if isinstance(X, GraphProblem) else GraphProblem.unlabelled(X))
        cliques = _cliques(given, len(self.labels))
        known = self.tables or {}
        for kind, size in zip(cliques.kinds, cliques.tables, strict=True):
            if kind not in known:
                word = f"{kind} nodes" if given.types is None else f"type {kind}"
                raise ValueError(f"cliques of {word} were in no graph of the training")
            if known[kind].ndim != size:
                raise ValueError(
                    f"cliques of type {kind} have {size} nodes, and those of the training "
                    f"{known[kind].ndim}"
                )
        parts = [known[kind].ravel() for kind in cliques.kinds]
        return given, Messages(cliques), np.concatenate([*parts, np.zeros(0)])

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model file, checking all of it; ModelFileError for one without tables."""
        stored = load_model(path)
        if stored.tables is None:
            raise ModelFileError(f"{path} has no tables of cliques; {stored.read_by} reads it")
        return cls(**vars(stored))


def fit_graphs(
    problem: GraphProblem, parameter: Parameter, on_pass: OnPass | None = None
) -> GraphModel:
    """minimize Ω(W, T) + Σ_g C c_g φ_g(W, T) over graphs g with weights c_g.

    ``parameter`` names the loss φ, "crf" or "m3n", and the regularizer Ω, by default ½‖W‖² + ½‖T‖².
    W has a column of weights for each label. T has a table for each type of cliques, or for each
    size if cliques have no types. A table has a weight for each labelling of a clique.

    ``on_pass``, the result and errors are as in `rrmlinear.fit`; ValueError too for cliques of no
    decomposable graph.
    """
    check_kind("fit_graphs", problem, GraphProblem, "GraphProblem.from_lists(X, y)")
    return fit_selected_graphs(problem, select(parameter), on_pass)


def fit_selected_graphs(
    problem: GraphProblem, chosen: Selection, on_pass: OnPass | None = None
) -> GraphModel:
    """`fit_graphs` with a `Selection`."""
    model, result = solve_graphs(problem, chosen, on_pass)
    if not result.ended:
        warn_caller(result.shortfall(), NotSolvedWarning)
    return model


def solve_graphs(
    problem: GraphProblem, chosen: Selection, on_pass: OnPass | None = None
) -> tuple[GraphModel, Result]:
    """`fit_selected_graphs`, without the warning that the tolerance was not reached.

    Raises ChoiceError for choices of columns, which graphs do not have.
    """
    check_sequences(problem, chosen, "nodes")
    for name in (*COLUMNS, "observed"):
        if getattr(chosen.choices, name) is not None:
            value = getattr(chosen.choices, name)
            raise ChoiceError(Named(name), " is not for graphs", field=name, value=value)
    rows, k = problem.rows, problem.n_labels
    cliques = _cliques(problem, k)
    costs = sequence_costs(problem, chosen.choices.C)
    risk = GraphRisk(rows, problem.label, cliques, costs, chosen.choices.threads, chosen.loss)
    omega = chosen.regularizer.over(risk.shape)
    solver = chosen.solver_for(rows, problem.label, None, costs, omega, risk=risk)
    result = solver.solve(chosen.stopping, on_pass)
    nodes = rows.width * k
    sizes = dict(zip(cliques.kinds, cliques.tables, strict=True))
    model = GraphModel(
        solver_name=chosen.solver.name,
        labels=problem.labels,
        weights=result.weights[:nodes].reshape(rows.width, k),
        n_features=problem.n_features,
        bias=problem.bias,
        loss=chosen.loss_row.name,
        tables=shaped_tables(result.weights[nodes:].reshape(-1, k), sizes),
        feature_names=problem.feature_names,
        parameter=chosen.choices,
        result=result,
    )
    return model, result


def _cliques(problem: GraphProblem, k: int) -> Cliques:
    return Cliques(problem.cliques, problem.starts, k, problem.types, problem.names)
