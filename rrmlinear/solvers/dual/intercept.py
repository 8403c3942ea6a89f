"""Ascents on the dual with intercepts that are not regularized."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.deadline import check_time
from rrmlinear.core.records import replace
from rrmlinear.data.rows import Rows
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.risks.base import Evaluation
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.products import RowSums
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.solvers.dual.ascents import ascent_of
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.first import scores_at_zero
from rrmlinear.solvers.loop.inner import NUMBERS_AT_ONCE
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.task import Task

Array = NDArray[np.float64]

# Lower bounds on the square of the appended value: relative to the mean ‖x_i‖², and to the modulus
# over the sum of all costs. With small costs a smaller value would slow the intercept.
COLUMN_BY_NORMS = 0.1
COLUMN_BY_COSTS = 10.0
# Dense rows are centred where the square of their mean is above this fraction of the mean ‖x_i‖². A
# shorter mean moves the intercept little compared with the appended value, and a copy takes longer.
MIN_CENTRED = 0.01
# Where the mean ‖x_i‖² is below this fraction of the square of the appended value, the intercept
# decides the scores.
MIN_NORM = 1e-6


class InterceptAscent(Solver):
    """minimize Ω(w) + Σ_i c_i φ(x_i'w + b, y_i) over w and b, Ω strongly convex.

    Dual: maximize −Σ (c_i φ)*(−α_i) − Ω*(v) with v = Σ c_i α_i x_i over Σ c_i α_i = 0; w = ∇Ω*(v).
    Proximal method of multipliers: b is the weight of an appended column. A pass of an ascent goes
    over Ω(w) + (κ/2)‖b − b_0‖² + Σ c_i φ; then b_0 becomes b. Dense rows are centred in a copy
    unless their mean is short, and b makes up for that; sparse rows are not changed. Losses of k
    scores have k intercepts.

    Certificate: the primal is measured at w and the best b for it. The duals of the certificate
    come from one dual step of each α_i, at scores shifted alike so that Σ c_i α_i = 0. An estimated
    TraceRow shows the dual of the Lagrangian at b.

    ``rows.bias`` > 0 is the value whose weights are returned last, b / bias. Raises ValueError for
    rows without such a column, and without a cost above 0. Source: Rockafellar, Augmented
    Lagrangians and applications of the proximal point algorithm in convex programming, 1976,
    section 5.
    """

    column_by_norms = COLUMN_BY_NORMS

    def __init__(self, task: Task, risk: Any) -> None:
        super().__init__()
        self.task, self.risk, self.rows, self.regularizer = task, risk, task.rows, task.regularizer
        self.costs = np.ravel(risk.costs)
        self.warm: Any = None  # the end of the search for balanced duals
        self.measuring_work = float(self.rows.shape[0])
        self.inner: Any = None

    def _ascent(self, rows: Rows, regularizer: Regularizer) -> Any:
        """The ascent over rows with the appended column."""
        return ascent_of(replace(self.task, rows=rows, regularizer=regularizer))

    @property
    def _last(self) -> Array:
        """The entries of v of the appended column."""
        raise TypeError(f"{type(self).__name__} has no ascent")

    def _move_last(self, change: Array) -> None:
        """Add to these entries."""

    def _alphas(self) -> Array:
        """The duals of the ascent, in the form of the risk."""
        raise TypeError(f"{type(self).__name__} has no ascent")

    def _weights(self) -> Array:
        """The weights of the ascent, without those of the appended column."""
        raise TypeError(f"{type(self).__name__} has no ascent")

    def _start_ascent(self) -> None:
        self.inner.start()

    def start(self) -> None:
        total, modulus = float(self.costs.sum()), self.regularizer.modulus
        self.means, visited = np.zeros(self.rows.shape[1]), self.rows.with_bias(-1.0)
        norm = float(visited.squared_norms().mean())
        if self.rows.is_dense:
            sums = RowSums(visited, self.costs)
            means = sums.adjoint(sums.roots) / total
            if not means @ means <= MIN_CENTRED * norm:
                centred = _less(self.rows.values, means)
                self.means, visited = means, Rows(centred, None, None, self.rows.shape[1])
                norm = float(visited.squared_norms().mean())
        self.column = float(
            np.sqrt(max(self.column_by_norms * norm, COLUMN_BY_COSTS * modulus / total))
        )
        self.inner = self._ascent(visited.with_bias(self.column), self.regularizer.with_intercept())
        self._start_ascent()
        self.notes = self.inner.notes
        norms, square = self.risk.rows.squared_norms(), self.column**2
        near = norms.mean()
        # the dual steps of rows of zeros stay near the duals too
        near = near if near > MIN_NORM * square else square
        self.curvature = self.costs * (norms + near) / modulus
        self.certificate = Certificate(self.risk, self.regularizer)
        self.centre = np.zeros(len(self._last))
        weights = self._weights()
        scores = self.risk.scores(weights) if weights.any() else scores_at_zero(self.risk)
        self._move_centre(self.risk.at(scores).intercept + self.means @ weights)

    def run_pass(self, number: int) -> None:
        inner, modulus = self.inner, self.regularizer.modulus
        inner.target, inner.deadline = self.target, self.deadline
        inner.run_pass(number)
        self.moved, self.work = inner.moved, inner.work
        dual, gap = inner.estimate()
        last = self._last
        off = last - self.centre  # the column's value times Σ c_i α_i
        # −Ω*(v) of the inner problem has −last²/2 where the Lagrangian has −last · off.
        rise = float((last / 2 - off) @ last) / modulus
        self.seen = dual + rise, gap + float(off @ off) / modulus
        self._move_centre(self.column * last / modulus)

    def _move_centre(self, level: Any) -> None:
        # b_0 becomes the level; duals stay. v ends in modulus · b_0 / column + column Σ c_i α_i.
        centre = self.regularizer.modulus * np.atleast_1d(level) / self.column
        self._move_last(centre - self.centre)
        self.centre = centre

    def estimate(self) -> tuple[float, float]:
        return self.seen

    def measure(self) -> None:
        self.inner.target = self.target
        weights, scores = self._measured_scores()
        self.inner.activate()
        self._look_near(self._intercept() - self.means @ weights)
        at = self.certificate.at(scores)
        primal = self.certificate.primal_of(weights, at)
        duals, self.warm = self.risk.dual_steps(
            scores, self._alphas(), self.curvature, self._warm(at)
        )
        self.certificate.offer_duals(duals)
        self.certificate.offer_weights(lambda: weights, at, primal=primal)

    def _intercept(self) -> Array:
        """The intercepts of the ascent, over centred rows."""
        return self.centre * self.column / self.regularizer.modulus

    def _look_near(self, b: Array) -> None:
        """Begin the search for the best intercepts at these; scalars begin at the last ones."""

    def _warm(self, at: Evaluation) -> Any:
        """Where the search for balanced duals begins: the end of the last one."""
        return self.warm

    def _measured_scores(self) -> tuple[Array, Array]:
        """The weights of the ascent and X w. The gaps by which examples are left out are
        updated.
        """
        self.inner.losses()
        weights = self._weights()
        return weights, self.risk.scores(weights)

    def rounding(self, enough: float) -> float:
        return self.certificate.rounding(enough)

    def close(self) -> None:
        if self.inner is not None:
            self.inner.close()


class InterceptSDCA(InterceptAscent):
    """`InterceptAscent` by passes of `ProxSDCA`, for losses of one score.

    Choices and start are those of `ProxSDCA`; duals returned are per unit of cost, as there. Raises
    ValueError for a loss of several scores.
    """

    def __init__(self, task: Task) -> None:
        given = task.rows, task.loss, task.targets, task.costs
        super().__init__(task, ScalarRisk(*given, condition=Intercept()))

    @property
    def _last(self) -> Array:
        return np.array(self.inner.state.dual_vector[-1:])

    def _move_last(self, change: Array) -> None:
        self.inner.state.dual_vector[-1:] += change

    def _alphas(self) -> Array:
        return np.ascontiguousarray(self.inner.state.alphas)

    def _weights(self) -> Array:
        return self.regularizer.primal_of(self.inner.dual_vector[:-1])

    def _measured_scores(self) -> tuple[Array, Array]:
        inner = self.inner
        if not self.rows.is_dense or inner.turns is not None:
            return super()._measured_scores()
        weights = self._weights()
        scores = self.risk.scores(weights)
        b = self.column * inner.dual_vector[-1] / self.regularizer.modulus
        inner.losses_of(scores + (b - self.means @ weights))
        return weights, scores


def _less(values: NDArray[Any], means: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows less their mean, in a copy."""
    result = np.empty(values.shape)
    rows = max(1, NUMBERS_AT_ONCE // max(1, len(means)))
    for begin in range(0, len(values), rows):
        check_time()
        part = slice(begin, begin + rows)
        np.subtract(values[part], means, out=result[part])
    return result
