"""Those who hold the parts, and sums over parts in a fixed order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from rrmlinear.solvers.rounds.orders import Facts, Order, Packed, Report
from rrmlinear.solvers.rounds.part import Part
from rrmlinear.solvers.rounds.spread import Request, Sums, add_sums

T = TypeVar("T")


class PartsLostError(Exception):
    """Parts were lost in a round, and have been loaded again with other duals."""


class Fleet(Protocol):
    """Holds the parts, each in its place, and sums over them."""

    def facts(self) -> list[Facts]:
        """Those of every part."""

    def round(self, order: Order) -> tuple[Packed, Report]:
        """The sums over the parts' rounds.

        Raises PartsLostError where parts have been replaced: then `give_up` the round.
        """

    def give_up(self, number: int, step: float) -> Packed:
        """Σ of `Part.give_up`: u, added up anew."""

    def answer(self, request: Request) -> Sums:
        """The sums over the parts' answers.

        Raises PartsLostError where parts have been replaced: vectors made before are lost, and
        `give_up` comes before the next request.
        """

    def close(self) -> None:
        """Let the parts go."""


def in_tree(items: Sequence[T], add: Callable[[T, T], T]) -> T:
    """The sum of items, neighbours first: the same order for the same number of items."""
    last = halves(items, add)
    return add(*last) if len(last) > 1 else last[0]


def halves(items: Sequence[T], add: Callable[[T, T], T]) -> Sequence[T]:
    """The last two sums of `in_tree`, or one item alone."""
    while len(items) > 2:
        pairs = [add(a, b) for a, b in zip(items[::2], items[1::2], strict=False)]
        items = [*pairs, *items[len(items) & ~1 :]]
    return items


def add_rounds(
    first: tuple[Packed, Report], second: tuple[Packed, Report]
) -> tuple[Packed, Report]:
    """The sums of two parts' rounds."""
    return first[0].plus(second[0]), first[1].plus(second[1])


class LocalFleet:
    """Parts in this process, one after another: virtual workers."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = list(parts)

    def facts(self) -> list[Facts]:
        return [part.facts() for part in self.parts]

    def round(self, order: Order) -> tuple[Packed, Report]:
        return in_tree([part.round(order) for part in self.parts], add_rounds)

    def give_up(self, number: int, step: float) -> Packed:
        return in_tree([part.give_up(number, step) for part in self.parts], Packed.plus)

    def answer(self, request: Request) -> Sums:
        return in_tree([part.answer(request) for part in self.parts], add_sums)

    def close(self) -> None:
        for part in self.parts:
            part.ascent.close()
