"""F(w) = Σ c_s φ_s(w) over sequences whose labels depend on their neighbours."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.cached import cached_property
from rrmlinear.data.rows import Rows
from rrmlinear.risks.base import Evaluation, Risk
from rrmlinear.risks.hessian import Hessian
from rrmlinear.risks.layouts.chains._chain_sums import ChainSums, marginal_changes
from rrmlinear.risks.layouts.chains._transitions import Transitions
from rrmlinear.risks.layouts.chains.chain_loss import LOG_LOSS, ChainLoss
from rrmlinear.risks.layouts.chains.chain_products import ChainProducts
from rrmlinear.risks.shares import Shares

TOO_FAR = "no second derivatives: the transitions are too far apart"


class ChainHessian:
    """∇²F of a `ChainRisk` with τ > 0 at scores, as a function of the weights.

    A product changes the scores along w, the marginals with them by one more forward and backward
    way, and takes the gradient of these changes. Raises ValueError where transitions span more than
    the scaled recursions take, those with features of edges in a product.
    """

    def __init__(self, risk: Any, scores: Array) -> None:
        self.risk = risk
        self.nodes, pairs = risk.split(scores, risk.n)
        self.ready = risk.transitions(pairs, 1 / risk.loss.temperature)
        if self.ready.logarithms:
            raise ValueError(TOO_FAR)

    def product(self, v: Array) -> Array:
        """∇²F v."""
        risk, changes = self.risk, np.zeros(self.risk.n_scores)
        moves, pair_moves = risk.split(risk.scores(v), risk.n)
        out, pairs = risk.split(changes, risk.n)
        ready_moves = risk.transitions(pair_moves, 1.0, best=True)

        def some(part: int, begin: int, end: int) -> Array:
            more = np.zeros_like(pairs)
            given = (risk.sums, self.nodes, self.ready, moves, ready_moves)
            if not marginal_changes(*given, begin, end, out, more):
                raise ValueError(TOO_FAR)
            return more

        for more in risk.parts.run(some):
            pairs += more
        return np.asarray(risk.gradient(changes))


Array = NDArray[np.float64]


class ChainRisk(Risk):
    """F(w) = Σ_s c_s φ_s(w) of m sequences, φ a `ChainLoss`.

    ``rows`` has a row x_t for each of n positions, ``label`` its true label 0 … k − 1, ``starts``
    where sequences begin, m + 1 numbers. A labelling y of a sequence has the score
    Σ_t w_{y_t}'x_t + Σ_{t ≥ 1} T(y_{t−1}, y_t). With ``edges``, a row z_t for each pair of
    neighbours, those of a sequence one after the other, Σ_f z_tf V_f is added to T, V_f k × k.

    Weights are one array: those of nodes, the weight of feature f for label j at f k + j, and then
    those of pairs, T and the V_f. Scores are one array: n × k of nodes, T, the V_f, and a 0.
    Derivatives u are ∂F/∂s, costs included: marginals less the truth, and for T and the V_f their
    sums over positions. In
    place of the 0 they have F*(u) = ⟨u, s⟩ − F(s) (Fenchel's equality). So a mean of derivatives,
    or a multiple t ≤ 1, has a bound of F* from above there, as F* is convex and F*(0) ≤ 0, and
    `conjugate` reads it. For F + (λ/2)‖w‖² the gap at the w of these derivatives is then
    ‖λ w + ∇F(w)‖² / (2λ): Fenchel and Young's inequality for Ω alone. For τ = 0, F*(u) is linear:
    −δ Σ_s c_s times the mean distance from the truth, which the marginals of positions give; also
    those of a smoothed loss.

    The same bits come out for the same number of ``threads``. Source: Lafferty, McCallum and
    Pereira, Conditional random fields, 2001; Taskar, Guestrin and Koller, Max-margin Markov
    networks, 2003; gaps by Fenchel and Young: Blondel, Martins and Niculae, 2020.
    """

    #: Costs stand in the derivatives.
    costs = np.ones(1)
    #: Whether labels depend on each other along a line, which Frank–Wolfe's blocks need.
    is_chain = True

    def __init__(
        self,
        rows: Rows,
        label: NDArray[np.int32],
        starts: NDArray[np.int64],
        k: int,
        costs: Array,
        threads: int = 1,
        loss: ChainLoss = LOG_LOSS,
        products: ChainProducts | None = None,
        edges: Rows | None = None,
    ) -> None:
        label, starts = np.ascontiguousarray(label), np.ascontiguousarray(starts)
        self.rows, self.label, self.starts, self.k = rows, label, starts, k
        self.sequence_costs, self.threads, self.loss = costs, threads, loss
        self.edges = edges
        #: Rows of k weights of pairs.
        self.pair_rows = k if edges is None else k * (1 + edges.width)
        self.n = rows.shape[0]
        self.products = self._products() if products is None else products
        self.sums = ChainSums(label, starts, k, costs, loss.distance)
        # Parts of the sequences with about equally many positions.
        self.parts = Shares(rows, threads, k)
        inner = np.searchsorted(starts, self.parts.cuts[:-1])
        self.parts.cuts = [*inner.tolist(), len(starts) - 1]

    def _products(self) -> Any:
        """Those of the rows with weights."""
        return ChainProducts(self.rows, self.k, self.threads)

    @property
    def offers(self) -> frozenset[Hashable]:  # type: ignore[override]
        """As `Risk.offers`. "smoothed": a loss with a kink, which `smoothed` smooths."""
        return frozenset() if self.loss.temperature else frozenset({"smoothed"})

    @property
    def row_costs(self) -> Array:
        """The cost of each position."""
        return np.repeat(self.sequence_costs, np.diff(self.starts))

    @property
    def room(self) -> float:
        """A bound of (smoothed F − F) / smoothing: the entropy of all labellings."""
        return float(self.sequence_costs @ np.diff(self.starts)) * math.log(self.k)

    @property
    def n_weights(self) -> int:
        """The number of weights."""
        return self.shape[0]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the weights."""
        return ((self.rows.width + self.pair_rows) * self.k,)

    @property
    def terms(self) -> ChainRisk:
        """The object with sums over sequences as functions of the scores: this one."""
        return self

    @property
    def n_scores(self) -> int:
        """The length of the arrays of scores and of derivatives."""
        return (self.n + self.pair_rows) * self.k + 1

    def of_loss(self, loss: ChainLoss) -> ChainRisk:
        """The risk with another loss of the same data."""
        data = (self.rows, self.label, self.starts, self.k, self.sequence_costs, self.threads)
        return type(self)(*data, loss, self.products, self.edges)

    def smoothed(self, smoothing: float) -> ChainRisk:
        """The risk with the loss smoothed by the entropy of labellings."""
        return self.of_loss(self.loss.smoothed(smoothing))

    def scores(self, w: Array) -> Array:
        """Node scores n × k, weights of pairs, and 0, in one array."""
        nodes, pairs = self.split(w, self.rows.width)
        result = np.empty(self.n_scores)
        self.products.times(nodes, out=result[: self.n * self.k].reshape(self.n, self.k))
        result[self.n * self.k : -1] = pairs.ravel()
        result[-1] = 0
        return result

    def split(self, array: Array, n_rows: int) -> tuple[Array, Array]:
        """(n_rows × k, pairs): the parts of weights, scores or derivatives.

        Pairs have k columns: T, and then V_f for each feature of edges.
        """
        k, nodes = self.k, n_rows * self.k
        pairs = array[nodes : nodes + self.pair_rows * k]
        return array[:nodes].reshape(n_rows, k), pairs.reshape(self.pair_rows, k)

    def at(self, scores: Array, warm: Any = None) -> Evaluation:
        """F at these scores."""
        return ChainEvaluation(self, self, scores)

    def gradient(self, derivatives: Array) -> Array:
        """∇F: X' times the derivatives of nodes, and those of pairs."""
        nodes, pairs = self.split(derivatives, self.n)
        result, end = np.empty(self.shape), self.rows.width * self.k
        self.products.gradient(nodes, out=result[:end].reshape(self.rows.width, self.k))
        result[end:] = pairs.ravel()
        return result

    def diagonal(self) -> Array:
        """The diagonal of ∇²F at w = 0, where all labellings are as likely; without the distance.

        c_s x_tf² (1/k − 1/k²) τ⁻¹ summed over positions, for feature f and each label; of pairs
        about c_s z_tf² / k² τ⁻¹.
        """
        k = self.k
        costs = np.repeat(self._costs, np.diff(self.starts))
        squares = Hessian(self.rows, costs).diagonal()
        nodes = np.repeat(squares * (1 / k - 1 / k**2), k)
        return np.append(nodes, self.diagonal_of_pairs())

    @property
    def _costs(self) -> Array:
        return self.sequence_costs / (self.loss.temperature or 1.0)

    def diagonal_of_pairs(self) -> Array:
        """The part of `diagonal` for the weights of pairs."""
        costs = np.repeat(self._costs, np.diff(self.starts) - 1)
        squares = np.array([costs.sum()])
        if self.edges is not None and len(costs):
            squares = np.append(squares, Hessian(self.edges, costs).diagonal())
        squares.resize(self.pair_rows // self.k)
        return np.repeat(squares / self.k**2, self.k**2)

    def conjugate(self, alphas: Array) -> float:
        """F*(−α), or for τ > 0 a bound from above for a mean of derivatives."""
        if self.loss.temperature > 0:
            return -float(alphas[-1])
        nodes = self.split(alphas, self.n)[0]
        return -self.loss.distance * float(nodes[np.arange(self.n), self.label].sum())

    def shares_of(self, alphas: Array, w: Array) -> tuple[Array, Array]:
        """(Σ_j |α_tj| of each position, W): what rounding of the node scores depends on. Where the
        loss has kinks, a position's label and another one may take each other's place.
        """
        shares = np.abs(self.split(alphas, self.n)[0]).sum(axis=1)
        if not self.loss.temperature:
            shares = np.maximum(shares, 2 * self.row_costs)
        return shares, self.split(w, self.rows.width)[0]

    def total(self, scores: Array) -> float:
        """F."""
        return self._each(scores, None)[0]

    def derivatives(self, scores: Array) -> Array:
        """∂F/∂s, and F* there."""
        return self.tangent(scores)[1]

    def tangent(self, scores: Array) -> tuple[float, Array]:
        """(F, its derivatives)."""
        derivatives = np.empty(self.n_scores)
        total, pairs = self._each(scores, derivatives)
        derivatives[self.n * self.k : -1] = pairs.ravel()
        derivatives[-1] = 0
        derivatives[-1] = np.einsum("i,i->", derivatives, scores) - total
        return total, derivatives

    def transitions(self, pairs: Array, scale: float, best: bool = False) -> Transitions:
        """Weights of pairs times a scale, ready for `ChainSums`."""
        return Transitions(np.ascontiguousarray(pairs), scale, best, self.edges)

    def _each(self, scores: Array, derivatives: Array | None) -> tuple[float, Array]:
        """F, and its derivatives by the weights of pairs; writes those by nodes."""
        nodes, pairs = self.split(scores, self.n)
        tau = self.loss.temperature
        ready = self.transitions(pairs, 1 / tau if tau else 1.0, not tau)
        parts = self.parts.run(self._part, nodes, ready, derivatives)
        total, pairs = parts[0]
        for value, more in parts[1:]:
            total, pairs = total + value, pairs + more
        return total, pairs

    def _part(
        self, nodes: Array, ready: Any, derivatives: Any, part: int, begin: int, end: int
    ) -> tuple[float, Array]:
        """F of the sequences begin … end − 1, and its derivatives by the weights of pairs."""
        sums, tau = self.sums, self.loss.temperature
        m = len(self.starts) - 1
        pairs = np.zeros((0 if derivatives is None else self.pair_rows, self.k))
        values, true = np.empty(m), np.empty(m)
        out = None if derivatives is None else self.split(derivatives, self.n)[0]
        if tau:
            sums.log_sums(nodes, ready, begin, end, values, out, None if out is None else pairs)
            values *= tau
        else:
            labels = np.empty(self.n, dtype=np.int32)
            sums.best(nodes, ready, begin, end, values, labels)
        sums.scores_of(nodes, ready, self.label, begin, end, true)
        some = slice(begin, end)
        if out is not None:
            if tau:
                sums.cost_times(out, begin, end)
            else:
                out[self.starts[begin] : self.starts[end]] = 0
                sums.subtract(labels, -1.0, ready, begin, end, out, pairs)
            sums.subtract(self.label, 1.0, ready, begin, end, out, pairs)
        return float(self.sequence_costs[some] @ (values[some] - true[some])), pairs


class ChainEvaluation(Evaluation):
    """F of chains at scores; derivatives bring the value with them."""

    @cached_property
    def derivatives(self) -> Array:
        value, derivatives = self.terms.tangent(self.scores)
        vars(self)["value"] = value
        return derivatives

    def tangent(self) -> tuple[float, Array]:
        derivatives = self.derivatives
        return self.value, derivatives

    def hessian(self) -> ChainHessian:
        """∇²F as a function of the weights, for a smooth loss."""
        return ChainHessian(self.risk, self.scores)

    def derivative_along(self, moves: Array) -> float:
        return float(np.vdot(self.derivatives, moves))
