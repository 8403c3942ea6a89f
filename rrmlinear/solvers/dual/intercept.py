"""Ascents on the dual with intercepts that are not regularized."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.loading import loading
from rrmlinear.core.records import replace
from rrmlinear.data.array_rows import in_units
from rrmlinear.data.products import product
from rrmlinear.data.rows import Rows
from rrmlinear.regularizers.coordinates import coordinates_of
from rrmlinear.risks.products import RowSums
from rrmlinear.solvers.dual.ascents import ascent_of
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.first import scores_at_zero
from rrmlinear.solvers.loop.line_search import lowest_along
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.steps import INNER_GAP_FRACTION
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.loop.tolerances import FEW_ROUNDINGS, MAX_TRIALS, MIN_DIVISOR, SUM_ROUNDING
from rrmlinear.solvers.second_order.augmented_loss import AugmentedLoss
from rrmlinear.solvers.second_order.factors import Factor

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
    """minimize Ω(w) + Σ_i c_i φ(x_i'w + b, y_i) over w and b, Ω strongly convex but for features
    without a penalty.

    Dual: maximize −Σ (c_i φ)*(−α_i) − Ω*(v) with v = Σ c_i α_i x_i over Σ c_i α_i = 0; w = ∇Ω*(v).
    Proximal method of multipliers: b is the weight of an appended column. A pass of an ascent goes
    over Ω(w) + (κ/2)‖b − b_0‖² + Σ c_i φ; then b_0 becomes b. Dense rows are centred in a copy
    unless their mean is short, and b makes up for that; sparse rows are not changed. Losses of k
    scores have k intercepts; for these Ω is a multiple of ‖·‖². With ``accelerate`` the ascent is
    accelerated where it is slow (`Accelerated`), and b_0 becomes b when the inner problem's gap is
    small compared with what b_0 adds to the objective. Choices and start are those of the ascent.

    Weights without a penalty beside the squared norm are as b, which may be absent then. Columns
    are in units, in a copy, by which the others have one modulus.

    Certificate: the primal is measured at w and the best b for it. The duals of the certificate
    come from one dual step of each α_i, at scores shifted alike so that Σ c_i α_i = 0, or from the
    best `FreeWeights` beside the scores. An estimated TraceRow shows the dual of the Lagrangian at
    b.

    ``rows.bias`` > 0 is the value whose weights are returned last, b / bias. Raises ValueError for
    rows without such a column, and without a cost above 0. Source: Rockafellar,
    Augmented Lagrangians and applications of the proximal point algorithm in convex programming,
    1976, section 5.
    """

    def __init__(self, task: Task, accelerate: bool = False) -> None:
        super().__init__()
        self.task, self.rows, self.regularizer = task, task.rows, task.regularizer
        #: The Ω of weights with a penalty, and the modulus of each feature's, where they differ.
        self.omega: Any = task.regularizer
        self.moduli: Array | None = None
        self.box: Any = (-np.inf, np.inf)  # of weights; the ascent does not know it
        self.has_intercept = bool(task.choices.free_bias)
        if self.omega.quadratic_l1 is None:
            self.omega = task.regularizer.inner  # type: ignore[attr-defined]
            features = task.rows.width - self.has_intercept
            numbers: Any = coordinates_of(task.regularizer, features * (task.n_classes or 1))
            self.moduli = numbers.modulus.reshape(features, -1)[:, 0] / self.omega.modulus
            shape = (features, task.n_classes) if task.n_classes else features
            self.box = numbers.lower.reshape(shape), numbers.upper.reshape(shape)
        self.risk: Any = self._risk(task.rows)
        self.costs = np.ravel(self.risk.costs)
        self.warm: Any = None  # the end of the search for balanced duals
        self.measuring_work = float(self.rows.shape[0])
        self.accelerates, self.k = accelerate, task.n_classes or 1
        self.outer: Any = None
        self.inner: Any = None

    def _risk(self, rows: Rows) -> Any:
        """F over these rows, with the best intercepts."""
        searches = None if self.task.n_classes is None else 0
        return replace(self.task, rows=rows).whole(searches)

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
        is_one = task.n_classes is None
        self.layout = (1, task.rows.width, 1) if is_one else self.inner.state.panels.shape

    def _columns_of(self, vector: Array) -> Array:
        """The entries of the free columns of a vector in the layout of v, m × k."""
        entries = vector.reshape(self.layout)[:, self.places]
        return entries.swapaxes(0, 1).reshape(len(self.places), -1)[:, : self.k].copy()

    def _add_to_columns(self, vector: Array, change: Array) -> None:
        """Add to these entries."""
        count, _, lanes = self.layout
        wide = np.pad(change, ((0, 0), (0, count * lanes - self.k)))
        part = wide.reshape(len(change), count, lanes).swapaxes(0, 1)
        vector.reshape(self.layout)[:, self.places] += part

    @property
    def _last(self) -> Array:
        """The entries of v of the free columns, without what the acceleration adds."""
        last = self._columns_of(self.inner.dual_vector)
        if self.accelerates:
            last -= self.outer.kappa * self._columns_of(self.outer.center)
        return last

    def _weights(self) -> Array:
        """The weights of the ascent, without those of the appended column."""
        weights = self.inner.present_weights()
        weights = weights[:-1] if self.has_intercept else weights
        found: Array = np.clip(np.ascontiguousarray((weights.T * self.units).T), *self.box)
        return found

    def start(self) -> None:
        total, modulus = float(self.costs.sum()), self.omega.modulus
        self.means = np.zeros(self.rows.width - self.has_intercept)
        visited = self.rows.with_bias(-1.0) if self.has_intercept else self.rows
        norm = float(visited.squared_norms().mean())
        if self.rows.is_dense and self.has_intercept:
            sums = RowSums(visited, self.costs)
            means = sums.adjoint(sums.roots) / total
            if not means @ means <= MIN_CENTRED * norm:
                self.means, centred = means, self.rows.values - means
                visited = Rows(centred, None, None, self.rows.shape[1])
                norm = float(visited.squared_norms().mean())
        column = float(np.sqrt(max(COLUMN_BY_NORMS * norm, COLUMN_BY_COSTS * modulus / total)))
        self.units: Any = 1.0
        free = np.zeros(0, dtype=np.intp)
        if self.moduli is not None:
            free = np.flatnonzero(self.moduli == 0)
            bias = self.rows.bias if self.has_intercept else -1.0
            self.free_weights = FreeWeights(self.rows, free, self._risk, bias)
            squares = RowSums(visited, self.costs).diagonal()[free] / total
            self.units = 1 / np.sqrt(np.where(self.moduli > 0, self.moduli, 1.0))
            # centred, a column of one number is 0 but for the rounding of its mean
            none = (SUM_ROUNDING * self.means[free]) ** 2
            self.units[free] = column / np.sqrt(np.where(squares > none, squares, 1.0))
            visited = in_units(visited, self.units)
        self.column, self.places, omega = column, free, self.omega
        if self.has_intercept:
            visited, omega = visited.with_bias(column), omega.with_intercept()
            self.places = np.append(free, visited.width - 1)
        self._begin(replace(self.task, rows=visited, regularizer=omega))
        self.notes = self.inner.notes
        measured = self.risk.rows if self.moduli is None else visited.with_bias(-1.0)
        norms, square = measured.squared_norms(), column**2
        near = norms.mean()
        # the dual steps of rows of zeros stay near the duals too
        near = near if near > MIN_NORM * square else square
        self.curvature = self.costs * (norms + near) / modulus
        self.certificate = Certificate(self.risk, self.regularizer)
        self.centre = np.zeros(self._last.shape)
        weights = self._weights()
        scores = self.risk.scores(weights) if weights.any() else scores_at_zero(self.risk)
        centre = self._last
        if self.has_intercept:
            b = self.risk.at(scores).intercept + self.means @ weights
            centre[-1] = modulus * b / column
        self._move_centre(centre)

    def run_pass(self, number: int) -> None:
        outer, modulus = self.outer, self.omega.modulus
        outer.target = INNER_GAP_FRACTION * self.target if self.accelerates else self.target
        outer.deadline = self.deadline
        outer.run_pass(number)
        self.moved, self.work = outer.moved, outer.work
        dual, gap = outer.estimate()
        last = self._last
        off = last - self.centre  # the column's value times Σ c_i α_i
        added = float(np.vdot(off, off)) / modulus
        # −Ω*(v) of the inner problem has −last²/2 where the Lagrangian has −last · off.
        self.seen = dual + float(np.vdot(last / 2 - off, last)) / modulus, gap + added
        if not self.accelerates or gap <= CENTRE_GAP * added or gap <= outer.target:
            self._move_centre(last)

    def _move_centre(self, centre: Array) -> None:
        # b_0 becomes that of the centre; duals stay. v has the centre + column Σ c_i α_i there.
        change, before = centre - self.centre, self._columns_of(self.inner.dual_vector)
        self._add_to_columns(self.inner.dual_vector, change)
        if self.task.n_classes is not None:
            rise = float(np.vdot(change, 2 * before + change)) / 2
            self.inner.raise_conjugate(rise / self.inner.regularizer.modulus)
        if self.accelerates:
            if not isinstance(self.outer.shift, np.ndarray):
                self.outer.shift = np.zeros_like(self.inner.dual_vector)
            self._add_to_columns(self.outer.shift, change)
        self.centre = centre

    def estimate(self) -> tuple[float, float]:
        return self.seen

    def measure(self) -> None:
        self.inner.target = self.target
        self.inner.losses()  # updates the gaps by which examples are left out
        weights = self._weights()
        scores = self.risk.scores(weights)
        self.inner.activate()
        several = self.task.n_classes is not None
        if several and self.has_intercept:  # the search begins at the intercepts of the ascent
            b = self.inner.present_weights()[-1] * self.column - self.means @ weights
            self.certificate.warm = self.risk.condition.search_from(b, self.certificate.warm)
        at = self.certificate.at(scores)
        primal = self.certificate.primal_of(weights, at)
        alphas = replace(self.task, start=self.inner.present_duals()).first_duals()
        self.certificate.offer_weights(lambda: weights, at, primal=primal)
        if self.moduli is None:
            warm = at.warm if several else self.warm
            duals, self.warm = self.risk.dual_steps(scores, alphas, self.curvature, warm)
            self.certificate.offer_duals(duals)
            return
        # weights and duals near those of the ascent, the duals without a pull on free columns
        found, change = self.free_weights.best(at, alphas, float(np.mean(self.curvature)))
        self.certificate.offer_duals(-found.derivatives)
        moved = weights.copy()
        moved[self.free_weights.free] += change
        self.certificate.offer_weights(np.clip(moved, *self.box))

    def close(self) -> None:
        if self.inner is not None:
            self.inner.close()


class FreeWeights:
    """The weights of ``free`` columns that are best beside scores, with the augmented Lagrangian of
    F about given duals in place of F, by steps of Newton's method. ``risk`` makes F of rows.
    """

    def __init__(self, rows: Rows, free: NDArray[np.intp], risk: Any, bias: float) -> None:
        self.free, chosen = free, np.zeros((rows.width, len(free)))
        chosen[free, np.arange(len(free))] = 1.0
        values = np.ascontiguousarray(product(rows, chosen, rows.shape[1]))
        self.risk = risk(Rows(values, None, None, len(free), bias))

    def best(self, at: Any, alphas: Any, smoothing: float) -> tuple[Any, Array]:
        """F at the best weights, whose duals have no pull on the columns; how far these moved."""
        inner = AugmentedLoss(self.risk, alphas)
        if inner.has_kinks or "envelope" in self.risk.offers:
            inner.smooth_by(smoothing)
        found, change = inner.at(at.scores, at.warm), np.zeros(self.risk.shape)
        for _ in range(MAX_TRIALS):
            downhill = -self.risk.gradient(found.derivatives)
            if float(np.abs(downhill).max()) <= FEW_ROUNDINGS * float(self.risk.costs.sum()):
                break
            matrix = found.hessian().matrix()
            least = max(SUM_ROUNDING * float(matrix.trace()), MIN_DIVISOR)
            matrix.flat[:: len(matrix) + 1] += least
            step = Factor(matrix).solve(downhill.ravel()).reshape(change.shape)
            line = found.line(self.risk.scores(step))
            t = lowest_along(line, lambda _: 0.0)
            if t == 0:
                break
            found, change = line.at(t), change + t * step
        return found, change
