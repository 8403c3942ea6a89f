"""F of the order of all examples: pairs within queries, and the sets at risk at events."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.cached import cached_property
from rrmlinear.core.deadline import check_time
from rrmlinear.data.rows import Rows
from rrmlinear.risks.base import Evaluation, Risk
from rrmlinear.risks.hessian import CHUNK, Hessian
from rrmlinear.risks.layouts._orders import (
    by_score,
    innovations,
    likelihood_product,
    logistic_pairs,
    pair_slopes,
    partial_likelihood,
)
from rrmlinear.risks.products import Products, RowSums

Vector = NDArray[np.float64]
Places = NDArray[np.int64]
#: Moves of scores that differ by this fraction of the largest are equal.
RECESSION_ROUNDING = 1e-6


def _numbered(groups: Any, n: int) -> tuple[Places, Places]:
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
        query, self.begin = _numbered(groups, n)
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
        self.loss, self.pairs = loss, pairs
        #: What a risk of these offers.
        self.offers = frozenset() if loss.differentiable else frozenset({"smoothed"})
        #: A bound of |smoothed − not smoothed| / μ.
        self.room = float(pairs.partners.sum()) / 4
        #: The largest slope, and the largest second derivative, of each example.
        self.steepest = pairs.partners
        self.curvatures = loss.steepness * pairs.partners

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


class LikelihoodHessian:
    """∇²F of `RiskSets` as a function of the weights."""

    def __init__(self, at: OfOrder) -> None:
        self.risk, self.over, self.n = at.risk, at.risk.over, at.risk.n
        #: Not fewer than the weights: no matrix of examples is to be factorized.
        self.size = max(self.n, *self.risk.shape)
        self.steps = np.empty((2, self.n))
        partial_likelihood(at.scores[self.over.by_time], *self.over.sets, self.steps)

    def moved(self, moves: Vector) -> Vector:
        """f'' times moves of the scores."""
        found, places = np.empty(self.n), self.over.by_time
        found[places] = likelihood_product(moves[places], self.steps, self.over.group)
        return found

    def product(self, p: Vector) -> Vector:
        """∇²F p."""
        return self.risk.gradient(self.moved(self.risk.scores(p)))

    def diagonal(self) -> Vector:
        """That of the matrix."""
        return self.matrix().diagonal()

    def matrix(self) -> NDArray[np.float64]:
        """All of it, d × d, by CHUNK rows at once."""
        over, (d,) = self.over, self.risk.shape
        found, means = np.zeros((d, d)), np.zeros((2, d))
        place = np.empty((min(CHUNK, self.n) + 1, d))
        rows = RowSums(self.risk.rows.streamed(None), np.ones(self.n), over.by_time)
        for begin in range(0, self.n, CHUNK):
            check_time()
            end = min(begin + CHUNK, self.n)
            z = place[: end - begin + 1]
            rows.copied_less((), (), begin, end, z[1:])
            innovations(z, self.steps, over.group, begin, means)
            found += z.T @ z
        return self.risk.cost * found


class RiskSets:
    """Minus the log partial likelihood, less ``least``, a constant below which it never is.

    y is the time, with the sign − where it is censored. ``groups`` are strata, None for one.
    """

    room = 0.0
    offers = frozenset({"matrix", "hessian"})
    hessian: Any = LikelihoodHessian
    #: What examples have beside these: `among` keeps it.
    beside: tuple[Vector, ...] = ()

    def __init__(self, loss: Any, y: Vector, groups: Any, weights: Vector) -> None:
        n, time = len(y), np.abs(y)
        self.labels, self.groups = y, groups
        self.stratum, self.begin = _numbered(groups, n)
        self.loss, self.weights, self.time = loss, weights, time
        self.event = (~np.signbit(y) & (weights > 0)).astype(np.int32)
        is_plain = groups is None and not loss.efron
        keys = self.event, -time, self.stratum
        self.by_time = np.argsort(-time) if is_plain else np.lexsort(keys)
        last = np.append(np.diff(time[self.by_time]) != 0, True)
        last[self.begin[1:] - 1] = True
        ends = np.flatnonzero(last) + 1
        starts = np.append(0, ends[:-1])
        self.ties = np.repeat(ends, ends - starts)
        died = np.column_stack([self.event, self.event * weights])[self.by_time]
        count, size = (sums := np.add.reduceat(died, starts))[sums[:, 1] > 0].T
        self.least = float(size @ np.log(size / count))
        #: The place of an event in those of its time, as in `partial_likelihood`.
        self.group = np.zeros(n, dtype=np.int32)
        if loss.efron:
            own = self.event[self.by_time]
            self.group[1:] = 2 * (own[1:] & own[:-1] & ~last[:-1])
            self.group[:-1] += self.group[1:] > 0

    @cached_property
    def sets(self) -> tuple[Any, ...]:
        """What kernels take beside the scores, the examples in the order of falling times."""
        event, weights = self.event[self.by_time], self.weights[self.by_time]
        return self.begin, self.ties, event, weights, self.group

    @cached_property
    def at_zero(self) -> tuple[float, Vector, float]:
        """`find` at scores of 0."""
        return self._find(np.zeros(len(self.time)))

    @cached_property
    def steepest(self) -> Vector:
        """The largest slope of each example."""
        return np.abs(self.at_zero[1]) + self.weights

    @cached_property
    def curvatures(self) -> Vector:
        """The second derivative of each example at scores of 0, nearly."""
        return np.maximum(self.at_zero[1] + self.weights * self.event, 0)

    def among(self, chosen: Places, factor: float) -> RiskSets:
        """Those of some examples, each of which counts ``factor`` times."""
        groups = None if self.groups is None else np.asarray(self.groups)[chosen]
        own = factor * self.weights[chosen], *(each[chosen] for each in self.beside)
        return type(self)(self.loss, self.labels[chosen], groups, *own)

    def find(self, scores: Vector, mu: float) -> tuple[float, Vector, float]:
        """F, its derivatives, and F* at these."""
        return self._find(scores) if scores.any() else self.at_zero

    def _find(self, scores: Vector) -> tuple[float, Vector, float]:
        value, slopes = self._sums(scores)
        value = max(value - self.least, 0.0)
        return value, slopes, float(scores @ slopes) - value

    def _sums(self, scores: Vector) -> tuple[float, Vector]:
        value, ordered = partial_likelihood(scores[self.by_time], *self.sets)
        slopes = np.empty_like(ordered)
        slopes[self.by_time] = ordered
        return value, slopes

    def spread(self, moves: Vector) -> float:
        """By how much moves of scores differ within a stratum, at most."""
        own = np.where(self.weights > 0, moves, np.nan)[self.by_time]
        filled = self.begin[:-1][np.diff(self.begin) > 0]
        ends = (ufunc.reduceat(own, filled) for ufunc in (np.fmax, np.fmin))
        return float(np.nanmax(np.subtract(*ends), initial=0.0))

    def recedes(self, moves: Vector) -> bool:
        """Whether at each event no score of its risk set moves up by more, and some by less: then
        F falls without end along these moves.
        """
        rounding = RECESSION_ROUNDING * float(np.abs(moves).max(initial=0.0))
        top = self.over_sets(np.maximum, -np.inf, moves)
        low = self.over_sets(np.minimum, np.inf, moves)
        own = moves[self.died]
        return bool((top <= own + rounding).all() and (low < own - rounding).any())

    @cached_property
    def died(self) -> Places:
        """The events, in the order of `over_sets`."""
        return self.by_time[self.event[self.by_time] > 0]

    def over_sets(self, ufunc: np.ufunc, none: float, values: Vector) -> Vector:
        """The function over the values of the risk set of each event; ``none`` is that of none."""
        given = np.where(self.weights > 0, values, none)[self.by_time]
        for a, b in zip(self.begin[:-1].tolist(), self.begin[1:].tolist(), strict=True):
            given[a:b] = ufunc.accumulate(given[a:b])
        return np.asarray(given[self.ties - 1][self.event[self.by_time] > 0])

    def baselines(self, scores: Vector) -> list[tuple[Vector, Vector]]:
        """The times of events of each stratum, and the cumulative hazard of a score of 0 there, in
        logarithms.

        It rises by Σ c of the events of a time over Σ c e^s of its risk set: Breslow's estimator.
        """
        with np.errstate(divide="ignore"):
            logs = scores + np.log(self.weights)
        order = np.lexsort((self.time[self.died], self.stratum[self.died]))
        sums, died = self.over_sets(np.logaddexp, -np.inf, logs)[order], self.died[order]
        time, stratum = self.time[died], self.stratum[died]
        starts = np.flatnonzero(np.append(True, (np.diff(time) != 0) | (np.diff(stratum) != 0)))
        rises = np.log(np.add.reduceat(self.weights[died], starts)) - sums[starts]
        places = np.searchsorted(stratum[starts], np.arange(1, len(self.begin) - 1))
        parts = zip(np.split(time[starts], places), np.split(rises, places), strict=True)
        return [(at, np.logaddexp.accumulate(each)) for at, each in parts]


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

    def hessian(self) -> LikelihoodHessian:
        """∇²F, of the partial likelihood."""
        found: LikelihoodHessian = self.risk.over.hessian(self)
        return found

    @property
    def squares(self) -> Vector:
        return self.risk.diagonal()
