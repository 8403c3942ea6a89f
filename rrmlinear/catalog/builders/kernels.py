"""Builders of solvers over the rows of a kernel's matrix."""

from __future__ import annotations

from collections.abc import Callable

from rrmlinear.solvers.dual.pairs.kernel_rows import KernelRows
from rrmlinear.solvers.dual.pairs.pair_ascent import PairAscent, SlowAscentError
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.task import Task

__all__ = ["KernelRows", "SlowAscentError", "by_pairs"]

# Steps over n² that take about as long as the features of n examples. More are not worth it.
STEPS_OF_FEATURES = 0.3


def by_pairs(kernel: KernelRows) -> Callable[[Task], Solver]:
    """The builder of ascents by pairs of duals, which end where features would be faster."""

    def build(task: Task) -> Solver:
        return PairAscent(
            kernel,
            task.targets,
            task.costs,
            task.loss,
            free_intercept=bool(task.choices.free_bias),
            bias=task.rows.bias,
            start=task.start,
            most_steps=STEPS_OF_FEATURES * kernel.n**2,
        )

    return build
