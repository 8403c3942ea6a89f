"""Sums of losses of k scores at given scores, and along lines; at the best intercepts too."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.balanced_hessian import BalancedHessian
from rrmlinear.risks.base import Conditioned, Evaluation
from rrmlinear.risks.line import Line, moved

Array = NDArray[np.float64]

# An example whose derivatives at both ends of an interval differ by less than this fraction of the
# difference of all counts as linear in between.
LINEAR_FRACTION = 1e-9


class BlockEvaluation(Evaluation):
    """F of losses of k scores."""

    def along(
        self, moves: Array, x: float, warm: Any = None, *, value: bool = True, keep: bool = True
    ) -> tuple[Evaluation, float]:
        """As above, in one way through memory."""
        rate, total, derivatives, scores = self.terms.along(self.scores, moves, x, value)
        at = self.risk.at(scores)
        known = vars(at)
        known["derivatives"] = derivatives
        if value:
            known["value"] = total
        return at, rate

    def line(self, moves: Array) -> BlockLine:
        """As above, from the examples alone whose derivatives still change."""
        return BlockLine(self, moves)

    def hessian(self) -> Any:
        """∇²F as a function of the weights, for a smooth or smoothed loss."""
        return self.risk.hessian(self.derivatives)


class BlockLine(Line):
    """The same for a sum over examples without a condition.

    The derivative of a convex function that is equal at both ends of an interval is the same in
    between. So a search reads the other examples alone once it has an interval.
    """

    def __init__(self, begin: Any, moves: Array) -> None:
        super().__init__(begin, moves)
        derivatives = begin.risk.costs * begin.derivatives
        #: The derivatives of the examples by t.
        self.rates: dict[float, Array] = {0.0: np.einsum("ij,ij->i", derivatives, moves)}

    def derivative(self, t: float) -> float:
        known = self.rates
        if t not in known:
            low = max((x for x in known if x < t), default=None)
            high = min((x for x in known if x > t), default=None)
            if low is None or high is None:
                self._whole(t)
            else:
                apart = np.abs(known[high] - known[low])
                some = np.flatnonzero(apart > LINEAR_FRACTION * apart.sum())
                known[t] = known[low].copy()
                self.begin.terms.rates(self.begin.scores, self.moves, t, some, known[t])
        return float(known[t].sum())

    def _whole(self, t: float) -> None:
        self._last, rates = None, np.zeros(len(self.moves))
        begin = self.begin
        _, _, derivatives, scores = begin.terms.along(begin.scores, self.moves, t, False, rates)
        at = begin.risk.at(scores)
        vars(at)["derivatives"] = derivatives
        self._last, self.rates[t] = (t, at), rates


class BalancedEvaluation(Conditioned):
    """F of losses of k scores, at the best intercepts."""

    @property
    def is_above(self) -> bool:  # type: ignore[override]
        return not (self.condition.smooth or self.condition.searches)

    def line(self, moves: Array) -> BalancedLine:
        """As above, on a line of scores and intercepts."""
        return BalancedLine(self, moves)

    def nearby(self, warm: Any) -> Any:
        """As above: from the intercepts found here."""
        return self.condition.search_from(self.intercept, warm)

    def hessian(self) -> BalancedHessian:
        """∇²F as a function of the weights."""
        risk = self.risk
        active = risk.rates_of_classes.active(self.derivatives, risk.smoothing)
        return BalancedHessian(risk.rows, risk.shape[1], active)


class BalancedLine(Line):
    """The losses on a line on which the intercepts b move too, as the best ones do at its begin.

    `at` finds the best intercepts from there.
    """

    def __init__(self, begin: BalancedEvaluation, moves: Array) -> None:
        super().__init__(begin, moves)
        risk = begin.risk
        self.shift = -begin.condition.answer(
            begin.best,
            risk.rates_of_classes.moved(begin.derivatives, risk.smoothing, moves),
        )
        self.both = moves + self.shift

    def derivative(self, t: float) -> float:
        begin = self.begin
        if t == 0:
            return begin.derivative_along(self.moves)
        return float(begin.terms.along(begin.moved, self.both, t, False)[0])

    def at(self, t: float) -> Any:
        begin = self.begin
        if t == 0:
            return begin
        warm = begin.warm.moved(t * self.shift)
        return begin.risk.at(moved(begin.scores, self.moves, t), warm)
