"""Ascents on the dual with intercepts that are not regularized."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.deadline import check_time
from rrmlinear.core.loading import loading
from rrmlinear.core.records import replace
from rrmlinear.data.rows import Rows
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.products import RowSums
from rrmlinear.risks.scores import BlockRisk, ScalarRisk
from rrmlinear.solvers.dual.ascents import ascent_of
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.first import scores_at_zero
from rrmlinear.solvers.loop.inner import NUMBERS_AT_ONCE
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.steps import INNER_GAP_FRACTION
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
# The centre moves where the gap of the ascent is at most this fraction of what the centre adds.
CENTRE_GAP = 0.5


class InterceptAscent(Solver):
    """minimize Ω(w) + Σ_i c_i φ(x_i'w + b, y_i) over w and b, Ω strongly convex.

    Dual: maximize −Σ (c_i φ)*(−α_i) − Ω*(v) with v = Σ c_i α_i x_i over Σ c_i α_i = 0; w = ∇Ω*(v).
    Proximal method of multipliers: b is the weight of an appended column. A pass of an ascent goes
    over Ω(w) + (κ/2)‖b − b_0‖² + Σ c_i φ; then b_0 becomes b. Dense rows are centred in a copy
    unless their mean is short, and b makes up for that; sparse rows are not changed. Losses of k
    scores have k intercepts; for these Ω is a multiple of ‖·‖². With ``accelerate`` the ascent is
    accelerated where it is slow (`Accelerated`), and b_0 becomes b when the inner problem's gap is
    small compared with what b_0 adds to the objective. Choices and start are those of the ascent.

    Certificate: the primal is measured at w and the best b for it. The duals of the certificate
    come from one dual step of each α_i, at scores shifted alike so that Σ c_i α_i = 0. An estimated
    TraceRow shows the dual of the Lagrangian at b.

    ``rows.bias`` > 0 is the value whose weights are returned last, b / bias. Raises ValueError for
    rows without such a column, without a cost above 0, and for another Ω. Source: Rockafellar,
    Augmented Lagrangians and applications of the proximal point algorithm in convex programming,
    1976, section 5.
    """

    def __init__(self, task: Task, accelerate: bool = False) -> None:
        super().__init__()
        self.task, self.rows, self.regularizer = task, task.rows, task.regularizer
        given = task.rows, task.loss, task.targets
        self.risk: Any
        if task.n_classes is None:
            self.risk = ScalarRisk(*given, task.costs, condition=Intercept())
        else:
            if not task.regularizer.linear:
                raise ValueError(
                    "block ascent with unregularized intercepts takes the squared norm as "
                    f"regularizer, got {type(task.regularizer).__name__}"
                )
            sizes = task.n_classes, task.costs, task.choices.threads
            self.risk = BlockRisk(*given, *sizes, condition=Intercept(0))
        self.costs = np.ravel(self.risk.costs)
        self.warm: Any = None  # the end of the search for balanced duals
        self.measuring_work = float(self.rows.shape[0])
        self.accelerates = accelerate
        self.outer: Any = None
        self.inner: Any = None

    def _begin(self, task: Task) -> None:
        """Start an ascent on this task."""
        if self.accelerates:
            with loading:
                from rrmlinear.solvers.dual.accelerated import Accelerated

            self.outer = Accelerated(task, observe=True, repeats=False)
            self.inner = self.outer.ascent
        else:
            self.outer = self.inner = ascent_of(task)
        self.outer.deadline = self.deadline
        self.outer.start()

    @property
    def _last(self) -> Array:
        """The entries of v of the appended column, without what the acceleration adds."""
        last: Array = self.inner.column_of(self.inner.dual_vector)
        if self.accelerates:
            last -= self.outer.kappa * self.inner.column_of(self.outer.center)
        return last

    def _weights(self) -> Array:
        """The weights of the ascent, without those of the appended column."""
        return np.ascontiguousarray(self.inner.present_weights()[:-1])

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
        self.column = float(np.sqrt(max(COLUMN_BY_NORMS * norm, COLUMN_BY_COSTS * modulus / total)))
        visited, omega = visited.with_bias(self.column), self.regularizer.with_intercept()
        self._begin(replace(self.task, rows=visited, regularizer=omega))
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
        outer, modulus = self.outer, self.regularizer.modulus
        outer.target = INNER_GAP_FRACTION * self.target if self.accelerates else self.target
        outer.deadline = self.deadline
        outer.run_pass(number)
        self.moved, self.work = outer.moved, outer.work
        dual, gap = outer.estimate()
        last = self._last
        off = last - self.centre  # the column's value times Σ c_i α_i
        added = float(off @ off) / modulus
        # −Ω*(v) of the inner problem has −last²/2 where the Lagrangian has −last · off.
        self.seen = dual + float((last / 2 - off) @ last) / modulus, gap + added
        if not self.accelerates or gap <= CENTRE_GAP * added or gap <= outer.target:
            self._move_centre(self.column * last / modulus)

    def _move_centre(self, level: Any) -> None:
        # b_0 becomes the level; duals stay. v ends in modulus · b_0 / column + column Σ c_i α_i.
        centre = self.regularizer.modulus * np.atleast_1d(level) / self.column
        self.inner.move_column(centre - self.centre)
        if self.accelerates:
            if not isinstance(self.outer.shift, np.ndarray):
                self.outer.shift = np.zeros_like(self.inner.dual_vector)
            self.inner.add_to_column(self.outer.shift, centre - self.centre)
        self.centre = centre

    def estimate(self) -> tuple[float, float]:
        return self.seen

    def measure(self) -> None:
        self.inner.target = self.target
        weights, scores = self._measured_scores()
        self.inner.activate()
        several = self.task.n_classes is not None
        if several:  # the search for the best intercepts begins at those of the ascent
            b, warm = self._intercept() - self.means @ weights, self.certificate.warm
            self.certificate.warm = self.risk.condition.search_from(b, warm)
        at = self.certificate.at(scores)
        primal = self.certificate.primal_of(weights, at)
        alphas = replace(self.task, start=self.inner.present_duals()).first_duals()
        warm = at.warm if several else self.warm
        duals, self.warm = self.risk.dual_steps(scores, alphas, self.curvature, warm)
        self.certificate.offer_duals(duals)
        self.certificate.offer_weights(lambda: weights, at, primal=primal)

    def _intercept(self) -> Array:
        """The intercepts of the ascent, over centred rows."""
        if self.accelerates:
            last: Array = self.inner.present_weights()[-1]
            return last * self.column
        return self.centre * self.column / self.regularizer.modulus

    def _measured_scores(self) -> tuple[Array, Array]:
        """The weights of the ascent and X w. The gaps by which examples are left out are updated.

        Of dense rows and one score both come from one product with the rows.
        """
        inner = self.inner
        if not self.rows.is_dense or inner.turns is not None or self.task.n_classes is not None:
            inner.losses()
            weights = self._weights()
            return weights, self.risk.scores(weights)
        weights = self._weights()
        scores = self.risk.scores(weights)
        b = self.column * inner.dual_vector[-1] / self.regularizer.modulus
        inner.losses_of(scores + (b - self.means @ weights))
        return weights, scores

    def rounding(self, enough: float) -> float:
        return self.certificate.rounding(enough)

    def close(self) -> None:
        if self.inner is not None:
            self.inner.close()


def _less(values: NDArray[Any], means: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows less their mean, in a copy."""
    result = np.empty(values.shape)
    rows = max(1, NUMBERS_AT_ONCE // max(1, len(means)))
    for begin in range(0, len(values), rows):
        check_time()
        part = slice(begin, begin + rows)
        np.subtract(values[part], means, out=result[part])
    return result
