"""The parts of a fit in the processes of a communicator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rrmlinear.solvers.rounds.fleet import add_rounds
from rrmlinear.solvers.rounds.orders import Facts, Order, Packed, Report
from rrmlinear.solvers.rounds.part import Part
from rrmlinear.solvers.rounds.spread import Request, Sums, add_sums

# The first process sends this to the others at the end.
END = "close", ()


class Failed:
    """An error of a process in place of its reply."""

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence


class Process:
    """A process of a communicator with its part; ``load`` makes that of a problem, or None."""

    def __init__(self, communicator: Any, load: Callable[[int], Part | None]) -> None:
        self.communicator, self.load = communicator, load
        self.part: Part | None = None

    def ask(self, name: str, *arguments: Any) -> Any:
        """The sum of what all parts reply; the first process asks, the others `serve`."""
        self.communicator.bcast((name, arguments))
        total = self._replied(name, arguments)
        if isinstance(total, Failed):
            raise RuntimeError(total.sentence)
        return total

    def end(self) -> None:
        """Let the others leave `serve`."""
        self.communicator.bcast(END)

    def serve(self) -> None:
        """Do what the first process says, until it ends."""
        while True:
            name, arguments = order = self.communicator.bcast(None)
            if order == END:
                return
            self._replied(name, arguments)

    def _replied(self, name: str, arguments: Any) -> Any:
        """The sum of the replies of all parts, in the first process."""
        reply: Any = None
        try:
            if name == "load":
                self.part = self.load(*arguments)
            elif self.part is not None:
                reply = getattr(self.part, name)(*arguments)
                reply = [reply] if name == "facts" else reply
        except Exception as error:
            reply = Failed(f"process {self.communicator.rank}: {type(error).__name__}: {error}")
        return self.communicator.reduce(reply, op=_of_two(ADD[name]))


class MpiFleet:
    """The parts of problem ``j`` in the processes of a communicator, known to the first of them.

    An order is broadcast, and replies are added in a tree whose shape depends on the number of
    processes alone.
    """

    def __init__(self, process: Process, j: int) -> None:
        self.process = process
        process.ask("load", j)

    def facts(self) -> list[Facts]:
        found: list[Facts] = self.process.ask("facts")
        return found

    def round(self, order: Order) -> tuple[Packed, Report]:
        found: tuple[Packed, Report] = self.process.ask("round", order)
        return found

    def give_up(self, number: int, step: float) -> Packed:
        found: Packed = self.process.ask("give_up", number, step)
        return found

    def answer(self, request: Request) -> Sums:
        found: Sums = self.process.ask("answer", request)
        return found

    def close(self) -> None:
        """Nothing: the next problem's parts take the place of these."""


def _of_two(add: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """``add`` for replies that may be None or a failure."""

    def added(first: Any, second: Any) -> Any:
        for one, other in ((first, second), (second, first)):
            if one is None or isinstance(other, Failed):
                return other
        return add(first, second)

    return added


ADD: dict[str, Callable[[Any, Any], Any]] = {
    "load": list.__add__,
    "facts": list.__add__,
    "round": add_rounds,
    "give_up": Packed.plus,
    "answer": add_sums,
}
