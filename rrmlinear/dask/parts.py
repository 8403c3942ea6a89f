"""A part on its worker: made of blocks there, and kept in the worker's memory."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from rrmlinear.dask.blocks import problem_of
from rrmlinear.solvers.rounds.orders import Facts, Order, Report
from rrmlinear.solvers.rounds.packed import Packed
from rrmlinear.solvers.rounds.part import Part
from rrmlinear.solvers.rounds.spread import Request, Sums
from rrmlinear.workers.recipe import Recipe, part_of


class PartMissingError(Exception):
    """The part is not in this worker's memory, or is another than the one that was asked."""


class Pinned:
    """A part in its worker's memory. Copies elsewhere are empty: a part has one place.

    ``token`` names the part's state, from its loading or its last lost round on.
    """

    def __init__(self, part: Part | None) -> None:
        self.part = part
        self.token = uuid4().hex

    def __reduce__(self) -> tuple[Any, ...]:
        return Pinned, (None,)

    def held(self) -> Part:
        """The part; PartMissingError where this is a copy."""
        if self.part is None:
            raise PartMissingError("a copy of a part has no examples")
        return self.part

    def known(self, token: str) -> Part:
        """The part, if its token is this one."""
        if token != self.token:
            raise PartMissingError("the part has been loaded again")
        return self.held()


def load(recipe: Recipe, blocks: list[Any], duals: Any) -> Pinned:
    """The part of these blocks, with duals to begin with or None."""
    return Pinned(part_of(recipe, [problem_of(*given)[0] for given in blocks], duals))


def facts_of(pinned: Pinned) -> tuple[Facts, str]:
    """The part's facts and token."""
    return pinned.held().facts(), pinned.token


def round_of(pinned: Pinned, token: str, order: Order) -> tuple[Packed, Report]:
    """The part's round."""
    return pinned.known(token).round(order)


def answer_of(pinned: Pinned, token: str, request: Request) -> Sums:
    """Sums of the part's vectors."""
    return pinned.known(token).answer(request)


def give_up(pinned: Pinned, part: int, number: int, step: float) -> tuple[Packed, dict[int, str]]:
    """The part's share of u after a lost round, and its new token."""
    own = pinned.held().give_up(number, step)
    pinned.token = uuid4().hex
    return own, {part: pinned.token}


def add_shares(
    first: tuple[Packed, dict[int, str]], second: tuple[Packed, dict[int, str]]
) -> tuple[Packed, dict[int, str]]:
    """Sums of shares, and the tokens of both."""
    return first[0].plus(second[0]), first[1] | second[1]


def checkpoint_of(pinned: Pinned) -> Any:
    """The duals when the part's last round began."""
    return pinned.held().checkpoint()


def copy_of(duals: Any) -> Any:
    """The same, in the memory of the worker that runs this."""
    return duals
