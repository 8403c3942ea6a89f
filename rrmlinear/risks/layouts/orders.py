"""F of the order of all examples, and pairs within queries."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.cached import cached_property
from rrmlinear.core.deadline import check_time
from rrmlinear.data.rows import Rows
from rrmlinear.risks.base import Evaluation, Risk
from rrmlinear.risks.hessian import Hessian
from rrmlinear.risks.layouts._orders import by_score, logistic_pairs, pair_slopes
from rrmlinear.risks.products import Products, RowSums

Vector = NDArray[np.float64]
Places = NDArray[np.int64]
#: Examples whose pairs with as many are at once in memory.
BLOCK = 128


def numbered(groups: Any, n: int) -> tuple[Places, Places]:
    """The number of the group of each example, all of one where ``groups`` is None, and where each
    group begins in the order of these.
    """
    if groups is None:
        return np.zeros(n, dtype=np.int64), np.array([0, n] if n else [0])
    names, numbers = np.unique(groups, return_inverse=True)
    begin = np.zeros(len(names) + 1, dtype=np.int64)
    np.cumsum(np.bincount(numbers, minlength=len(names)), out=begin[1:])
    return numbers, begin


class QueryPairs:
    """Pairs of examples of one query, i of the larger label, of weight ``upper_i lower_j``.

    ``groups`` tell the query of each example, None where all are of one. A query of one example, or
    of one grade, has no pair.
    """

    def __init__(self, y: Vector, groups: Any, upper: Vector, lower: Vector | None = None) -> None:
        n = len(y)
        query, self.begin = numbered(groups, n)
        self.query = query.astype(np.int32)
        rising = np.lexsort((y, query))
        is_new = np.ones(n, dtype=bool)
        is_new[1:] = (np.diff(query[rising]) != 0) | (np.diff(y[rising]) != 0)
        steps = np.cumsum(is_new) - 1
        self.grade = np.empty(n, dtype=np.int32)
        self.grade[rising] = steps - steps[self.begin[query[rising]]]
        self.grades = np.add.reduceat(is_new, self.begin[:-1]).astype(np.int32)
        self.by_grade = np.lexsort((-self.grade, query))
        self.upper, self.lower = upper, upper if lower is None else lower

    def centred(self, scores: Vector) -> Vector:
        """The scores less the mean of their query: pairs do not change, and sums are smaller."""
        sizes = np.maximum(np.diff(self.begin), 1)
        sums = np.bincount(self.query, scores, minlength=len(sizes))
        return np.ascontiguousarray(scores - (sums / sizes)[self.query])

    def slopes(self, scores: Vector, margin: float) -> NDArray[np.float64]:
        """See `pair_slopes`, at scores that are centred."""
        ordered = by_score(np.argsort(scores), self.query, self.begin)
        pairs = self.begin, self.grade, self.grades, self.upper, self.lower
        return np.asarray(pair_slopes(scores, ordered, *pairs, margin))

    @cached_property
    def partners(self) -> Vector:
        """The sum of the weights of the pairs of each example."""
        both: Vector = self.slopes(np.zeros(len(self.query)), 1.0)[:2].sum(axis=0)
        return both


class PairSums:
    """Σ over pairs of φ(s_i − s_j), φ the hinge, smoothed by μ > 0, or one without a kink."""

    def __init__(self, loss: Any, pairs: QueryPairs) -> None:
        self.loss, self.pairs, self.hessian = loss, pairs, PairHessian
        #: What a risk of these offers.
        self.offers = frozenset({"matrix", "hessian"} if loss.differentiable else {"smoothed"})
        #: The entries of second derivatives of scores that `PairHessian` looks at, at most.
        sizes = np.diff(pairs.begin)
        self.n_entries = float(sizes @ np.maximum(sizes, BLOCK))
        #: A bound of |smoothed − not smoothed| / μ.
        self.room = float(pairs.partners.sum()) / 4
        #: The largest slope, and the largest second derivative, of each example.
        self.steepest = pairs.partners
        self.curvatures = loss.steepness * pairs.partners

    def among(self, chosen: Places, factor: float) -> PairSums:
        """Those of some examples, each of which counts ``factor`` times."""
        every = self.pairs
        y, weights = every.grade[chosen].astype(np.float64), (every.upper, every.lower)
        own = (factor * each[chosen] for each in weights)
        return PairSums(self.loss, QueryPairs(y, every.query[chosen], *own))

    def bends(self, t: NDArray[np.float64]) -> NDArray[np.float64]:
        """φ''(t) of a loss without a kink."""
        if self.loss.name == "logistic":
            x = np.exp(-np.abs(t))
            return np.asarray(x / (1 + x) ** 2)
        return np.where(t < 1, 2.0, 0.0)

    def find(self, scores: Vector, mu: float) -> tuple[float, Vector, float]:
        """F, its derivatives, and a bound of F*, without smoothing, at these."""
        s = self.pairs.centred(scores)
        if self.loss.name == "logistic":
            pairs = self.pairs
            value, slopes = logistic_pairs(s, pairs.by_grade, pairs.begin, pairs.grade, pairs.upper)
            return value, slopes, float(s @ slopes) - value
        first = self.pairs.slopes(s, 1.0)
        if self.loss.differentiable:
            return _squared(s, first, 1.0)
        if mu == 0:
            up, down = first[:2]
            value = float(up.sum() + s @ (down - up))
            return max(value, 0.0), down - up, -float(up.sum())
        # the smoothed hinge is a difference of squared ones
        second = self.pairs.slopes(s, 1.0 - mu)
        (one, of_one, _), (other, of_other, _) = (
            _squared(s, first, 1.0),
            _squared(s, second, 1 - mu),
        )
        up, down = (first[2:] - second[2:]) / (2 * mu)
        # where a small μ leaves rounding, the duals of a query are those of no pairs
        off = float(np.abs(np.bincount(self.pairs.query, up - down)).sum())
        conjugate = off * (1 + float(np.abs(s).max(initial=0))) - float(up.sum())
        return (one - other) / (2 * mu), (of_one - of_other) / (2 * mu), conjugate


def _squared(s: Vector, slopes: Any, margin: float) -> tuple[float, Vector, float]:
    """Σ max(0, margin − s_i + s_j)², its derivatives, and its conjugate there."""
    up, down = slopes[2:]
    g = down - up
    linear = float(s @ g)
    value = max((margin * float(up.sum()) + linear) / 2, 0.0)
    return value, g, linear - value


class OrderHessian:
    """∇²F of the order of all examples as a function of the weights."""

    def __init__(self, at: OfOrder) -> None:
        self.risk, self.over, self.n = at.risk, at.risk.over, at.risk.n
        #: Not fewer than the weights: no matrix of examples is to be factorized.
        self.size = max(self.n, *self.risk.shape)

    def moved(self, moves: Vector) -> Vector:
        """f'' times moves of the scores."""
        raise NotImplementedError

    def product(self, p: Vector) -> Vector:
        """∇²F p."""
        return self.risk.gradient(self.moved(self.risk.scores(p)))

    def matrix(self) -> NDArray[np.float64]:
        """All of it, d × d."""
        raise NotImplementedError

    def diagonal(self) -> Vector:
        """That of the matrix."""
        return self.matrix().diagonal()


class PairHessian(OrderHessian):
    """X'(diag(A1 + A'1) − A − A')X, A_ij = u_i l_j φ''(s_i − s_j) of `PairSums`."""

    def __init__(self, at: OfOrder) -> None:
        super().__init__(at)
        pairs = self.over.pairs
        s, weights = pairs.centred(at.scores[: self.n]), (pairs.upper, pairs.lower)
        every = pairs.query, pairs.grade, s, *weights
        self.ordered = [each[pairs.by_grade] for each in every]

    def moved(self, moves: Vector) -> Vector:
        found, places = np.empty(self.n), self.over.pairs.by_grade
        found[places] = self._moved(0, self.n, moves[places, np.newaxis])[:, 0]
        return found

    def matrix(self) -> NDArray[np.float64]:
        begin, (d,) = self.over.pairs.begin, self.risk.shape
        found, b = np.zeros((d, d)), 0
        rows = RowSums(self.risk.rows.streamed(None), np.ones(self.n), self.over.pairs.by_grade)
        while (a := b) < self.n:  # whole queries, of BLOCK examples or more
            b = int(begin[np.searchsorted(begin[:-1], a + BLOCK)])
            z = rows.copied_less((), (), a, b)
            z -= z[begin[self.ordered[0][a:b]] - a]  # pairs do not see it
            found += z.T @ self._moved(a, b, z)
        return self.risk.cost * found

    def _moved(self, a: int, b: int, moves: NDArray[np.float64]) -> NDArray[np.float64]:
        """f'' times moves of the scores a … b − 1, of whole queries in the order of grades."""
        found, begin = np.zeros_like(moves), self.over.pairs.begin
        query, grade, s, upper, lower = (each[a:b] for each in self.ordered)
        for p in range(0, b - a, BLOCK):
            check_time()
            i = slice(p, min(p + BLOCK, b - a))
            last = begin[query[i][-1] + 1] - a
            for q in range(p, last, BLOCK):  # grades fall
                j = slice(q, min(q + BLOCK, last))
                is_pair = (query[i, np.newaxis] == query[j]) & (grade[i, np.newaxis] > grade[j])
                bend = self.over.bends(s[i, np.newaxis] - s[j]) * is_pair
                bend *= upper[i, np.newaxis] * lower[j]
                found[i] += bend.sum(axis=1)[:, np.newaxis] * moves[i] - bend @ moves[j]
                found[j] += bend.sum(axis=0)[:, np.newaxis] * moves[j] - bend.T @ moves[i]
        return found


class OrderRisk(Risk):
    """F(w) = C f(X w), f of the order of all examples: `PairSums` or `RiskSets`.

    Scores, derivatives and duals have n + 1 entries. The last score is 0, and the last dual bounds
    −f* of the others from below. Means of duals keep such a bound, as f* is convex, and so do
    multiples by t ≤ 1: f*(0) ≤ 0, as f ≥ 0.
    """

    lipschitz = np.inf

    def __init__(self, rows: Rows, loss: Any, over: Any, cost: float, threads: int = 1) -> None:
        self.rows, self.loss, self.over, self.mu = rows, loss, over, 0.0
        self.n, self.cost, self.threads = rows.shape[0], cost, threads
        self.costs = np.full(self.n + 1, cost)
        self.labels, self.terms = np.zeros(self.n + 1), self
        self.products = Products(rows, self.costs[: self.n].copy(), 0, threads)
        self.offers = over.offers
        #: A bound of |F_μ − F| / μ.
        self.room = cost * over.room

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the weights."""
        return (self.rows.width,)

    def among(self, chosen: Places, rows: Rows, factor: float) -> OrderRisk:
        """That of some examples, each of which counts ``factor`` times; ``rows`` are theirs."""
        over = self.over.among(chosen, factor)
        return OrderRisk(rows, self.loss, over, self.cost, self.threads)

    def smoothed(self, mu: float) -> Self:
        """The risk smoothed by μ."""
        result = copy(self)
        result.mu, result.terms = mu, result
        return result

    def scores(self, w: Vector) -> Vector:
        """X w, and 0."""
        return np.append(self.products.scores(w), 0.0)

    def at(self, scores: Vector, warm: Any = None) -> Evaluation:
        """F at these scores."""
        return OfOrder(self, self, scores)

    def total(self, scores: Vector) -> float:
        """F."""
        return self.at(scores).value

    def gradient(self, derivatives: Vector) -> Vector:
        """Σ C s_i x_i."""
        moved: Vector = self.products.adjoint(np.ascontiguousarray(derivatives[: self.n]))
        return moved

    def conjugate(self, alphas: Vector) -> float:
        """−C α_{n+1}: a bound of F* for duals of the risk, and for their means and multiples."""
        return -self.cost * float(alphas[self.n])

    def diagonal(self) -> Vector:
        """An estimate of the diagonal of ∇²F, which a shift of all scores does not change."""
        curvatures = self.cost * self.over.curvatures
        return Hessian(self.rows, curvatures, (np.ones(self.n),)).diagonal()

    def shares_of(self, alphas: Vector, w: Vector) -> tuple[Vector, Vector]:
        """(C |α_i| of each example, w): what rounding of the scores depends on."""
        sizes = np.abs(alphas[: self.n])
        kinked = not (self.loss.differentiable or self.mu)
        return self.cost * (np.maximum(sizes, self.over.steepest) if kinked else sizes), w


class OfOrder(Evaluation):
    """F at scores, by one way over the sorted examples."""

    @cached_property
    def found(self) -> tuple[float, Vector, float]:
        risk = self.risk
        found: tuple[float, Vector, float] = risk.over.find(self.scores[: risk.n], risk.mu)
        return found

    @cached_property
    def value(self) -> float:
        return float(self.risk.cost * self.found[0])

    @cached_property
    def derivatives(self) -> Vector:
        return np.append(self.found[1], self.found[2])

    @cached_property
    def curvatures(self) -> Vector:
        """Bounds of φ'' times C, for a first step."""
        return self.risk.cost * self.risk.over.curvatures

    def tangent(self) -> tuple[float, Vector]:
        return self.value, self.derivatives

    def hessian(self) -> OrderHessian:
        """∇²F."""
        found: OrderHessian = self.risk.over.hessian(self)
        return found

    @property
    def squares(self) -> Vector:
        return self.risk.diagonal()
