"""A problem on its way to a solver, and the rows of the table of solver types."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.choices import Choices
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.loop.rules.rule import Rule
from rrmlinear.solvers.loop.solver import Solver


@dataclass(frozen=True, eq=False)
class Task:
    """minimize Ω(w) + Σ_i c_i φ(x_i'w, y_i), c_i the costs, with the choices for a solver.

    ``targets`` are the labels y of a loss of one score, and then ``n_classes`` is None; else they
    are class indices 0 … n_classes − 1. ``features`` are those that loss and regularizer offer.
    ``start`` are duals to begin from, or None: α_i, or DualBlocks of a loss of blocks; ``weights``
    are weights to begin from, in the shape that Ω takes, or None. ``climbed`` are Σ c_i α_i x_i of
    ``start`` and the scores of the examples there, where an ascent on this problem has found them.
    ``risk`` is the sum if it exists already; else the builder makes it of rows, targets and costs.
    ``rows`` may be in `ColumnOrder` for the automatic solver of least squares alone.
    """

    rows: Any
    targets: NDArray[Any]
    n_classes: int | None
    costs: NDArray[np.float64]
    loss: Any
    regularizer: Regularizer
    features: frozenset[str]
    choices: Choices
    start: Any = None
    risk: Any = None
    weights: NDArray[np.float64] | None = None
    climbed: tuple[NDArray[np.float64], ...] = ()


class SolverRow(NamedTuple):
    """A solver type: its number, its name in model files, and how a Task becomes its solver.

    ``needs`` are sets of features, one of which loss and regularizer must offer together.
    ``choices`` are those that have an effect, but for the numbers of losses and regularizers;
    ``loss`` and ``regularizer`` are the default ones, and the only ones unless they are choices;
    ``numbers`` are those of its own loss that may be chosen. ``blocks`` are the block solvers it
    has. ``tolerance`` is the default of its own stopping rule, if it has one: ``rule`` makes
    LIBLINEAR's of a task and a tolerance; without it the rule is on the gap after the first pass.
    ``excludes`` are pairs of a choice and another that leaves it without effect here: a switch does
    so where it does not stand as usual. ``starts`` tells whether it can begin from another run, and
    ``form`` whether LIBLINEAR minimizes its "primal" or its "dual". ``proves`` tells whether the
    gap must be small too when the rule holds. Duals of the 1-norm are scaled by the largest
    violation, which leaves a wide gap near the optimum.
    """

    number: int | str
    name: str
    summary: str
    needs: tuple[frozenset[str], ...]
    choices: tuple[str, ...]
    build: Callable[[Task], Solver]
    loss: str = "hinge"
    blocks: tuple[str, ...] = ()
    excludes: tuple[tuple[str, str], ...] = ()
    starts: bool = True
    regularizer: str = "l2"
    numbers: tuple[str, ...] = ()
    tolerance: float | None = None
    rule: Callable[[Task, float], Rule] | None = None
    form: str = "dual"
    proves: bool = True

    @property
    def is_liblinear(self) -> bool:
        """Whether LIBLINEAR has this type."""
        return self.rule is not None
