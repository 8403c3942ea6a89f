"""The paces of Newton's inner problems: how q begins and changes from one to the next."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.second_order.limits import MAX_FACTORIZED, MIN_BY_CLASSES


class Pace(NamedTuple):
    """How q begins and changes, and how often a multiple of the weights is sought.

    Limits in capitals are those of `inner_problem`.
    """

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
    #: Whether the limit on that is MOST_FIRST_PART of the mean c_i ‖x_i‖² in place of MOST_FIRST.
    by_rows: bool = False
    #: Whether the first q without duals is LEAST_PART of that mean at least.
    first_by_rows: bool = False
    #: The best multiple of the weights is sought at each of this number of steps; None: at none.
    multiple_steps: int | None = None
    #: Whether the distance of duals is that of a block b alone, without the own class's Σ b.
    of_blocks: bool = False


USUAL_PACE = Pace()
# Where a step is long: a larger q, and many easy problems. With few duals that are not 0 the q of
# the gap alone was 10 000 times too small, and each step reached a few kinks. A search for the
# best multiple takes a tenth of a step's time.
LONG_PACE = Pace(
    fast_fall=2.5,
    slow_fall=1.2,
    hard_steps=12,
    rise=3.0,
    move=0.25,
    first_by_rows=True,
    multiple_steps=4,
)
# The same for margins of classes behind an ascent whose duals are still near 0. Without (Σ b)² the
# duals of an example move one by one, and an inner problem takes half the steps; with `Systems`
# that are fine, q may fall faster.
BLOCK_PACE = Pace(
    slow_fall=2.0, easy_steps=15, rise=3.0, move=0.25, multiple_steps=4, of_blocks=True
)
# One score and more weights than a factor may have: a step solves a system of the duals that move.
# With large costs these are far below their bounds, and the q of the gap was 1e9 times too small.
WIDE_PACE = Pace(slow_fall=2.0, move=0.25, by_rows=True)


def pace_of(risk: Any, regularizer: Regularizer) -> Pace:
    """The pace for (s/2)‖w‖² and a loss with kinks; most other problems have the usual one."""
    is_norm = regularizer.quadratic_l1 == 0 and regularizer.linear
    # risks that are summed over workers tell no sizes of duals, and have no labels
    if not is_norm or "balance" in risk.offers or not hasattr(risk, "labels"):
        return USUAL_PACE
    is_smooth, size = risk.loss.smoothing > 0, math.prod(risk.shape)
    if len(risk.shape) == 1:
        # squares of a large cost are nearly bounds
        suits = not is_smooth or ("envelope" in risk.offers and risk.lipschitz == math.inf)
        return WIDE_PACE if suits and size > MAX_FACTORIZED else USUAL_PACE
    is_long = not is_smooth and MIN_BY_CLASSES < size <= MAX_FACTORIZED
    return LONG_PACE if is_long else USUAL_PACE
