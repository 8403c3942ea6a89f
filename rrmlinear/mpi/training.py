"""The functional door over the processes of a communicator: files and parameter in, model out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike, fspath
from typing import Any, TypeVar

from mpi4py import MPI

from rrmlinear.catalog.choices import Choices
from rrmlinear.catalog.selection import select
from rrmlinear.mpi.fleet import Failed, MpiFleet, Process
from rrmlinear.solvers.loop.result import OnPass
from rrmlinear.solvers.rounds.part import Part
from rrmlinear.training.model import Model
from rrmlinear.workers.agreement import Agreement, check_choices, warn_unless_solved
from rrmlinear.workers.dealing import read, shape_of
from rrmlinear.workers.recipe import part_of

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
