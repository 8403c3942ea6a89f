"""F(W) = Σ_i c_i φ(W'x_i, y_i) over all examples, for losses of k scores."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.block_base import BlockLoss
from rrmlinear.risks.base import Evaluation
from rrmlinear.risks.block_evaluation import BalancedEvaluation, BlockEvaluation
from rrmlinear.risks.block_hessian import BlockHessian
from rrmlinear.risks.block_terms import BlockTerms
from rrmlinear.risks.class_products import ClassProducts
from rrmlinear.risks.hessian import Hessian

Array = NDArray[np.float64]


class BlockRisk:
    """F of a loss of k scores. Scores, derivatives and duals are n × k, weights d × k.

    With a ``smoothing`` each loss is smoothed as in `BlockTerms`. A ``condition`` is an `Intercept`
    or None: F is then the minimum over b ∈ R^k of the losses at scores W'x_i + b. For the rest,
    ``threads`` included, see `ScalarRisk`.
    """

    def __init__(
        self,
        rows: Rows,
        loss: BlockLoss,
        label: NDArray[np.int32],
        k: int,
        costs: Array,
        threads: int = 1,
        smoothing: float = 0.0,
        condition: Any = None,
    ) -> None:
        #: F without the condition, as a function of the scores.
        self.terms: Any = BlockTerms(loss, label, k, costs, smoothing)
        self.bias, self.spec = rows.bias, condition
        self.condition = None if condition is None else condition.over(self.terms)
        self.rows = rows if condition is None else rows.with_bias(-1.0)
        self.loss, self.smoothing, self.threads = loss, smoothing, threads
        self.labels, self.costs = self.terms.labels, self.terms.costs
        self.k, self.rates_of_classes = k, self.terms.rates_of_classes
        self.products = ClassProducts(self.rows, costs, k, threads)

    @property
    def offers(self) -> frozenset[Hashable]:
        """See `Risk.offers`."""
        plain = frozenset({"gram", "hessian"})
        return plain if self.condition is None else plain | self.condition.offers

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the weights."""
        return self.rows.width, self.k

    @property
    def separate(self) -> tuple[int, int]:
        """(d, 1): the Gram matrix of d features serves each column of weights."""
        return self.rows.width, 1

    @property
    def lipschitz(self) -> float:
        """The Lipschitz constant of the loss."""
        return self.loss.lipschitz(self.k)

    def smoothed(self, smoothing: float) -> BlockRisk:
        """The risk with this smoothing."""
        return self._with(self.loss, smoothing)

    def of_loss(self, loss: BlockLoss) -> BlockRisk:
        """The risk with another loss."""
        return self._with(loss, 0.0)

    def _with(self, loss: BlockLoss, smoothing: float) -> BlockRisk:
        rows, costs = self.rows.with_bias(self.bias), self.costs.ravel()
        return BlockRisk(rows, loss, self.labels, self.k, costs, self.threads, smoothing, self.spec)

    def scores(self, w: Array) -> Array:
        """X W."""
        return self.products.scores(w)

    def at(self, scores: Array, warm: Any = None) -> Evaluation:
        """F at these scores."""
        if self.condition is None:
            return BlockEvaluation(self, self.terms, scores)
        return BalancedEvaluation(self, self.terms, scores, self.condition, warm)

    def gram(self) -> Array:
        """Σ c_i x_i x_i', d × d, which serves each of the k columns of weights.

        With intercepts rows are centred by their mean weighted with costs.
        """
        free = () if self.condition is None else (np.ones(len(self.labels)),)
        return Hessian(self.rows, self.costs.ravel(), free).matrix()

    def hessian(self, derivatives: Array) -> BlockHessian:
        """∇²F where the losses have these derivatives: Σ c_i x_i x_i' ⊗ M_i, M_i the derivative of
        theirs by the scores. A loss with a kink has it with a smoothing alone.
        """
        active = self.rates_of_classes.active(derivatives, self.smoothing)
        return BlockHessian(self.rows, self.k, *active)

    def gradient(self, derivatives: Array) -> Array:
        """Σ c_i x_i s_i', d × k."""
        return self.products.adjoint(derivatives)

    def conjugate(self, alphas: Array) -> float:
        """Σ (c_i φ)*(−c_i α_i); infinite where the condition does not hold."""
        if self.condition is not None and not self.condition.admits(alphas):
            return math.inf
        return float(self.terms.conjugate(alphas))

    def dual_steps(
        self, scores: Array, alphas: Array | float, curvatures: Array | float, warm: Any = None
    ) -> tuple[Array, Any]:
        """(α', warm): the row α' of each example, n × k with sums 0, that maximizes
        −φ*(−α') − s_i'α' − ½ q_i ‖α' − α_i‖²; with intercepts all of them together.

        ``alphas`` is n × k or one row or number, ``curvatures``, q > 0, have n entries or are one
        number. From α = 0 with q = μ the steps are minus the derivatives of the loss smoothed by
        μ, if its smoothing is the same square, ½ μ ‖·‖² of k numbers.
        """
        if self.condition is not None:
            steps: tuple[Array, Any] = self.condition.dual_steps(scores, alphas, curvatures, warm)
            return steps
        return self.terms.dual_steps(scores, alphas, curvatures), None

    def sweep(
        self,
        w: Array,
        alphas: Array | float,
        curvature: float,
        value: bool = True,
        warm: Any = None,
    ) -> tuple[Array, Array, float, Any]:
        """(α', Σ c_i x_i α_i', F(W), warm), α' the `dual_steps` at scores X W.

        F(W) is NaN without ``value``.
        """
        scores = self.scores(w)
        steps, warm = self.dual_steps(scores, alphas, curvature, warm)
        return steps, self.gradient(steps), self.at(scores).value if value else math.nan, warm

    def complete(self, w: Array, at: Evaluation | None = None) -> Array:
        """The weights W in the form that a Result holds: with the best intercepts, if any."""
        if self.condition is None:
            return w
        at = self.at(self.scores(w)) if at is None else at
        return np.vstack([w, at.intercept / self.bias])

    def duals(self, alphas: Array) -> Array:
        """The blocks b_i of the loss, n × k, times the costs; the entry of the own class is 0."""
        blocks: Array = -self.costs * alphas
        blocks[np.arange(len(blocks)), self.labels] = 0
        return blocks
