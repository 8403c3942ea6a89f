"""Parts on their worker: made of blocks there, and kept in the worker's memory."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from rrmlinear.dask.blocks import problem_of
from rrmlinear.solvers.rounds.fleet import add_rounds, in_tree
from rrmlinear.solvers.rounds.orders import Facts, Order, Packed, Report
from rrmlinear.solvers.rounds.part import Part
from rrmlinear.solvers.rounds.spread import Request, Sums, add_sums
from rrmlinear.workers.dealing import Recipe, part_of


class PartMissingError(Exception):
    """Parts are not in this worker's memory, or are others than those that were asked."""


class Pinned:
    """Parts with neighbouring numbers in their worker's memory, which one task asks one after
    another. Copies elsewhere are empty: a part has one place.

    ``token`` names their state, from their loading or their last lost round on.
    """

    def __init__(self, parts: list[Part] | None) -> None:
        self.parts = parts
        self.token = uuid4().hex

    def __reduce__(self) -> tuple[Any, ...]:
        return Pinned, (None,)

    def held(self) -> list[Part]:
        """The parts; PartMissingError where this is a copy."""
        if self.parts is None:
            raise PartMissingError("a copy of a part has no examples")
        return self.parts

    def known(self, token: str) -> list[Part]:
        """The parts, if their token is this one."""
        if token != self.token:
            raise PartMissingError("the part has been loaded again")
        return self.held()


def load(recipes: list[Recipe], blocks: dict[int, Any], duals: list[Any] | None) -> Pinned:
    """The parts of these blocks, by their numbers, with duals to begin with or None."""
    problems = {number: problem_of(*given)[0] for number, given in blocks.items()}
    begins = [None] * len(recipes) if duals is None else duals
    return Pinned(
        [
            part_of(recipe, [problems[each.block] for each in recipe.slices], begin)
            for recipe, begin in zip(recipes, begins, strict=True)
        ]
    )


def facts_of(pinned: Pinned) -> tuple[list[Facts], str]:
    """The facts of the parts and their token."""
    return [part.facts() for part in pinned.held()], pinned.token


def round_of(pinned: Pinned, token: str, order: Order) -> tuple[Packed, Report]:
    """The sums over the parts' rounds."""
    return in_tree([part.round(order) for part in pinned.known(token)], add_rounds)


def answer_of(pinned: Pinned, token: str, request: Request) -> Sums:
    """The sums of the parts' vectors."""
    return in_tree([part.answer(request) for part in pinned.known(token)], add_sums)


def give_up(pinned: Pinned, group: int, number: int, step: float) -> tuple[Packed, dict[int, str]]:
    """The parts' share of u after a lost round, and their new token."""
    own = in_tree([part.give_up(number, step) for part in pinned.held()], Packed.plus)
    pinned.token = uuid4().hex
    return own, {group: pinned.token}


def add_shares(
    first: tuple[Packed, dict[int, str]], second: tuple[Packed, dict[int, str]]
) -> tuple[Packed, dict[int, str]]:
    """Sums of shares, and the tokens of both."""
    return first[0].plus(second[0]), first[1] | second[1]


def checkpoint_of(pinned: Pinned) -> Any:
    """The duals when the parts' last round began."""
    return [part.checkpoint() for part in pinned.held()]


def copy_of(duals: Any) -> Any:
    """The same, in the memory of the worker that runs this."""
    return duals
