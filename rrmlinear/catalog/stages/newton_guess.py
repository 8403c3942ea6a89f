"""What Newton's method is guessed to take, before its first step."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rrmlinear.catalog.stages.costs import (
    BLAS_COST,
    CLASS_PRODUCTS,
    DENSE_GRAM_COST,
    KINK_STEPS,
    ONE_KINK_STEPS,
    differ,
    sizes,
)
from rrmlinear.catalog.task import Task
from rrmlinear.data.array_rows import take_rows
from rrmlinear.data.rows import Rows
from rrmlinear.risks.hessian import Hessian, row_cost
from rrmlinear.risks.row_factor import is_nearly_full
from rrmlinear.solvers.dual.dual_descent import CLASS_COST, NONZERO_COST
from rrmlinear.solvers.second_order.conjugate_gradients import MAX_PRODUCTS
from rrmlinear.solvers.second_order.limits import (
    MAX_CLASS_FEATURES,
    MAX_FACTORIZED,
    MAX_GRAM_FRACTION,
    MIN_BY_CLASSES,
)

# This number of rows tells how long all rows are, compared with their distances from their mean.
LOOK = 64


class Guess(NamedTuple):
    """What Newton's method is guessed to take: the cost of a system, and steps for kinks."""

    system: float
    unknowns: int
    kink_steps: float
    #: Whether systems are solved class by class.
    by_classes: bool = False


def newton_guess(task: Task) -> Guess:
    n, d, stored, k = sizes(task)
    unknowns, smooth = d * k, "smooth" in task.features
    duals = n * max(1, k - 1)
    active = duals if smooth else min(duals, unknowns + n // 10)
    has_diagonal = task.regularizer.quadratic_l1 is not None
    is_norm = task.regularizer.quadratic_l1 == 0
    # with a 1-norm Newton's method is slow on softmax: it had a gap of 4e-3 where others took 5 s
    least_unknowns = MIN_BY_CLASSES if is_norm or not smooth else MAX_FACTORIZED
    by_classes = k > 1 and d <= MAX_CLASS_FEATURES and unknowns > least_unknowns
    gram = DENSE_GRAM_COST if k == 1 and is_nearly_full(task.rows) else BLAS_COST
    if has_diagonal and active <= MAX_FACTORIZED and active <= MAX_GRAM_FRACTION * unknowns:
        system = gram * active**2 * stored + BLAS_COST * active**3 / 3
    elif unknowns <= MAX_FACTORIZED and not by_classes:
        rows = DENSE_GRAM_COST * row_cost(task.rows) if k == 1 else BLAS_COST * stored**2
        system = rows * active + BLAS_COST * unknowns**3 / 3
    else:
        products = CLASS_PRODUCTS if by_classes else MAX_PRODUCTS
        system = products * 2 * min(n, active) * stored * (NONZERO_COST + CLASS_COST * k)
    is_known = is_norm and k == 1 and not task.choices.free_bias
    return Guess(system, unknowns, ONE_KINK_STEPS if is_known else KINK_STEPS, by_classes)


def is_uneven(rows: Rows) -> bool:
    return differ(Hessian(rows, np.ones(rows.shape[0])).diagonal())


@np.errstate(over="ignore", invalid="ignore")
def stretch(rows: Rows) -> float:
    """Σ ‖x_i‖² over Σ ‖x_i − x̄‖², x̄ the mean of the rows, by at most LOOK of them.

    Not a number where squares overflow.
    """
    n = rows.shape[0]
    count = min(n, LOOK)
    some = take_rows(rows, np.arange(count) * n // count)
    ones = np.ones(count)
    beside = float(Hessian(some, ones, [ones]).diagonal().sum()) * count / max(1, count - 1)
    return float(some.squared_norms().sum()) / beside if beside > 0 else math.inf
