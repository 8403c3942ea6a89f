"""The structured hinge of chains over the marginals of their edges, for prox steps of duals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.projections.marginals import chain_marginals
from rrmlinear.risks.base import Evaluation, Risk
from rrmlinear.risks.layouts.chains.chain_loss import STRUCTURED_HINGE
from rrmlinear.risks.layouts.chains.chain_products import ChainProducts
from rrmlinear.risks.layouts.chains.chain_risk import ChainRisk

Array = NDArray[np.float64]

# Sums of marginals may be off by this much: the accuracy of the projection, and rounding of means.
MARGINAL_ROUNDING = 1e-7
# How far the sums of a step's marginals may be off: weights are off by its root, and with 1e-10
# Pragam stands at a relative gap of 1e-5.
STEP_ACCURACY = 1e-12


class EdgeRows(NamedTuple):
    """Entries of edges in the place of rows, for the guesses of solvers."""

    shape: tuple[int, int]
    norms: Array
    #: They are no rows over columns of weights.
    width: int = 0

    def squared_norms(self) -> Array:
        """The squared features of each entry."""
        return self.norms

    def largest_square(self) -> float:
        """The largest of them."""
        return float(self.norms.max(initial=0))


class EdgeLoss(NamedTuple):
    """The numbers of the hinge for solvers: the largest ‖α‖ of an edge is √2."""

    smoothing: float = 0.0
    differentiable: bool = False
    lipschitz: float = 2.0**0.5


class EdgeMarginalsRisk(Risk):
    """F(w) = Σ_s c_s max_y [distance(y, y_s) + score(y) − score(y_s)] of the sequences of a chain.

    Scores, derivatives and duals have k² numbers for each edge (t, t + 1), for the labels of its
    two positions, end to end; ``costs`` are those of their sequence. The score of a position is in
    the edge that it begins, that of the last one in the edge that it ends. A sequence of one
    position has an edge to a partner that counts for nothing. α = truth − p, p the marginals of a
    distribution over labellings; F*(−α) is minus the mean distance. A dual step is the projection
    on the marginals, `chain_marginals`, which takes some milliseconds a sequence. So this risk is
    for small sets, and for comparisons of solvers with prox steps of duals: Pragam, and AGM-EF on
    the dual. Raises ValueError for a chain with another loss.

    Source: Zhang, Saha and Vishwanathan, Lower Bounds for BMRM and Faster Rates for Training SVMs,
    appendices E.1 and E.3.
    """

    def __init__(self, chain: ChainRisk) -> None:
        if chain.loss != STRUCTURED_HINGE:
            raise ValueError("steps on marginals take the structured hinge, without smoothing")
        self.chain, self.k, self.loss = chain, chain.k, EdgeLoss()
        lengths = np.diff(chain.starts)
        edges = np.maximum(lengths - 1, 1)
        ends = np.cumsum(edges)
        #: Edges of each sequence begin here.
        self.begins = np.concatenate(([0], ends))
        #: The first position of each edge, and whether its second one is the last, or a partner.
        offsets = np.arange(ends[-1]) - np.repeat(ends - edges, edges)
        self.first = np.repeat(chain.starts[:-1], edges) + offsets
        self.last = np.zeros(len(self.first), dtype=bool)
        self.last[ends - 1] = lengths > 1
        self.alone = np.repeat(lengths == 1, edges)
        self.costs = np.repeat(np.repeat(chain.sequence_costs, edges), chain.k**2)
        #: The length of arrays of scores, derivatives and duals.
        self.n_scores = len(self.costs)
        second = np.where(self.alone, self.first, self.first + 1)
        label, k = chain.label, self.k
        own = np.where(self.alone, 0, label[second])
        truth = np.zeros((len(self.first), k * k))
        truth[np.arange(len(self.first)), label[self.first] * k + own] = 1
        self.truth = truth.ravel()
        #: The distance that each entry of an edge adds.
        wrong = np.ones((chain.n, k))
        wrong[np.arange(chain.n), label] = 0
        self.distance = self._spread(wrong, np.zeros((k, k)))
        squares = chain.rows.squared_norms()
        norms = squares[self.first] + 1 + np.where(self.last, squares[second], 0)
        self.products = None if chain.edges is None else ChainProducts(chain.edges, k * k)
        if chain.edges is not None:
            norms[~self.alone] += chain.edges.squared_norms()
        self.rows = EdgeRows((self.n_scores, chain.rows.width), np.repeat(norms, k * k))

    @property
    def terms(self) -> EdgeMarginalsRisk:
        """The object with sums over sequences as functions of the scores: this one."""
        return self

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the weights: those of the chain."""
        return self.chain.shape

    @property
    def lipschitz(self) -> float:
        """The largest |α| of a score."""
        return 1.0

    def _spread(self, nodes: Array, pairs: Array) -> Array:
        k, second = self.k, np.minimum(self.first + 1, self.chain.n - 1)
        tables = np.repeat(nodes[self.first, :, np.newaxis], k, axis=2)
        tables += np.where(self.last[:, np.newaxis], nodes[second], 0)[:, np.newaxis]
        tables += np.where(self.alone[:, np.newaxis, np.newaxis], 0, pairs)
        return tables.ravel()

    def scores(self, w: Array) -> Array:
        """Scores of the entries of edges."""
        chain = self.chain
        nodes, pairs = chain.split(chain.scores(w.ravel()), chain.n)
        if self.products is None:
            return self._spread(nodes, pairs)
        k = self.k
        each = np.zeros((len(self.first), k, k))
        of_features = np.empty((int(np.count_nonzero(~self.alone)), k * k))
        self.products.times(pairs[k:].reshape(-1, k * k), of_features)
        each[~self.alone] = pairs[:k] + of_features.reshape(-1, k, k)
        return self._spread(nodes, each)

    def gradient(self, derivatives: Array) -> Array:
        """Σ c_s times the derivatives, as weights."""
        chain, k = self.chain, self.k
        tables = (self.costs * derivatives).reshape(-1, k, k)
        whole = np.zeros(chain.n_scores)
        nodes, pairs = chain.split(whole, chain.n)
        nodes[self.first] = tables.sum(axis=2)
        nodes[self.first[self.last] + 1] = tables[self.last].sum(axis=1)
        pairs[:k] = tables[~self.alone].sum(axis=0)
        if self.products is not None:
            of_features = pairs[k:].reshape(-1, k * k)
            self.products.gradient(tables[~self.alone].reshape(-1, k * k), of_features)
        return chain.gradient(whole)

    def at(self, scores: Array, warm: Any = None) -> Evaluation:
        """F at these scores."""
        return Evaluation(self, self, scores)

    def total(self, scores: Array) -> float:
        """F."""
        return self.tangent(scores)[0]

    def derivatives(self, scores: Array) -> Array:
        """The entries of the best labelling less those of the truth."""
        return self.tangent(scores)[1]

    def _each(self) -> Iterator[tuple[int, int]]:
        """The first edge of each sequence, and the one behind its last."""
        return zip(self.begins[:-1], self.begins[1:], strict=True)

    def tangent(self, scores: Array) -> tuple[float, Array]:
        """(F, its derivatives over costs): the best labellings by dynamic programming."""
        tables = (scores + self.distance).reshape(-1, self.k, self.k)
        found = np.zeros_like(tables)
        for begin, end in self._each():
            ahead = np.zeros((end - begin + 1, self.k))
            for e in range(end - 1, begin - 1, -1):
                ahead[e - begin] = (tables[e] + ahead[e - begin + 1]).max(axis=1)
            label = int(ahead[0].argmax())
            for e in range(begin, end):
                following = int((tables[e, label] + ahead[e - begin + 1]).argmax())
                found[e, label, following] = 1
                label = following
        change = found.ravel() - self.truth
        value = weighted(self.costs, change, scores)
        return value + weighted(self.costs, found.ravel(), self.distance), change

    def conjugate(self, alphas: Array) -> float:
        """F*(−α), infinite where truth − α are no marginals."""
        p = self.truth - alphas
        tables = p.reshape(-1, self.k, self.k)
        inside = np.setdiff1d(np.arange(1, len(tables)), self.begins)
        between = tables[inside - 1].sum(axis=1) - tables[inside].sum(axis=2)
        off = max(
            np.abs(tables.sum(axis=(1, 2)) - 1).max(initial=0),
            np.abs(between).max(initial=0),
            -p.min(initial=0),
        )
        return -weighted(self.costs, p, self.distance) if off <= MARGINAL_ROUNDING else np.inf

    def dual_steps(
        self, scores: Array, alphas: Array | float, curvatures: Array | float, warm: Any = None
    ) -> tuple[Array, None]:
        """(α', None): α' maximizes −F*(−α') − Σ c (s'α' + ½ q ‖α' − α‖²), q one number."""
        m = self.truth - alphas + (scores + self.distance) / float(np.max(curvatures))
        tables = m.reshape(-1, self.k, self.k)
        for begin, end in self._each():
            tables[begin:end] = chain_marginals(tables[begin:end], tol=STEP_ACCURACY)
        return self.truth - m, None


def weighted(costs: Array, a: Array, b: Array) -> float:
    """Σ c_i a_i b_i."""
    return float(np.einsum("i,i,i->", costs, a, b))
