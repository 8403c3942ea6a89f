"""Labelled graphs trained, and the model that labels the nodes of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.chain_builders import graph_risk
from rrmlinear.catalog.selection import Selection
from rrmlinear.data.rows import Rows
from rrmlinear.data.sequences import SequenceProblem
from rrmlinear.risks.layouts.graphs._messages import Messages
from rrmlinear.risks.layouts.graphs.cliques import Cliques
from rrmlinear.solvers.loop.result import OnPass, Result
from rrmlinear.training.chains import sequence_costs

Array = NDArray[np.float64]
Graphs = Sequence[Sequence[Sequence[int]]]
Types = Sequence[Sequence[int]] | None


@dataclass(frozen=True, eq=False)
class GraphModel:
    """Weights of nodes, and a table of weights for each kind of clique: its type, or its size.

    A labelling y of a graph has the score Σ_t w_{y_t}'x_t + Σ_c T_c(y_c) over its cliques. Rows of
    nodes and results stand graph after graph; see `Cliques` for ``graphs`` and ``types``.
    """

    labels: NDArray[Any]
    weights: Array
    tables: Mapping[int, Array]
    n_features: int
    bias: float = -1.0

    def predict(
        self, rows: Rows, starts: NDArray[np.int64], graphs: Graphs, types: Types = None
    ) -> NDArray[Any]:
        """The label of each node, in the labelling of the highest score."""
        messages, nodes, tables, m = self._ready(rows, starts, graphs, types)
        found = np.empty(len(nodes), dtype=np.int32)
        messages.best(nodes, tables, found, np.empty(m), 0, m)
        return self.labels[found]

    def predict_marginals(
        self, rows: Rows, starts: NDArray[np.int64], graphs: Graphs, types: Types = None
    ) -> Array:
        """The probability of each label at each node, n × k, of labellings as likely as e^score."""
        messages, nodes, tables, m = self._ready(rows, starts, graphs, types)
        marginals = np.zeros_like(nodes)
        unused, ones = np.zeros_like(tables), np.ones(m)
        messages.sums(nodes, tables, 1.0, ones, marginals, unused, np.empty(m), 0, m)
        return marginals

    def _ready(
        self, rows: Rows, starts: NDArray[np.int64], graphs: Graphs, types: Types
    ) -> tuple[Messages, Array, Array, int]:
        """Messages, scores of nodes and of the tables, and the number of graphs."""
        cliques = Cliques(graphs, starts, len(self.labels), types)
        for kind, size in zip(cliques.kinds, cliques.tables, strict=True):
            if kind not in self.tables:
                word = f"{kind} nodes" if types is None else f"type {kind}"
                raise ValueError(f"cliques of {word} were in no graph of the training")
            if self.tables[kind].ndim != size:
                raise ValueError(
                    f"cliques of type {kind} have {size} nodes, and those of the training "
                    f"{self.tables[kind].ndim}"
                )
        parts = [self.tables[kind].ravel() for kind in cliques.kinds]
        nodes = rows.with_bias(self.bias).product(self.weights, self.n_features)
        return Messages(cliques), nodes, np.concatenate([*parts, np.zeros(0)]), len(starts) - 1


def solve_graphs(
    problem: SequenceProblem,
    graphs: Graphs,
    types: Types,
    chosen: Selection,
    on_pass: OnPass | None = None,
) -> tuple[GraphModel, Result]:
    """minimize Ω(W, T) + Σ_g C c_g φ_g(W, T) over graphs g with weights c_g.

    The sequences of the problem are the nodes of the graphs, one after the other. Raises
    ValueError for fewer than two labels and cliques of no decomposable graph.
    """
    rows, k = problem.rows, problem.n_labels
    if k < 2:
        raise ValueError(
            f"all {problem.n_positions} nodes have label {problem.labels[0]}: training takes at "
            "least two"
        )
    cliques = Cliques(graphs, problem.starts, k, types)
    costs = sequence_costs(problem, chosen.choices.C)
    risk = graph_risk(rows, problem.label, cliques, costs, chosen.loss, chosen.choices.threads)
    omega = chosen.regularizer.over(risk.shape)
    solver = chosen.solver_for(rows, problem.label, None, costs, omega, risk=risk)
    result = solver.solve(chosen.stopping, on_pass)
    nodes = rows.width * k
    tables = np.split(result.weights[nodes:], cliques.begins[1:-1])
    shaped = zip(cliques.kinds, cliques.tables, tables, strict=True)
    model = GraphModel(
        problem.labels,
        result.weights[:nodes].reshape(rows.width, k),
        {kind: table.reshape((k,) * size) for kind, size, table in shaped},
        problem.n_features,
        problem.bias,
    )
    return model, result
