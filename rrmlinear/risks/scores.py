"""F(W) = Σ_i c_i φ(W'x_i, y_i) over all examples, for losses of one score and of k, and under
conditions on its duals.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.losses.block_base import BlockLoss
from rrmlinear.risks.base import Conditioned, Evaluation, Risk, Unconditioned
from rrmlinear.risks.block_hessian import BlockHessian
from rrmlinear.risks.block_terms import BlockTerms
from rrmlinear.risks.hessian import Hessian
from rrmlinear.risks.products import Products
from rrmlinear.risks.terms import ScalarTerms

Array = NDArray[np.float64]


class LossRisk(Risk):
    """F of losses of one score, or of k. Scores, derivatives and duals have n entries, or n × k.

    ``terms`` are the losses as functions of the scores: `ScalarTerms`, `BlockTerms` or others.
    F(w) = at(scores(w)).value and ∇F(w) = gradient(at(scores(w)).derivatives). Minus the
    derivatives are duals α; they move the weights by Σ c_i α_i x_i = gradient(α).

    ``condition`` binds the duals: an `Intercept`, a `Budget`, or both. With an intercept F is the
    minimum over b of Σ c_i φ(x_i'w + b, y_i), b ∈ R^k for k scores. ``rows.bias`` > 0 is then the
    value of an appended column that scores leave out, and `complete` gives the weight b / bias that
    it has in a Result.

    ``threads`` share the products with the data if these are large enough; the same number of
    threads gives the same bits. Sums are in double precision for data of any precision.

    Raises ValueError with an intercept for rows without such a column and without a cost above 0.
    """

    def __init__(self, rows: Rows, terms: Any, threads: int = 1, condition: Any = None) -> None:
        self.bias = 1.0
        if condition is not None and condition.has_intercept:
            self.bias = self._bias(rows)
            rows = rows.with_bias(-1.0)
        self.rows, self.threads = rows, threads
        self.labels, self.costs = terms.labels, terms.costs
        #: The condition as it was given.
        self.spec = condition
        columns = 0 if self.costs.ndim == 1 else terms.k
        self.products = Products(rows, self.costs.ravel(), columns, threads)
        self._take(terms)

    def _take(self, terms: Any) -> None:
        #: F without the condition, as a function of the scores.
        self.terms, self.loss = terms, terms.loss
        #: The condition over these examples.
        self.condition = None if self.spec is None else self.spec.over(terms)

    def _bias(self, rows: Rows) -> float:
        if not rows.bias > 0:
            raise ValueError(f"an intercept takes an appended column, and bias is {rows.bias}")
        return rows.bias

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the weights."""
        return (self.rows.width, self.terms.k)[: self.costs.ndim]

    @property
    def offers(self) -> frozenset[Hashable]:  # type: ignore[override]
        """See `Risk.offers`."""
        offers: frozenset[Hashable] = self.terms.offers
        if self.condition is not None:
            offers = offers - {"box", "hessian"} | self.condition.offers
        return offers

    @property
    def separate(self) -> tuple[int, int]:
        """(d, k): Gram matrices of d weights in each of k columns; here one serves all columns."""
        return self.rows.width, 1

    @property
    def lipschitz(self) -> float:
        """The Lipschitz constant of the loss."""
        return float(self.terms.lipschitz)

    def smoothed(self, smoothing: float) -> Self:
        """The risk with (smoothing/2) ‖α‖² added to the conjugate of the loss."""
        return self._of(self.terms.smoothed(smoothing))

    def of_loss(self, loss: Any) -> Self:
        """The risk with another loss."""
        return self._of(self.terms.of_loss(loss))

    def _of(self, terms: Any) -> Self:
        result = copy(self)
        result._take(terms)
        return result

    def scores(self, w: Array) -> Array:
        """X W."""
        return self.products.scores(w)

    def at(self, scores: Array, warm: Any = None) -> Evaluation:
        """F at these scores."""
        if self.condition is None:
            return Unconditioned(self, self.terms, scores)
        return Conditioned(self, self.terms, scores, self.condition, warm)

    def gram(self, costs: Array | None = None) -> Array:
        """G = Σ c_i x_i x_i', d × d: Σ c_i a_i² ≥ v'G⁻¹v for v = Σ c_i a_i x_i, each column of W.

        If the duals sum to 0, rows are centred by their mean weighted with costs. Other ``costs``
        may be given in place of those of the examples.
        """
        costs = self.costs.ravel() if costs is None else costs
        free = (np.ones(len(costs)),) if "balance" in self.offers else ()
        return Hessian(self.rows, costs, free).matrix()

    def gradient(self, derivatives: Array) -> Array:
        """Σ c_i x_i s_i'."""
        return self.products.adjoint(derivatives)

    def conjugate(self, alphas: Array) -> float:
        """Σ (c_i φ)*(−c_i α_i); infinite where the condition does not hold."""
        if self.condition is not None and not self.condition.admits(alphas):
            return math.inf
        return float(self.terms.conjugate(alphas))

    def dual_steps(
        self, scores: Array, alphas: Array | float, curvatures: Array | float, warm: Any = None
    ) -> tuple[Array, Any]:
        """(α', warm): the duals that maximize Σ c_i [−φ*(−α_i') − s_i'α_i' − ½ q_i ‖α_i' − α_i‖²].

        ``alphas`` are as the duals, one row or one number; ``curvatures``, q > 0, have n entries or
        are one number. In variables c_i α_i under ½ L ‖·‖², q_i is L c_i. From α = 0 with q = μ the
        steps are minus the derivatives of the loss smoothed by μ; rows of k duals have sums 0.
        """
        if self.condition is None:
            return self.terms.dual_steps(scores, alphas, curvatures), None
        steps: tuple[Array, Any] = self.condition.dual_steps(scores, alphas, curvatures, warm)
        return steps

    def sweep(
        self,
        w: Array,
        alphas: Array | float,
        curvature: float,
        value: bool = True,
        warm: Any = None,
    ) -> tuple[Array, Array, float, Any]:
        """(α', Σ c_i x_i α_i', F(w), warm), α' the `dual_steps` at scores X w.

        One score and no condition read the rows once from memory. F(w) is NaN without ``value``.
        """
        if self.condition is None and self.costs.ndim == 1:
            return *self.products.sweep(self.terms, w, alphas, curvature, value), None
        scores = self.scores(w)
        steps, warm = self.dual_steps(scores, alphas, curvature, warm)
        return steps, self.gradient(steps), self.at(scores).value if value else math.nan, warm

    def complete(self, w: Array, at: Evaluation | None = None) -> Array:
        """The weights w in the form that a Result holds: with the best intercept, if there is one.

        ``at`` is F at their scores, if known.
        """
        if self.spec is None or not self.spec.has_intercept:
            return w
        at = self.at(self.scores(w)) if at is None else at
        return np.concatenate((w, np.reshape(at.intercept, (-1, *w.shape[1:])) / self.bias))


class BlockRisk(LossRisk):
    """`LossRisk` of a loss of k scores, of which `BlockTerms` has the ``smoothing``."""

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
        terms = BlockTerms(loss, label, k, costs, smoothing)
        super().__init__(rows, terms, threads, condition)
        self.k = k

    def hessian(self, at: Evaluation) -> BlockHessian:
        """∇²F = Σ c_i x_i x_i' ⊗ M_i, M_i the derivative of the losses' by the scores; at the best
        intercepts if there are any. A loss with a kink has it with a smoothing alone.
        """
        active, begin, classes, rates = self.terms.active(at.derivatives)
        free = self.condition is not None
        return BlockHessian(self.rows, self.k, active, begin, classes, rates, free)

    def duals(self, alphas: Array) -> Array:
        """The blocks b_i of the loss, n × k, times the costs; the entry of the own class is 0."""
        blocks: Array = -self.costs * alphas
        blocks[np.arange(len(blocks)), self.labels] = 0
        return blocks


Vector = NDArray[np.float64]


class ScalarRisk(LossRisk):
    """`LossRisk` of a loss of one score. Raises ValueError for a loss of several."""

    def __init__(
        self,
        rows: Rows,
        loss: ScalarLoss,
        y: Vector,
        costs: Vector,
        threads: int = 1,
        condition: Any = None,
    ) -> None:
        if not isinstance(loss, ScalarLoss):
            raise ValueError(
                f"this risk takes a loss of one score, and {type(loss).__name__} is one of several"
            )
        super().__init__(rows, ScalarTerms(loss, y, costs), threads, condition)

    def hessian(self, at: Evaluation) -> Hessian:
        """∇²F."""
        return Hessian(self.rows, at.curvatures, at.directions)
