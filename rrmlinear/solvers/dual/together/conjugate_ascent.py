"""Ascent on all duals of the logistic loss at once, by conjugate directions."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.risks.conditions.base import Search
from rrmlinear.solvers.dual.together._dual_moves import ShortMoves, dual_moves, scores_and_sum
from rrmlinear.solvers.dual.together._search import best_multiples
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.first import scores_at_zero
from rrmlinear.solvers.loop.solver import Solver

Array = NDArray[np.float64]

# Passes by the copy return to the rows once the gap is REACH of the last gap by the rows, and after
# MOST_PASSES passes. The copy is left if the gap by the rows is then above MOST_WRONG times the gap
# by the copy. It is also left if MOST_PASSES passes did not halve the gap by the rows.
REACH, MOST_PASSES, MOST_WRONG = 1e-7, 20, 2.0


class ConjugateAscent(Solver):
    """maximize −Σ c_i φ*(−α_i) − ‖v‖²/(2 λ), v = Σ c_i α_i x_i, over Σ c_i α_i = 0.

    That is the dual of (λ/2)‖w‖² + Σ c_i φ(x_i'w + b, y_i) over w and b, for the logistic loss φ.
    A pass reads the rows once: it finds the dual step of each example as if it moved alone, and
    with it how steps follow b, so that they are balanced to first order. The duals then go to the
    maximum over this direction and that of the last pass, whose v are known. Such steps are those
    of conjugate gradients, with the diagonal of the dual's second derivative as metric. They are
    few where rows are nearly orthogonal, as those of many more features than examples may be.
    ``stretch`` is about the largest eigenvalue of XX' over the mean of its diagonal: single steps
    with curvatures as many times larger do not overshoot together.

    Passes over dense rows read a copy with 16 bits a value. It tells how scores and v change since
    they were found by the rows, so that its errors fade with the changes: passes by the copy and
    returns to the rows, one by one, lead to the optimum of the rows. Where they do not, passes
    read the rows.

    Certificate: weights, with their best b, and duals by the rows; those of a pass over rows are
    w = v / λ before its step and the duals behind it. Source: Knyazev, Toward the optimal
    preconditioned eigensolver, 2001, for the choice of directions.
    """

    measures_first = False

    def __init__(self, risk: Any, regularizer: Regularizer, stretch: float) -> None:
        super().__init__()
        self.risk, self.regularizer, self.stretch = risk, regularizer, stretch
        self.modulus, self.n = regularizer.modulus, len(risk.costs)

    def start(self) -> None:
        risk = self.risk
        self.certificate = Certificate(risk, self.regularizer)
        self.copy = _short_copy(risk)
        self.squares = risk.rows.squared_norms() if self.copy is None else self.copy.squares
        self.curvatures = self.stretch * risk.costs * self.squares / self.modulus
        scores = scores_at_zero(risk)
        self.warm = risk.at(scores).warm
        self.b = self.warm.at
        self.alphas, self.vector = np.zeros(self.n), np.zeros(risk.rows.width)
        self.around = self.vector, scores
        self.last: tuple[Array, Array] | None = None
        self.gap = self.gap_by_rows = math.inf
        self.falls = 1.0, 1.0
        self.passes_by_copy = 0
        move = self._move(self.vector)[1]
        # from half of the first step on: the derivative of φ* at 0 is infinite
        self.alphas, self.vector = move[0] / 2, move[1] / 2
        self.conjugate = float(risk.conjugate(self.alphas))
        self._go(move, None)

    def run_pass(self, number: int) -> None:
        self.work += self.n
        risk, w = self.risk, self.vector / self.modulus
        scores, move = self._move(w)
        self.w, self.at = w, risk.at(scores, self.warm)
        self.warm, before = self.at.warm, self.gap
        weighed = risk.costs * scores
        self.gap = float(self.at.value + self.conjugate + weighed @ self.alphas)
        self._go(move, weighed)
        if self.copy is None:
            return
        self.falls = self.falls[1], self.gap / before if self.gap < before < math.inf else 1.0
        if math.isinf(self.gap_by_rows):
            self.gap_by_rows = self.gap
        self.passes_by_copy += 1
        if self.gap <= REACH * self.gap_by_rows or self.passes_by_copy >= MOST_PASSES:
            self.work += self.n
            self._return_to_rows()

    def _move(self, w: Array) -> tuple[Array, tuple[Array, Array]]:
        """Scores of weights; the moves of dual steps there, and their Σ c_i m_i x_i."""
        risk, y, costs = self.risk, self.risk.labels, self.risk.costs
        at = self.b, self.alphas, self.curvatures
        if self.copy is None:
            scores, moves, rates, sums, slopes = dual_moves(risk, w, *at)
        else:
            known, around = self.around
            scores, moves, rates, sums, slopes = self.copy.moves(w - known, around, *at)
        rate = float(costs @ rates)
        shift = float(costs @ (self.alphas + moves)) / rate if rate > 0 else 0.0
        moves, sums = moves - shift * rates, sums - shift * slopes
        self.b += shift
        found = y * (self.alphas + moves)
        if not (found.min() > 0 and found.max() < 1):
            steps, end = risk.dual_steps(scores, self.alphas, self.curvatures, Search(self.b))
            moves, self.b = steps - self.alphas, end.at
            sums = risk.gradient(moves)
        return scores, (moves, sums)

    def _return_to_rows(self) -> None:
        """Find v, and the scores of its weights, by the rows; the copy tells changes from there."""
        risk, w = self.risk, self.vector / self.modulus
        scores, self.vector = scores_and_sum(risk, w, self.alphas)
        self.w, self.at, self.around = w, risk.at(scores, self.warm), (w, scores)
        self.dual = self._dual()
        gap = float(self.at.value + self.modulus / 2 * float(w @ w)) - self.dual
        is_slow = self.passes_by_copy >= MOST_PASSES and gap > self.gap_by_rows / 2
        if gap > MOST_WRONG * self.gap or is_slow:
            self.copy = self.last = None  # the v of the last step is by the copy
        self.warm, self.gap, self.gap_by_rows = self.at.warm, gap, gap
        self.passes_by_copy = 0

    def _dual(self) -> float:
        squares = float(self.vector @ self.vector) / (2 * self.modulus)
        return -self.conjugate - squares

    def _go(self, move: tuple[Array, Array], weighed: Array | None) -> None:
        """Go to the maximum over the move and the last one.

        ``weighed`` are the c_i s_i at the present weights, if known.
        """
        risk, pairs = self.risk, [move] if self.last is None else [move, self.last]
        moves, images = (np.array(each) for each in zip(*pairs, strict=True))
        gram, along = images @ images.T / self.modulus, images @ self.vector / self.modulus
        slope = along if weighed is None else moves @ weighed
        size = float(self.vector @ self.vector) / self.modulus
        t = best_multiples(risk, self.alphas, moves, gram, slope, size)
        before = self.conjugate - t @ slope - t @ gram @ t / 2
        self.last = t @ moves, t @ images
        self.alphas, self.vector = self.alphas + self.last[0], self.vector + self.last[1]
        self.conjugate = float(risk.conjugate(self.alphas))
        self.moved = self.n if self.last[0].any() else 0
        self.dual = self._dual()
        self.gap -= before - self.conjugate

    def estimate(self) -> tuple[float, float]:
        gap = max(0.0, self.gap)
        # a look at the rows finds weights after the last step: theirs, if it falls on as before
        return self.dual, gap if self.copy is None else gap * max(self.falls)

    def measure(self) -> None:
        if self.copy is not None:
            self._return_to_rows()
        self.certificate.offer_weights(self.w, self.at, exact=True)
        self.certificate.offer_duals(self.alphas, self.vector, exact=True)

    def rounding(self, enough: float) -> float:
        return self.certificate.rounding(enough, self.squares)


def _short_copy(risk: Any) -> ShortMoves | None:
    """A short copy of dense rows in memory, without an appended column; None out of its range."""
    rows = risk.rows
    if rows.is_dense and rows.blocks is None and rows.width == rows.shape[1]:
        with suppress(FloatingPointError):
            return ShortMoves(risk)
    return None
