"""The paces of Newton's inner problems: how q begins and changes from one to the next."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.second_order.limits import MAX_FACTORIZED


class Pace(NamedTuple):
    """How q begins and changes."""

    #: q is divided by the first after an easy inner problem, of fewer than ``easy_steps`` steps,
    #: and by the second after another.
    fast_fall: float = 5.0
    slow_fall: float = 1.5
    easy_steps: int = 6
    #: After each ``hard_steps`` steps on one inner problem, q is multiplied by ``rise``.
    hard_steps: int = 30
    rise: float = 10.0
    #: The first q is at least that at which moving all duals by their size, times this, costs the
    #: gap; None where q is that of the gap alone.
    move: float | None = None


USUAL_PACE = Pace()
# One score and more weights than a factor may have: a step solves a system of the duals that move.
# With large costs these are far below their bounds, and the q of the gap was 1e9 times too small.
WIDE_PACE = Pace(slow_fall=2.0, move=0.25)


def pace_of(risk: Any, regularizer: Regularizer) -> Pace:
    """The pace for (s/2)‖w‖² and a loss with kinks; most other problems have the usual one."""
    is_norm = regularizer.quadratic_l1 == 0 and regularizer.linear
    # risks that are summed over workers tell no sizes of duals, and have no labels
    if not is_norm or "balance" in risk.offers or not hasattr(risk, "labels"):
        return USUAL_PACE
    # squares of a large cost are nearly bounds
    is_smooth = risk.loss.differentiable
    suits = not is_smooth or ("envelope" in risk.offers and risk.lipschitz == math.inf)
    is_wide = len(risk.shape) == 1 and risk.shape[0] > MAX_FACTORIZED
    return WIDE_PACE if suits and is_wide else USUAL_PACE
