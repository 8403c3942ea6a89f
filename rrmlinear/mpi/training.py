"""The functional door over the processes of a communicator: files and parameter in, model out; and
the parts of a fit in these processes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike, fspath
from typing import Any, TypeVar

from mpi4py import MPI

from rrmlinear.catalog.choices import Choices
from rrmlinear.catalog.selection import select
from rrmlinear.solvers.loop.result import OnPass
from rrmlinear.solvers.rounds.fleet import add_rounds
from rrmlinear.solvers.rounds.orders import Facts, Order, Packed, Report
from rrmlinear.solvers.rounds.part import Part
from rrmlinear.solvers.rounds.spread import Request, Sums, add_sums
from rrmlinear.training.model import Model
from rrmlinear.workers.agreement import Agreement, check_choices, warn_unless_solved
from rrmlinear.workers.dealing import part_of, read, shape_of

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


T = TypeVar("T")


def fit(
    paths: str | PathLike[str] | Sequence[str | PathLike[str]],
    parameter: Choices | None = None,
    *,
    bias: float = -1.0,
    balance: bool = False,
    communicator: Any = None,
    strict: bool = False,
    on_pass: OnPass | None = None,
    offset: Any = None,
    exposure: Any = None,
) -> Model:
    """minimize Ω(W) + Σ_i C_i φ(W'x_i, y_i) as `rrmlinear.fit` does, over processes.

    All processes of the ``communicator``, by default of the world, call this with the same
    arguments, and all get the model. ``paths`` name containers or LIBSVM files that every process
    can open. The examples are dealt in their order, a part to each process: of containers it maps
    its own part alone, of text it reads the files that have it. The same data, parameter and number
    of processes give the same bits. The parameter, ``balance``, ``strict``, ``offset`` and
    ``exposure``, which are arrays, are as in `rrmlinear.dask.fit`; a pass of the trace is a round.
    ``on_pass`` is called in the first process.

    Raises ChoiceError and ValueError for wrong parameters and data, in every process, and
    RuntimeError for an error of another process. A process that is lost ends all, as MPI has it.
    Warns (NotSolvedWarning) where the tolerance was not reached.
    """
    communicator = MPI.COMM_WORLD if communicator is None else communicator
    rank, size = communicator.rank, communicator.size
    choices = Choices() if parameter is None else parameter
    check_choices(select(choices))
    files = [fspath(each) for each in ([paths] if isinstance(paths, str | PathLike) else paths)]
    mine = _agreed(
        communicator, lambda: [shape_of(*read(file, strict)) for file in files[rank::size]]
    )
    shapes = [mine[k % size][k // size] for k in range(len(files))]
    agreed = Agreement.of(choices, bias, shapes, size, False, offset, exposure)

    def load(j: int) -> Part | None:
        if rank >= len(agreed.recipes):
            return None
        recipe = agreed.recipes_of(j)[rank]
        return part_of(recipe, [read(files[each.block])[0] for each in recipe.slices])

    held: dict[int, Part | None] = {}
    _agreed(communicator, lambda: held.update({0: load(0)}))  # an error in the data is everyone's
    process = Process(communicator, lambda j: held.pop(j) if j in held else load(j))
    result: Any = None
    if rank == 0:
        result = Failed("the first process was interrupted")
        try:
            result = agreed.solve(lambda j: MpiFleet(process, j), on_pass, balance)
        except Exception as error:
            result = Failed(f"process 0: {type(error).__name__}: {error}")
            raise
        finally:
            process.end()
            communicator.bcast(result)
    else:
        process.serve()
        result = communicator.bcast(None)
    if isinstance(result, Failed):
        raise RuntimeError(result.sentence)
    warn_unless_solved(result)
    return agreed.model(result)


def is_first(communicator: Any = None) -> bool:
    """Whether this is the first process of all."""
    return (MPI.COMM_WORLD if communicator is None else communicator).rank == 0


def _agreed(communicator: Any, act: Callable[[], T]) -> list[T]:
    """What every process returns, or the first error of all, in every process."""
    found: T | Exception
    try:
        found = act()
    except Exception as error:
        found = error
    told = communicator.allgather(found)
    for each in told:
        if isinstance(each, Exception):
            raise each
    return told
