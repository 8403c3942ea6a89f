"""The parts of a fit in the processes of a communicator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rrmlinear.solvers.rounds.fleet import add_rounds
from rrmlinear.solvers.rounds.packed import Packed
from rrmlinear.solvers.rounds.part import Facts, Order, Part, Report
from rrmlinear.solvers.rounds.spread import Request, Sums, add_sums

# What the first process tells the others when there is nothing more to do.
END = "close", ()


class Failed:
    """An error of a process in place of its reply."""

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence


class MpiFleet:
    """Parts in the processes of a communicator; the first process has this, the others `serve`.

    An order is broadcast, and replies are added in a tree whose shape depends on the number of
    processes alone. A process with None has no part.
    """

    def __init__(self, communicator: Any, part: Part | None) -> None:
        self.communicator, self.part = communicator, part

    def _asked(self, name: str, *arguments: Any) -> Any:
        self.communicator.bcast((name, arguments))
        total = _replied(self.communicator, self.part, name, arguments)
        if isinstance(total, Failed):
            raise RuntimeError(total.sentence)
        return total

    def facts(self) -> list[Facts]:
        found: list[Facts] = self._asked("facts")
        return found

    def round(self, order: Order) -> tuple[Packed, Report]:
        found: tuple[Packed, Report] = self._asked("round", order)
        return found

    def give_up(self, number: int, step: float) -> Packed:
        found: Packed = self._asked("give_up", number, step)
        return found

    def answer(self, request: Request) -> Sums:
        found: Sums = self._asked("answer", request)
        return found

    def close(self) -> None:
        """Nothing: processes of other stages go on with the parts; `end` lets them go."""

    def end(self) -> None:
        """Let the others leave `serve`."""
        self.communicator.bcast(END)


def serve(communicator: Any, part: Part | None) -> None:
    """Do what the first process says, until it ends."""
    while True:
        name, arguments = order = communicator.bcast(None)
        if order == END:
            return
        _replied(communicator, part, name, arguments)


def _replied(communicator: Any, part: Part | None, name: str, arguments: Any) -> Any:
    """The sum of the replies of all parts, in the first process."""
    reply: Any = None
    try:
        if part is not None:
            reply = getattr(part, name)(*arguments)
            reply = [reply] if name == "facts" else reply
    except Exception as error:
        reply = Failed(f"process {communicator.rank}: {type(error).__name__}: {error}")
    return communicator.reduce(reply, op=_of_two(ADD[name]))


def _of_two(add: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """``add`` for replies that may be None or a failure."""

    def added(first: Any, second: Any) -> Any:
        for one, other in ((first, second), (second, first)):
            if one is None or isinstance(other, Failed):
                return other
        return add(first, second)

    return added


ADD: dict[str, Callable[[Any, Any], Any]] = {
    "facts": list.__add__,
    "round": add_rounds,
    "give_up": Packed.plus,
    "answer": add_sums,
}
