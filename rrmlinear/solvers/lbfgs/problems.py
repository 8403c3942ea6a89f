"""L-BFGS over rows in memory, of one score or of all classes: which tasks and paths it takes."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.risks.conditions.balance import Side, root
from rrmlinear.risks.conditions.base import Search
from rrmlinear.risks.conditions.intercept import BALANCE_ROUNDING, ways_of_duals
from rrmlinear.risks.hessian import Hessian
from rrmlinear.risks.terms import ScalarTerms
from rrmlinear.solvers.lbfgs.class_problems import MAX_SCORES, MAX_WHOLE, ClassProblems
from rrmlinear.solvers.lbfgs.descent import How, RowDescent, suits
from rrmlinear.solvers.lbfgs.lbfgs import LBFGS
from rrmlinear.solvers.lbfgs.metric import Curvatures, Diagonal
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.first import first_weights
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.loop.tolerances import SUM_ROUNDING
from rrmlinear.solvers.second_order._triangles import solved_by_factor
from rrmlinear.solvers.second_order.factors import MAX_FACTORIZED, cholesky_factor
from rrmlinear.solvers.second_order.samples import (
    SAMPLE_FRACTION,
    SAMPLE_GAP,
    SAMPLE_PASSES,
    sample_of,
    suits_sample,
)
from rrmlinear.solvers.second_order.work import (
    NEWTON_PRODUCTS,
    STEP_COST,
    matrix_work,
    sampled,
    visit_work,
)

Array = NDArray[np.float64]

# With at least this number of examples for each feature, folds are alike: they share a second
# derivative.
MIN_ALIKE = 4
# L-BFGS takes the softmax with at least MIN_VALUES places of values, as with fewer other methods
# take some milliseconds, and MIN_MANY examples for each weight that a second derivative has. With
# fewer examples the ascent takes less time than second derivatives of classes.
MIN_VALUES, MIN_MANY = 5_000, 8
# With free intercepts, at least MIN_ALIKE examples for each feature and at most
# MAX_WHOLE weights, L-BFGS about a diagonal takes less time than the ascent: 0.2 to 0.6 of
# it. With more weights it takes 0.2 to 0.4 on Gaussian columns, but 0.5 to 2 on mnist. Without an
# intercept it takes longer where the mean of the rows is long.
# The sample of one problem has one of every SAMPLE_FRACTION examples. Several classes have at least
# MIN_MANY examples for each weight in it.
# Limit on the entries of all factors of the second derivative of a mean example.
MAX_MEAN_ENTRIES = 20_000_000
# Products with all examples in a step.
STEP_PRODUCTS = 2


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
        how: How,
        factor: Array | None = None,
    ) -> None:
        used = rows if factor is None else Rows(factor, None, None, rows.shape[0])
        super().__init__(used, costs, how)
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


def applies(task: Task) -> bool:
    """Whether `descent` solves this task: a smooth loss under the squared norm.

    One score takes it over dense rows where the matrix of a second derivative, which L-BFGS keeps,
    takes longer than steps of as many products as one of Newton's method has. All classes of the
    softmax do over rows that are half full, with many examples for each weight, or with free
    intercepts, few weights, and many examples for each feature.
    """
    rows, k, omega = task.rows, task.n_classes, task.regularizer
    free, n, d = bool(task.choices.free_bias), task.rows.shape[0], task.rows.width
    is_norm = omega.linear and omega.quadratic_l1 == 0 and omega.modulus > 0
    if not is_norm or task.choices.budget is not None or task.risk is not None:
        return False
    if k is None:
        if not (task.is_smooth and rows.is_dense and d < n and d <= MAX_FACTORIZED):
            return False
        # steps of as many products as one of Newton's method
        steps = NEWTON_PRODUCTS * (n * visit_work(rows.n_stored / n, 1) + STEP_COST / STEP_PRODUCTS)
        return n * matrix_work(rows) > steps and suits(rows) and _is_two_sided(task, slice(0, n))
    if task.start is not None or task.weights is not None:
        return False
    is_tall = free and _has_factor(k, d) and n >= MIN_ALIKE * d
    if n * d < MIN_VALUES or not (is_tall or _are_many(k, n, d)) or n * k > MAX_SCORES:
        return False
    has_all = bool(np.bincount(task.targets, task.costs, k).all())
    return suits(rows) and has_all and 2 * rows.n_stored >= n * d


def _is_two_sided(task: Task, some: Any) -> bool:
    """Whether some examples of one score pull the intercept up and others down, if it is free."""
    y = task.targets[some][task.costs[some] > 0]
    return not task.choices.free_bias or all(ways_of_duals(task.loss, y))


def _are_many(k: int, n: int, d: int) -> bool:
    """Whether there are many examples for each weight that a second derivative has."""
    few = k * d**2 <= MAX_MEAN_ENTRIES
    return few and n >= MIN_MANY * d * (k if _has_factor(k, d) else 1)


def _has_factor(k: int, d: int) -> bool:
    """Whether the second derivative of all weights is factorized; else that of a mean example."""
    return k * d <= MAX_WHOLE


def descent(task: Task) -> Solver:
    """`LBFGS` of a task to which it `applies`."""
    return LBFGS(task, partial(_begun, task))


def _begun(task: Task, tolerance: float) -> Any:
    """The problem of a task, from the optimum of a sample where there are many examples."""
    k, free = task.n_classes or 1, bool(task.choices.free_bias)
    rows = task.rows.with_bias(-1.0) if free else task.rows
    n, d, seed, most = rows.n, rows.width, task.choices.seed, float(task.costs.max())
    C, costs, targets = most / task.regularizer.modulus, task.costs / most, task.targets

    def problem(rows: Rows, some: Any, factor: int, gap: float, most: int, metric: Any) -> Any:
        given = (costs[some] * factor)[np.newaxis], How(free, gap, most, metric)
        if task.n_classes is None:
            return ScalarProblems(rows, task.loss, targets[some], *given)
        return ClassProblems(rows, targets[some].astype(np.intp), k, *given)

    def metric_of(n: int, rows: Rows, gap: float) -> Any:
        if k > 1 and not _are_many(k, n, d):
            totals = np.bincount(targets, costs, k)
            p = totals / totals.sum()
            squares = Hessian(rows, costs, (np.ones(rows.n),)).diagonal()
            return Diagonal(1 / (1 + C * np.outer(p * (1 - p), squares)).ravel())
        if k > 1 and not _has_factor(k, d):
            return Curvatures(rows, k, free, False, of_mean=True, stride=n // (MIN_MANY * d))
        row, step = matrix_work(rows), visit_work(rows.n_stored / max(n, 1), k)
        stride = sampled(n, k * d, max(1.0, k**2 / 2) * row, step, gap)
        return Curvatures(rows, k, free, False, stride=stride, late=k == 1)

    # a rule of gradients asks for no gap
    metric = metric_of(n, rows, min(tolerance or SAMPLE_GAP, SAMPLE_GAP))
    result = problem(rows, slice(0, n), 1, tolerance, n, metric)
    result.cost = C
    if task.start is not None or task.weights is not None:
        w, _ = first_weights(task.whole(), task.regularizer, task.weights, task.start)
        result.begin_at(w)
        return result
    begun: Any = None
    stride = n // max(n // SAMPLE_FRACTION, MIN_MANY * d * k)
    if k == 1:
        stride = SAMPLE_FRACTION if suits_sample(True, n / d) else 1
    if stride > 1 and _has_factor(k, d):
        chosen, part = sample_of(rows, stride, seed)
        metric = metric_of(part.n, part, SAMPLE_GAP)
        first = problem(part, chosen, stride, SAMPLE_GAP, SAMPLE_PASSES, metric)
        is_begin = k > 1 or _is_two_sided(task, chosen)
        if is_begin and first.solve(C) is not None and np.isfinite(first.weights).all():
            begun = first if np.isfinite(first.intercepts).all() else None
    if begun is not None:
        result.intercepts[:] = begun.intercepts
    result.begin_at(None if begun is None else begun.weights)
    return result


def paths(
    rows: Rows, loss: Any, y: NDArray[Any], costs: Array, free: bool, tolerance: float, most: int
) -> Any:
    """The problems of one loss and each row of ``costs``, for rising C together; None where other
    ways are quicker, or they take too much memory. A ``loss`` of classes has a ``y`` of their
    numbers, and is None.
    """
    n, d = rows.n, rows.n_features
    if not suits(rows):
        return None
    if loss is None:
        k = int(y.max()) + 1
        if not (_has_factor(k, d) and k * costs.size <= MAX_SCORES):
            return None
        how = How(free, tolerance, most, Curvatures(rows, k, free, True))
        return ClassProblems(rows, y, k, costs, how)
    are_alike = n >= MIN_ALIKE * d or (n > MAX_FACTORIZED and n >= d)
    factor, used = None, rows
    if not (d <= MAX_FACTORIZED and are_alike):
        if not (n <= MAX_FACTORIZED and rows.is_dense):
            return None
        if n < d:
            factor = cholesky_factor(Hessian(rows, np.ones(n)).gram(np.ones(rows.width)))
            used = Rows(factor, None, None, n)
        are_alike = False
    how = How(free, tolerance, most, Curvatures(used, 1, free, are_alike))
    return ScalarProblems(rows, loss, y, costs, how, factor)
