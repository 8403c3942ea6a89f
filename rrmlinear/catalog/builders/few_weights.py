"""Where Newton's method takes compiled steps over all examples, with few weights."""

from __future__ import annotations

from rrmlinear.losses.margin import Hinge
from rrmlinear.solvers.loop.task import Task

# Limits on n d, with zeros, and on n d² for steps over all examples, of which there are at least as
# many as weights. With more values a sample of them is the better begin: 30 000 × 18 took 0.8 to
# 1.6 of the time.
MAX_SOLVED_VALUES, MAX_SOLVED_WORK = 400_000, 8_000_000
#: Examples for each weight from which the hinge takes steps: with fewer, most examples end at its
#: kink, and ascents took a third of the time.
MIN_FEW_KINKS = 3
#: Values with zeros that a vector takes in the time of one that is stored.
LANES = 8


def solves_smooth(task: Task) -> bool:
    """Whether such steps solve a smooth loss of one score sooner than the solvers for more weights:
    under the squared norm, perhaps with a free intercept, or with a 1-norm.
    """
    omega, choices = task.regularizer, task.choices
    if "smooth" not in task.features or "least-squares" in task.features or not _are_few(task):
        return False
    return _has_norm(task) or (bool(omega.quadratic_l1) and not choices.free_bias)


def solves_kinks(task: Task) -> bool:
    """Whether steps for ever narrower parabolas about its kink solve the hinge so."""
    n, d = task.rows.n, task.rows.width
    is_hinge = isinstance(task.loss, Hinge) and not task.choices.free_bias
    return is_hinge and n >= MIN_FEW_KINKS * d and _has_norm(task) and _are_few(task)


def _has_norm(task: Task) -> bool:
    omega = task.regularizer
    return omega.linear and omega.quadratic_l1 == 0 and omega.modulus > 0


def _are_few(task: Task) -> bool:
    n, d = task.rows.n, task.rows.width
    if task.n_classes is not None or task.choices.budget is not None or task.risk is not None:
        return False
    are_few = 0 < d <= n and n * d <= MAX_SOLVED_VALUES and n * d * d <= MAX_SOLVED_WORK
    return are_few and task.rows.blocks is None and LANES * task.rows.n_stored >= n * d
