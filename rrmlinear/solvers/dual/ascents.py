"""The ascent of a task: over examples of one score, or over blocks of several."""

from __future__ import annotations

from typing import Any

from rrmlinear.core.loading import loading
from rrmlinear.solvers.loop.task import Task


def ascent_of(task: Task, repeats: bool = False) -> Any:
    """`ProxSDCA`, or `BlockAscent`, which has ``repeats``."""
    if task.n_classes is not None:
        with loading:
            from rrmlinear.solvers.dual.blocks.block_descent import BlockAscent

        return BlockAscent(task, repeats=repeats)
    with loading:
        from rrmlinear.solvers.dual.prox_sdca import ProxSDCA

    return ProxSDCA(task)
