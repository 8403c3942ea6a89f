"""One score under several costs of its examples, as folds of cross validation have them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.risks.conditions.balance import Side, root
from rrmlinear.risks.conditions.base import Search
from rrmlinear.risks.conditions.intercept import BALANCE_ROUNDING
from rrmlinear.risks.hessian import Hessian
from rrmlinear.risks.terms import ScalarTerms
from rrmlinear.solvers.lbfgs.descent import RowDescent
from rrmlinear.solvers.lbfgs.metric import Metric
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.tolerances import SUM_ROUNDING
from rrmlinear.solvers.second_order._triangles import solved_by_factor

Array = NDArray[np.float64]

# With at least this number of examples for each feature, folds are alike: they share a second
# derivative.
MIN_ALIKE = 4


class ScalarProblems(RowDescent):
    """minimize ½‖w‖² + C Σ_i c_fi φ(x_i'w + b, y_i) over w and b, for each row c_f of ``costs``.

    φ is smooth, and b is 0 unless it is ``free``. The duals are α = −φ' at w and the best b for w.

    Where there are few examples, ``factor`` is L with L L' = X X' (`cholesky_factor`). Every w has
    a u with L u = X w and ‖u‖ ≤ ‖w‖, and equality for w = X'β, u = L'β: so the weights are those of
    the rows of L.
    """

    def __init__(
        self,
        rows: Rows,
        loss: ScalarLoss,
        y: Array,
        costs: Array,
        free: bool,
        tolerance: float,
        most: int,
        metric: Metric,
        factor: Array | None = None,
    ) -> None:
        used = rows if factor is None else Rows(factor, None, None, rows.shape[0])
        super().__init__(used, costs, free, tolerance, most, metric)
        self.given, self.factor = rows, factor
        self.terms = [ScalarTerms(loss, y, each) for each in self.costs]
        self.intercepts = np.zeros(len(costs))
        self.rates = self.costs.sum(axis=1) / max(loss.smoothing, 1.0)

    def coefs(self, f: int) -> Array:
        """The weights of the features in problem f."""
        if self.factor is None:
            return self.weights[f].copy()
        u = self.weights[f]
        beta = solved_by_factor(self.factor, self.factor @ u)
        return Hessian(self.given, np.ones(len(u))).adjoint(beta)

    def held(self, f: int, examples: NDArray[np.intp]) -> Array:
        """The scores of some examples in problem f."""
        held: Array = self.scores[f, examples] + self.intercepts[f]
        return held

    def offer(self, certificate: Certificate, C: float) -> None:
        """Offer the weights and duals of one problem."""
        risk, w, costs = certificate.risk, self.weights[0].copy(), self.costs[0]
        search = Search(float(self.intercepts[0])) if self.free else None
        certificate.offer_weights(w, risk.at(self.scores[0].copy(), search), span=self.spans)
        alphas = np.divide(self.pulls[0], costs, out=np.zeros(len(costs)), where=costs > 0)
        vector = C * certificate.regularizer.modulus * self.sums[0]
        certificate.offer_duals(alphas, vector, exact=True)

    def _look(self, f: int) -> None:
        terms, scores = self.terms[f], self.scores[f]
        if self.free:
            b, rate = float(self.intercepts[f]), float(self.rates[f])
            at, _, self.rates[f] = root(_look_at(terms, scores), b, rate, SUM_ROUNDING)
            self.intercepts[f] = at.b
            self.balanced[f] = abs(at.sum) <= BALANCE_ROUNDING * at.size
        self.losses[f] = terms.pulls(scores, float(self.intercepts[f]), self.pulls[f])

    def _curvatures(self, f: int) -> Array:
        return self.terms[f].curvatures(self.scores[f] + self.intercepts[f])


def _look_at(terms: ScalarTerms, scores: Array) -> Any:
    def look(b: float) -> tuple[float, float]:
        total, size, _ = terms.sums(scores, b)
        return -total, size

    return lambda b: Side(b, lambda b: terms.derivatives(scores + b), terms.costs, look)
