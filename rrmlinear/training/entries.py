"""What the registry says of a loss, a regularizer and a solver type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import BlockLoss, ScalarLoss
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.base import Solver
from rrmlinear.solvers.result import DualBlocks

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
    """A regularizer by its name, how it is made, and the numbers that it needs."""

    name: str
    build: Callable[[Parameter], Regularizer]
    takes: tuple[str, ...] = ()


#: rows, labels y, costs, loss, regularizer, parameter, α_i to start from or None → a solver.
ScalarBuilder = Callable[
    [
        Rows,
        NDArray[np.float64],
        NDArray[np.float64],
        ScalarLoss,
        Regularizer,
        "Parameter",
        NDArray[np.float64] | None,
    ],
    Solver,
]
#: rows, class indices, number of classes, costs, loss, regularizer, parameter, start → a solver.
BlockBuilder = Callable[
    [
        Rows,
        NDArray[np.int32],
        int,
        NDArray[np.float64],
        BlockLoss,
        Regularizer,
        "Parameter",
        DualBlocks | None,
    ],
    Solver,
]


@dataclass(frozen=True)
class SolverType:
    """A number of ``-s``: its name in model files, its losses, the default first, and how its
    solver is made, for losses of one score (``scalar``) and of a block of scores (``block``).

    ``takes`` are the choices of `SPELLINGS` that it has, the numbers of losses and regularizers
    apart.
    """

    number: int | str
    name: str
    summary: str
    losses: tuple[str, ...]
    takes: tuple[str, ...]
    scalar: ScalarBuilder | None = None
    block: BlockBuilder | None = None
    blocks: tuple[str, ...] = ()
