"""The solver types by LIBLINEAR's numbers: the one place that names concrete losses and solvers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.problem import Problem
from rrmlinear.losses.base import BlockLoss
from rrmlinear.losses.weston_watkins import (
    WestonWatkins,
    WestonWatkinsShark,
    WestonWatkinsWalrus,
)
from rrmlinear.regularizers.separable import L2
from rrmlinear.solvers.base import Solver
from rrmlinear.solvers.block_descent import BlockAscent
from rrmlinear.solvers.result import DualBlocks

if TYPE_CHECKING:
    from rrmlinear.training.parameter import Parameter

# Shark's tolerance is its authors' 1e-6, too coarse for a small gap: of that it gets so much.
SHARK_SHARE = 0.01


def _shark(parameter: Parameter) -> WestonWatkinsShark:
    asked = np.inf if parameter.gap_tol is None else SHARK_SHARE * parameter.gap_tol
    return WestonWatkinsShark(min(1e-6, asked))


BLOCKS: dict[str, Callable[[Parameter], BlockLoss]] = {
    "knapsack": lambda parameter: WestonWatkins(),
    "walrus": lambda parameter: WestonWatkinsWalrus(),
    "shark": _shark,
}

#: (problem, class index of each example, number of classes, C_i, parameter, duals to start from
#: or None) → a solver.
Builder = Callable[
    [Problem, NDArray[np.int32], int, NDArray[np.float64], "Parameter", DualBlocks | None], Solver
]


@dataclass(frozen=True)
class SolverType:
    """A number of ``-s``: its name in model files, what it solves, and how its solver is made."""

    number: int
    name: str
    summary: str
    blocks: tuple[str, ...]
    build: Builder

    def check(self, parameter: Parameter) -> None:
        """Raise ValueError for a choice that this type does not have."""
        if parameter.block is not None and parameter.block not in self.blocks:
            raise ValueError(
                f"block is {parameter.block!r}; solver type {self.number} ({self.name}) has "
                + ", ".join(self.blocks)
            )


def _weston_watkins(
    problem: Problem,
    label: NDArray[np.int32],
    n_classes: int,
    costs: NDArray[np.float64],
    parameter: Parameter,
    start: DualBlocks | None,
) -> Solver:
    block = parameter.block or find_solver(parameter.solver).blocks[0]
    return BlockAscent(
        problem.rows,
        label,
        n_classes,
        costs,
        BLOCKS[block](parameter),
        L2(),
        parameter.seed,
        parameter.threads,
        start,
    )


SOLVER_TYPES = {
    kind.number: kind
    for kind in (
        SolverType(
            30,
            "MCSVM_WW",
            "Weston-Watkins multi-class support vector classification (exact blocks)",
            ("knapsack", "walrus", "shark"),
            _weston_watkins,
        ),
        SolverType(
            31,
            "MCSVM_WW_Shark",
            "the same by Shark's greedy block solver",
            ("shark",),
            _weston_watkins,
        ),
    )
}


def find_solver(number: int) -> SolverType:
    """The type of this number, or a ValueError that lists those that exist."""
    if number not in SOLVER_TYPES:
        known = ", ".join(f"{kind.number} ({kind.name})" for kind in SOLVER_TYPES.values())
        raise ValueError(f"unknown solver type {number}; there are {known}")
    return SOLVER_TYPES[number]


def find_solver_named(name: str) -> SolverType:
    """The type with this name in model files, or a ValueError that lists those that exist."""
    for kind in SOLVER_TYPES.values():
        if kind.name == name:
            return kind
    known = ", ".join(kind.name for kind in SOLVER_TYPES.values())
    raise ValueError(f"unknown solver type {name!r}; there are {known}")
