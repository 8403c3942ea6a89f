"""What the registry says of a loss, a regularizer and a solver type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.training.task import Task

if TYPE_CHECKING:
    from rrmlinear.training.parameter import Parameter


@dataclass(frozen=True)
class LossType:
    """A loss by its name: how it is made, and which numbers of a Parameter it takes.

    ``kind`` tells what labels are: "binary" (±1; one problem for each class where there are more
    than two), "multiclass" (classes, all in one problem) or "regression" (real numbers).
    ``probabilities`` names the link from scores to probabilities, where there is one.
    """

    name: str
    kind: str
    build: Callable[[Parameter], Any]
    takes: tuple[str, ...] = ()
    probabilities: str | None = None


@dataclass(frozen=True)
class RegularizerType:
    """A regularizer by its name: how it is made, which choices of a Parameter it takes, and which
    of them it needs.

    ``single`` names what it would be with one column of weights, where it is for several alone.
    """

    name: str
    build: Callable[[Parameter], Regularizer]
    takes: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    single: str = ""


@dataclass(frozen=True)
class SolverType:
    """A number of ``-s``: its name in model files, its losses, the default first, and how a Task
    becomes its solver.

    ``takes`` are the choices of `SPELLINGS` that it has, the numbers of losses and regularizers
    apart; ``smooth`` tells whether its losses must be smooth, ``starts`` whether it can begin from
    duals that are given.
    """

    number: int | str
    name: str
    summary: str
    losses: tuple[str, ...]
    takes: tuple[str, ...]
    build: Callable[[Task], Solver]
    blocks: tuple[str, ...] = ()
    regularizers: tuple[str, ...] = ("l2", "elastic-net")
    smooth: bool = False
    starts: bool = True
