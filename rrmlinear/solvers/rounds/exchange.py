"""Requests to all parts: vectors that they keep, and sums that they tell."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.rounds.fleet import Fleet
from rrmlinear.solvers.rounds.spread import Base, Combination, Deed, Request, Spread, Sums

Array = NDArray[np.float64]

# The last vectors of this number are known by what they are made of.
RECENT = 3


class Exchange:
    """Requests to all parts. Vectors are made together with the next sum that is asked for."""

    def __init__(self, fleet: Fleet) -> None:
        self.fleet = fleet
        self.count = self.generation = 0
        #: Vectors that nobody holds, and those of them that no request on its way needs.
        self.freed: list[int] = []
        self.due: tuple[int, ...] = ()
        self.made: list[tuple[int, Deed]] = []
        #: (Σ c_i α_i x_i, conjugates, Σ c_i |α_i|) of the last duals.
        self.duals: dict[Combination, tuple[Array, float, float]] = {}
        #: The last vectors that may be wanted again, by what they are made of.
        self.recent: dict[tuple[str, Any], Spread] = {}
        #: Sums that came before they are asked for.
        self.foreseen: dict[Deed, Sums] = {}

    def vector(self, name: str, *arguments: Any) -> Spread:
        """A vector that parts make by this method of `Vectors`."""
        self.count += 1
        self.made.append((self.count, Deed(name, arguments)))
        return Spread({self.count: (Base(self.count, self.freed.append), 1.0)}, self.generation)

    def known_vector(self, name: str, key: Any, argument: Any) -> Spread:
        """`vector`, or the last one with this key."""
        found = self.recent.pop((name, key), None) or self.vector(name, argument)
        while len(self.recent) >= RECENT:
            del self.recent[next(iter(self.recent))]
        self.recent[name, key] = found
        return found

    def sums(self, name: str, *arguments: Any) -> Sums:
        """The sums over all parts that this method returns."""
        deed = Deed(name, arguments)
        if any(name == each.name for each in self.foreseen):  # others may have no hash
            known = self.foreseen.pop(deed, None)
            if known is not None:
                return known
        return self._asked(deed)

    def foresee(self, *deeds: Deed) -> None:
        """Ask for sums that are needed next, all in one request."""
        self.foreseen = dict(zip(deeds, self._asked(Deed("several", deeds)), strict=True))

    def _asked(self, deed: Deed) -> Sums:
        freed, made = tuple(self.freed), tuple(self.made)
        found = self.fleet.answer(Request(self.due, made, deed))
        self.due = freed
        del self.freed[: len(freed)], self.made[: len(made)]
        return found

    def forget(self) -> None:
        """Drop all vectors: parts have been lost with theirs."""
        self.generation += 1
        self.made.clear()
        self.duals.clear()
        self.foreseen.clear()
        self.recent.clear()
