"""Which method begins on a task, by its data, its loss and the costs that are expected."""

from __future__ import annotations

import numpy as np

from rrmlinear.catalog.stages.costs import (
    MAX_CURVED_COST,
    MAX_FIRST_COST,
    MAX_SEVERAL_COST,
    MIN_CURVED,
    is_small,
)
from rrmlinear.catalog.stages.newton_guess import is_uneven, stretch
from rrmlinear.catalog.task import Task
from rrmlinear.losses.logistic import Logistic
from rrmlinear.risks.row_factor import is_nearly_full
from rrmlinear.solvers.loop.stages.turns import Stage
from rrmlinear.solvers.second_order.limits import MAX_FACTORIZED

# With this number of dense features for each example, the ascent on the logistic loss with a free
# intercept takes less time than Newton's method.
MIN_WIDE, MIN_WIDE_EXAMPLES = 2, 300
# With at least this number of stored values, proximal points come before Newton steps over features
# if these have no Gram matrix of all features and no intercept is free. With a free intercept they
# were no quicker.
MIN_PROXIMAL_VALUES = 4_000_000


def is_wide(task: Task) -> bool:
    """Whether the ascent on the logistic loss comes before Newton's method."""
    n, d = task.rows.shape
    are_many = n >= MIN_WIDE_EXAMPLES and d >= MIN_WIDE * n
    return isinstance(task.loss, Logistic) and task.rows.is_dense and are_many


def begins_by_newton(task: Task, newton: list[Stage]) -> bool:
    """Whether Newton's method, the stages ``newton`` where it applies, comes before the ascent."""
    smooth, several = "smooth" in task.features, task.n_classes is not None
    if not (smooth or several) or not newton:
        return False
    most, cost = MAX_SEVERAL_COST if several else MAX_CURVED_COST, newton[0].cost
    if smooth and (cost <= most or (_is_nearly_full(task) and cost <= most * stretch(task.rows))):
        squares = task.rows.squared_norms()
        # the ascent names an example whose norm overflows
        if not np.isfinite(squares).all():
            return False
        is_sure = task.choices.free_bias if several else cost <= MAX_FIRST_COST
        if is_sure or task.costs @ squares >= MIN_CURVED * len(squares):
            return True
    if task.start is not None and not smooth:
        return False
    n, d = task.rows.shape
    small = is_small(n, d * (task.n_classes or 1), True)
    # only if its systems are factorized: else steps take as long as many passes, and with kinks
    # duals prove little for a long time
    few = several and d * (task.n_classes or 1) <= MAX_FACTORIZED and d <= n
    return small or (few and task.rows.blocks is None and is_uneven(task.rows))


def _is_nearly_full(task: Task) -> bool:
    """Whether an example of one score stores most features, in memory."""
    return task.n_classes is None and task.rows.blocks is None and is_nearly_full(task.rows)


def begins_by_points(task: Task) -> bool:
    """Whether the ascent for proximal points comes before Newton steps over features."""
    if task.start is not None or task.weights is not None or task.choices.free_bias:
        return False
    few = task.rows.is_dense or task.rows.width <= MAX_FACTORIZED
    return not few and task.rows.n_stored >= MIN_PROXIMAL_VALUES
