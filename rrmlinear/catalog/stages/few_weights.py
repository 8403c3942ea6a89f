"""Where Newton's method takes compiled steps over all examples, with few weights."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.task import Task
from rrmlinear.core.loading import loading
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
# Smooth losses with at most this number of weights, values with zeros, and limit on n d² are solved
# by such steps alone. With 100 weights others took as long, with 300 half as long. With more values
# a sample of them is the better begin: 30 000 × 18 took 0.8 to 1.6 of the time.
MAX_SOLVED_WEIGHTS, MAX_SOLVED_VALUES, MAX_SOLVED_WORK = 80, 400_000, 8_000_000


def solves_all_kinks(task: Task) -> bool:
    """Whether steps for the hinge over all examples take less time than the passes of an ascent."""
    rows = task.rows
    n, d = rows.shape[0], rows.width
    if n < MIN_FEW_KINKS * d or not _is_short(task, MAX_STEP_WORK):
        return False
    is_long = task.costs @ rows.squared_norms() >= MIN_LONG * n
    return n * d * d <= MAX_KINK_WORK or bool(is_long)


def solves_smooth(task: Task) -> bool:
    """Whether such steps solve a smooth loss sooner than the solvers for more weights."""
    if "least-squares" in task.features:
        return False
    if _has_norms(task):  # a model of more takes long sweeps
        return _is_short(task, MAX_KINK_WORK)
    if not _is_smooth(task, True):
        return False
    n, d = task.rows.shape[0], task.rows.width
    are_few = d <= MAX_SOLVED_WEIGHTS and n * d <= MAX_SOLVED_VALUES
    return are_few and _is_short(task, MAX_SOLVED_WORK)


def takes_steps(task: Task) -> bool:
    """Whether Newton's method on a smooth loss begins by such steps, which end near the optimum."""
    is_worth_it = task.rows.n_stored >= MIN_STEPPED_VALUES
    return is_worth_it and _is_smooth(task) and _is_short(task, MAX_STEP_WORK)


def _is_smooth(task: Task, with_intercept: bool = False) -> bool:
    """Whether the task is a smooth loss of one score under the squared norm alone, and perhaps with
    a free intercept.
    """
    omega, choices = task.regularizer, task.choices
    if task.n_classes is not None or "smooth" not in task.features:
        return False
    is_norm = omega.linear and omega.quadratic_l1 == 0 and omega.modulus > 0
    return is_norm and choices.budget is None and (with_intercept or not choices.free_bias)


def _has_norms(task: Task) -> bool:
    """Whether the task is a smooth loss of one score with a 1-norm, and perhaps a squared one."""
    omega, choices = task.regularizer, task.choices
    is_smooth = task.n_classes is None and "smooth" in task.features
    return is_smooth and bool(omega.quadratic_l1) and not (choices.budget or choices.free_bias)


def weights_by_steps(task: Task) -> NDArray[np.float64]:
    """Weights near the optimum, by steps from weights of 0."""
    with loading:
        from rrmlinear.solvers.second_order._few_weights import FewWeights, columns_of

    nothing, shift = np.zeros(task.rows.width), np.zeros(task.rows.shape[0])
    examples = FewWeights(task.targets, task.costs, task.rows, columns_of(task.rows))
    limits = NEARLY_SOLVED, MAX_FIRST_STEPS
    with suppress(*OUT_OF_RANGE):
        return examples.least(
            task.loss, task.regularizer.modulus, nothing, nothing, shift, *limits
        )[0]
    return nothing


def _is_short(task: Task, most: int) -> bool:
    rows = task.rows
    return 0 < rows.shape[0] * rows.width**2 <= most and is_nearly_full(rows)
