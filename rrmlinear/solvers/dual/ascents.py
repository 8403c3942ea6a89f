"""The ascent of a task: over examples of one score, or over blocks of several."""

from __future__ import annotations

from typing import Any

from rrmlinear.core.loading import loading
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.solver import Solver
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


class OverAscent(Solver):
    """A solver whose inner problems are those of its ``ascent``."""

    ascent: Any

    def value_at_zero(self) -> float:
        return self.ascent.value_at_zero()

    def rounding_of(self, certificate: Certificate, enough: float) -> float:
        return self.ascent.rounding_of(certificate, enough)

    def support(self) -> dict[str, int]:
        return self.ascent.support()

    def close(self) -> None:
        self.ascent.close()
