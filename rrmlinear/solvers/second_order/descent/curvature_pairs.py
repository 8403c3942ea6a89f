"""The inverse Hessian of L-BFGS, by inner products of the pairs that it remembers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.pool import thread_pool
from rrmlinear.solvers.second_order.descent._pair_rows import PairRows

Array = NDArray[np.float64]

# Entries of a vector worth a thread of their own.
MIN_ENTRIES = 50_000


class Spans:
    """Vectors of one length in parts, one for each thread; sums of parts are added in order."""

    def __init__(self, length: int, threads: int) -> None:
        threads = max(1, min(threads, length // MIN_ENTRIES))
        cuts = [length * t // threads for t in range(threads + 1)]
        self.spans = [slice(*cuts[t : t + 2]) for t in range(threads)]
        self.pool = thread_pool(threads - 1) if threads > 1 else None

    def of_blocks(self, length: int, count: int) -> Spans:
        """The spans counted in ``count`` blocks of this length, with the same threads."""
        result = Spans(0, 1)
        cuts = [0, *(span.stop // length for span in self.spans[:-1]), count]
        result.spans = [slice(begin, end) for begin, end in pairwise(cuts)]
        result.pool = self.pool
        return result

    def run(self, task: Callable[[slice], Any]) -> list[Any]:
        """task(span) for all spans at once; their results in order."""
        if self.pool is None:
            return [task(self.spans[0])]
        others = [self.pool.submit(task, span) for span in self.spans[1:]]
        return [task(self.spans[0]), *(other.result() for other in others)]

    def total(self, task: Callable[[slice], Any]) -> Any:
        """Σ task(span)."""
        first, *others = self.run(task)
        for other in others:
            first = first + other
        return first

    def close(self) -> None:
        """End the threads."""
        if self.pool is not None:
            self.pool.shutdown()


class CurvaturePairs:
    """Moves s and changes y of the gradient along them, the last ``most`` of each.

    From them H = γ D⁻¹ with the updates of BFGS for each pair, D a positive diagonal. All its terms
    are multiples of s, D⁻¹ y and D⁻¹ g, so the recursion runs on inner products. The pairs are read
    twice: for their products with a gradient, and for the direction. Source: Nocedal and Wright,
    Numerical Optimization, algorithm 7.4; by inner products: Chen, Wang and Zhou, Large-scale
    L-BFGS using MapReduce, 2014.
    """

    def __init__(self, inverse: Array, most: int, spans: Spans) -> None:
        #: Pair p has s in row 2 p and D⁻¹ y in row 2 p + 1.
        self.rows = PairRows(inverse, 2 * most)
        self.spans = spans.of_blocks(self.rows.block, self.rows.n_blocks)
        self.most = most
        #: Places of pairs from the oldest to the newest.
        self.order: list[int] = []
        #: s_i'y_j for pairs j not older than i, and y_i'D⁻¹ y_j.
        self.moved, self.changed = np.zeros((most, most)), np.zeros((most, most))
        #: Products of the rows with the last gradient, and whether a pair has come since.
        self.products, self.is_new = np.zeros(2 * most), False
        #: The norm of the last move.
        self.size = 1.0

    def take(self, s: Array, t: float, size: float, after: Array, before: Array) -> None:
        """Remember the move t s, of norm ``size``, and the gradients before and after it, which
        `direction` has had last and gets next; t s'(after − before) > 0.

        It takes the place of the oldest pair where all places are taken. Both vectors are divided
        by the norm: H stays, and single precision holds them whatever their scale.
        """
        place = len(self.order) if len(self.order) < self.most else self.order.pop(0)
        self.order.append(place)
        self.size = size
        given = (2 * place, s, t / size, 1 / size, after, before)
        self.products[2 * place : 2 * place + 2] = self.spans.total(
            lambda span: self.rows.store(*given, span.start, span.stop)
        )
        self.is_new = True

    def direction(self, g: Array) -> tuple[Array, float]:
        """(−H g, its product with g)."""
        known = len(self.order)
        *products, size = self.spans.total(
            lambda span: self.rows.products(2 * known, g, span.start, span.stop)
        )
        self._compare(np.array(products))
        scale, factors = self._factors()
        result = np.empty_like(g)
        self.spans.run(
            lambda span: self.rows.combine(factors, scale, g, result, span.start, span.stop)
        )
        return result, float(factors @ self.products[: 2 * known] - scale * size)

    def _compare(self, products: Array) -> None:
        """Products of the rows with the gradient, less those with the one before: with the last y.

        So the pairs are read once less.
        """
        known, with_y = len(self.order), products - self.products[: len(products)]
        if self.is_new:
            last = self.order[-1]
            with_y /= self.size
            self.moved[:known, last] = with_y[0::2]
            self.changed[:known, last] = self.changed[last, :known] = with_y[1::2]
        self.products[: len(products)], self.is_new = products, False

    def _factors(self) -> tuple[float, Array]:
        """(γ, factors of the rows) of −H g."""
        sg, yg = self.products[0::2], self.products[1::2]
        order, moved, changed = self.order, self.moved, self.changed
        result = np.zeros(2 * len(order))
        if not order:
            return 1.0, result
        a, c = np.zeros(len(order)), np.zeros(len(order))
        for i in reversed(order):  # a of pairs that are older is still 0
            a[i] = (sg[i] - a @ moved[i, : len(order)]) / moved[i, i]
        last = order[-1]
        scale = moved[last, last] / changed[last, last]
        for i in order:
            ahead = scale * (yg[i] - a @ changed[i, : len(order)])
            c[i] = a[i] - (ahead + c @ moved[: len(order), i]) / moved[i, i]
        result[0::2], result[1::2] = -c, scale * a
        return float(scale), result
