"""F(w) = Σ c_g φ_g(w) over labelled graphs: conditional random fields and max-margin networks."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.risks.layouts.chains.chain_loss import LOG_LOSS, ChainLoss
from rrmlinear.risks.layouts.chains.chain_products import ChainProducts
from rrmlinear.risks.layouts.chains.chain_risk import ChainRisk
from rrmlinear.risks.layouts.graphs._messages import Messages
from rrmlinear.risks.layouts.graphs.cliques import Cliques

Array = NDArray[np.float64]


class GraphRisk(ChainRisk):
    """F(w) = Σ_g c_g φ_g(w) of m graphs with labelled nodes, φ a `ChainLoss`.

    ``rows`` has a row x_t for each of the n nodes of all graphs, ``label`` its true label
    0 … k − 1, ``costs`` a number for each graph. A labelling y of a graph has the score
    Σ_t w_{y_t}'x_t + Σ_c T_c(y_c) over its `Cliques`. Weights are those of nodes, as in a
    `ChainRisk`, and then the entries of the tables; so are scores and derivatives, with one number
    more. Graphs that are chains make it a `ChainRisk` of the same numbers, which is faster.
    """

    is_chain = False

    def __init__(
        self,
        rows: Rows,
        label: NDArray[np.int32],
        cliques: Cliques,
        costs: Array,
        threads: int = 1,
        loss: ChainLoss = LOG_LOSS,
        products: ChainProducts | None = None,
    ) -> None:
        super().__init__(rows, label, cliques.starts, cliques.k, costs, threads, loss, products)
        self.cliques, self.messages = cliques, Messages(cliques)
        self.n_tables = int(cliques.begins[-1])
        #: The derivatives of the truth, costs included.
        self.truth = np.zeros(self.n_scores)
        m = len(self.starts) - 1
        self.messages.add(label, costs, *self.split(self.truth, self.n), 0, m)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the weights."""
        return (self.rows.width * self.k + self.n_tables,)

    @property
    def n_scores(self) -> int:
        """The length of the arrays of scores and of derivatives."""
        return self.n * self.k + self.n_tables + 1

    def of_loss(self, loss: ChainLoss) -> GraphRisk:
        """The risk with another loss of the same data."""
        data = (self.rows, self.label, self.cliques, self.sequence_costs, self.threads)
        return GraphRisk(*data, loss, self.products)

    def split(self, array: Array, n_rows: int) -> tuple[Array, Array]:
        """(n_rows × k, the entries of tables): the parts of weights, scores or derivatives."""
        nodes = n_rows * self.k
        return array[:nodes].reshape(n_rows, self.k), array[nodes : nodes + self.n_tables]

    def diagonal(self) -> Array:
        """As in a `ChainRisk`: entries of a table of e entries have 1/e − 1/e² for each clique.

        That is less than the whole where labels of cliques depend on each other.
        """
        result = super().diagonal()[: self.rows.width * self.k]
        cliques, tables = self.cliques, np.zeros(self.n_tables)
        costs = np.repeat(self.sequence_costs, np.diff(cliques.clique_starts))
        costs /= self.loss.temperature or 1.0
        for begin, end in itertools.pairwise(cliques.begins):
            entries = int(end - begin)
            total = float(costs[cliques.table == begin].sum())
            tables[begin:end] = total * (1 / entries - 1 / entries**2)
        return np.concatenate((result, tables))

    def labels(self, w: Array) -> NDArray[np.int32]:
        """The labelling with the largest score, a number for each node."""
        labels, values = np.empty(self.n, dtype=np.int32), np.empty(len(self.starts) - 1)
        parts = self.split(self.scores(w), self.n)
        self.messages.best(*parts, labels, values, 0, len(values))
        return labels

    def marginals(self, w: Array) -> tuple[Array, Array]:
        """(n × k, log Z of each graph): the probabilities of labels, exp(score) / Z."""
        nodes, tables = self.split(self.scores(w), self.n)
        marginals, values = np.zeros_like(nodes), np.empty(len(self.starts) - 1)
        ones, of_tables = np.ones(len(values)), np.zeros(self.n_tables)
        self.messages.sums(nodes, tables, 1.0, ones, marginals, of_tables, values, 0, len(values))
        return marginals, values

    def total(self, scores: Array) -> float:
        """F."""
        return self.tangent(scores)[0]

    def tangent(self, scores: Array) -> tuple[float, Array]:
        """(F, its derivatives)."""
        nodes, tables = self.split(scores, self.n)
        nodes = nodes + self.loss.distance
        nodes[np.arange(self.n), self.label] -= self.loss.distance
        derivatives = np.zeros(self.n_scores)
        parts = self.parts.run(self._part, nodes, np.ascontiguousarray(tables), derivatives)
        of_tables = self.split(derivatives, self.n)[1]
        total = 0.0
        for value, more in parts:
            total += value
            of_tables += more
        derivatives -= self.truth
        total -= float(np.einsum("i,i->", self.truth, scores))
        derivatives[-1] = np.einsum("i,i->", derivatives, scores) - total
        return total, derivatives

    def _part(
        self, nodes: Array, tables: Array, derivatives: Array, part: int, begin: int, end: int
    ) -> tuple[float, Array]:
        """Σ c_g max or log Σ of some graphs, and the tables' derivatives; writes the nodes'."""
        of_nodes = self.split(derivatives, self.n)[0]
        of_tables, values = np.zeros(self.n_tables), np.zeros(len(self.starts) - 1)
        costs, tau = self.sequence_costs, self.loss.temperature
        if tau:
            all_of = (nodes, tables, tau, costs, of_nodes, of_tables, values)
            self.messages.sums(*all_of, begin, end)
        else:
            labels = np.empty(self.n, dtype=np.int32)
            self.messages.best(nodes, tables, labels, values, begin, end)
            self.messages.add(labels, costs, of_nodes, of_tables, begin, end)
        some: Any = slice(begin, end)
        return float(costs[some] @ values[some]), of_tables
