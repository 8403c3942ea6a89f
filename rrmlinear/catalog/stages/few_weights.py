"""Where Newton's method takes compiled steps over all examples, with few weights."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.task import Task
from rrmlinear.risks.row_factor import is_nearly_full
from rrmlinear.solvers.loop.finite import OUT_OF_RANGE

# Limit on n d² for a step over all examples, whose rows are nearly full.
MAX_STEP_WORK = 6_000_000
# The hinge, with this number of examples for each weight, is solved by steps up to that limit where
# the mean of c ‖x‖² is at least MIN_LONG, and else up to the smaller one: with shorter rows the
# ascent takes ten passes. Steps of satimage (5.7e6) are quicker than its passes, those of dna
# (6.5e7) are not.
MIN_FEW_KINKS, MIN_LONG, MAX_KINK_WORK = 3, 5.0, 1_000_000
# Smooth losses of at least this number of stored values begin with at most MAX_FIRST_STEPS, until
# the largest entry of the gradient is at most the part NEARLY_SOLVED of that of w: one step more is
# exact. With fewer values the steps took as long as they saved.
MIN_STEPPED_VALUES, NEARLY_SOLVED, MAX_FIRST_STEPS = 20_000, 0.01, 25


def solves_all_kinks(task: Task) -> bool:
    """Whether steps for the hinge over all examples take less time than the passes of an ascent."""
    rows = task.rows
    n, d = rows.shape[0], rows.width
    if n < MIN_FEW_KINKS * d or not _is_short(task):
        return False
    is_long = task.costs @ rows.squared_norms() >= MIN_LONG * n
    return n * d * d <= MAX_KINK_WORK or bool(is_long)


def takes_steps(task: Task) -> bool:
    """Whether a smooth loss begins by such steps, which end near the optimum."""
    omega, choices = task.regularizer, task.choices
    if task.n_classes is not None or "smooth" not in task.features:
        return False
    is_norm = omega.linear and omega.quadratic_l1 == 0 and omega.modulus > 0
    if not is_norm or choices.free_bias or choices.budget is not None:
        return False
    return task.rows.n_stored >= MIN_STEPPED_VALUES and _is_short(task)


def weights_by_steps(task: Task) -> NDArray[np.float64]:
    """Weights near the optimum, by steps from weights of 0."""
    from rrmlinear.solvers.second_order._few_weights import FewWeights, columns_of

    nothing, shift = np.zeros(task.rows.width), np.zeros(task.rows.shape[0])
    examples = FewWeights(task.targets, task.costs, task.rows, columns_of(task.rows))
    limits = NEARLY_SOLVED, MAX_FIRST_STEPS
    with suppress(*OUT_OF_RANGE):
        return examples.least(
            task.loss, task.regularizer.modulus, nothing, nothing, shift, *limits
        )[0]
    return nothing


def _is_short(task: Task) -> bool:
    rows = task.rows
    return 0 < rows.shape[0] * rows.width**2 <= MAX_STEP_WORK and is_nearly_full(rows)
