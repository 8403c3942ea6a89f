"""What parts receive, and what they return: the order of a round, its report, and their facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Order:
    """The order of round ``number`` to every part.

    ``step`` is the fraction that counts of the change of the round before. ``vector`` is
    v = u + κy, u = Σ c_i α_i x_i over the duals of all parts. The part goes up on its model:
    Ω̃ = Ω + κ/2 ‖·‖² divided by ``sigma``, at v divided by ``sigma``. ``passes`` are those over
    each part, or one number for all.
    """

    number: int
    step: float
    vector: Array
    kappa: float
    sigma: float
    passes: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """Bytes of the vector."""
        return self.vector.nbytes


class Report(NamedTuple):
    """Sums over examples; those of several parts add up.

    ``losses`` at the weights of the order; conjugates ``before`` the passes, at half of their
    change (``middle``) and ``after``; ``square`` of the change of v, and ``own`` of the part of u
    that the duals before made; examples that ``moved``; (place, passes, seconds) of each part.
    """

    losses: float
    before: float
    middle: float
    after: float
    square: float
    own: float
    moved: float
    times: tuple[tuple[int, int, float], ...]

    def plus(self, other: Report) -> Report:
        pairs: Any = zip(self, other, strict=True)
        return Report(*(a + b for a, b in pairs))  # times join


class Facts(NamedTuple):
    """A part's examples and stored values, and its losses at weights of zero."""

    n: int
    stored: int
    zero: float
