"""Many labels over processes: blocks of labels are dealt to all, each of which has all rows."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from mpi4py import MPI
from xxhash import xxh64_intdigest

from rrmlinear.catalog.choices import Choices
from rrmlinear.catalog.selection import select
from rrmlinear.core.deadline import ends_within
from rrmlinear.data.label_sets import MultilabelProblem
from rrmlinear.data.problem import check_kind
from rrmlinear.mpi.training import Failed
from rrmlinear.training.labels.fit_labels import OnLabel, solve_labels, warn_unless_ended
from rrmlinear.training.labels.label_model import LabelModel
from rrmlinear.training.labels.terms import LabelTerms
from rrmlinear.training.labels.work import LabelWork, Threads
from rrmlinear.workers.label_kit import LabelKit

T = TypeVar("T")

#: Tasks of each thread from one exchange to the next.
TASKS_A_TURN = 2


def fit_labels(
    problem: MultilabelProblem,
    parameter: Choices | None = None,
    on_label: OnLabel | None = None,
    *,
    communicator: Any = None,
    **terms: Any,
) -> LabelModel:
    """`rrmlinear.fit_labels` over processes, whose other arguments are ``terms``.

    All processes of the ``communicator``, by default of the world, call this with the same problem,
    of rows that each has or maps, and the same arguments; all get the model. Blocks of sixteen
    labels are dealt to their threads, and the result has the bits of one process. ``on_label`` is
    called in the first process, which alone writes the journal. A process that is lost ends all, as
    MPI has it; the same call goes on from the journal.

    Raises what `rrmlinear.fit_labels` raises, in the first process, ValueError in every one where
    the problems differ, and RuntimeError for an error of another process. Warns (NotSolvedWarning)
    where a label has not reached the tolerance.
    """
    check_kind("fit_labels", problem, MultilabelProblem, "MultilabelProblem.from_arrays(X, Y)")
    asked, chosen = LabelTerms(**terms), select(Choices() if parameter is None else parameter)
    processes = LabelProcesses(communicator)
    processes.compare(problem)
    found: Any = Failed("the first process was interrupted")
    if processes.rank:
        processes.serve(problem)
        found = processes.communicator.bcast(None)
    else:
        try:
            with processes.lead() as crew_of:
                found = solve_labels(problem, chosen, asked, on_label, crew_of)
        except Exception as error:
            found = Failed(f"process 0: {type(error).__name__}: {error}")
            raise
        finally:
            processes.communicator.bcast(found)
    if isinstance(found, Failed):
        raise RuntimeError(found.sentence)
    model: LabelModel = found
    warn_unless_ended(model)
    return model


class LabelProcesses:
    """The processes of a communicator. The first one asks, and the others serve."""

    def __init__(self, communicator: Any = None) -> None:
        self.communicator = MPI.COMM_WORLD if communicator is None else communicator
        self.rank, self.size = self.communicator.rank, self.communicator.size

    def agreed(self, act: Callable[[], T]) -> T:
        """What ``act`` returns here. Raises its error, and RuntimeError for that of another."""
        found: T | None = None
        own: Exception | None = None
        try:
            found = act()
        except Exception as error:
            own = error
        told = self.communicator.allgather(None if own is None else str(own))
        if own is not None:
            raise own
        for rank, sentence in enumerate(told):
            if sentence is not None:
                raise RuntimeError(f"process {rank}: {sentence}")
        return found  # type: ignore[return-value]

    def compare(self, problem: MultilabelProblem) -> None:
        """Raise ValueError, in every process, where their problems differ."""
        labels = problem.labels
        sums = xxh64_intdigest(labels.begins.tobytes()), xxh64_intdigest(labels.members.tobytes())
        own = problem.rows.shape, problem.bias, *sums, problem.rows.n_stored
        for rank, other in enumerate(self.communicator.allgather(own)):
            if other != own:
                raise ValueError(f"processes {self.rank} and {rank} have other examples or labels")

    @contextmanager
    def lead(self) -> Iterator[Callable[..., LabelCrew]]:
        """In the first process: what makes a crew of all, of the arguments of `LabelWork`."""
        fails = True
        try:
            yield lambda *work: LabelCrew(self, *work)
            fails = False
        finally:
            self.communicator.bcast(("end", fails))

    def serve(self, problem: MultilabelProblem) -> bool:
        """In another process: do what the first says until it ends; whether it has failed."""
        work: Any = None
        while True:
            kind, given = self.communicator.bcast(None)
            if kind == "end":
                return bool(given)
            if kind == "begin":
                work = self._tried(partial(given.work, problem))
            else:
                name, seconds = given
                self.turn(work, name, seconds, self.communicator.scatter(None))

    def turn(self, work: Any, name: str, seconds: float, tasks: list[Any]) -> Any:
        """Do own tasks; in the first process, what all have found, by their ranks."""

        def found() -> list[Any]:
            with ends_within(None if math.isinf(seconds) else max(seconds, 0.0)):
                return list(Threads(work, work.chosen.choices.threads).map(name, tasks))

        return self.communicator.gather(work if isinstance(work, Failed) else self._tried(found))

    def _tried(self, act: Callable[[], Any]) -> Any:
        try:
            return act()
        except Exception as error:
            return Failed(f"process {self.rank}: {type(error).__name__}: {error}")


class LabelCrew:
    """All processes, as a `Crew`, known to the first."""

    def __init__(self, processes: LabelProcesses, *work: Any) -> None:
        self.processes, self.work, self.stops = processes, LabelWork(*work), False
        processes.communicator.bcast(("begin", LabelKit.of(*work, with_rows=False)))

    def map(self, name: str, tasks: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        communicator, size = self.processes.communicator, self.processes.size
        left = iter(tasks)
        most = TASKS_A_TURN * self.work.chosen.choices.threads * size
        while not self.stops and (some := list(islice(left, most))):
            with ends_within(None) as deadline:
                given = name, deadline - time.perf_counter()
            communicator.bcast(("turn", given))
            own = communicator.scatter([some[rank::size] for rank in range(size)])
            replies = self.processes.turn(self.work, *given, own)
            for reply in replies:
                if isinstance(reply, Failed):
                    raise RuntimeError(reply.sentence)
            for at in range(len(some)):
                yield replies[at % size][at // size]
        yield from (None for _ in left)

    def stop(self) -> None:
        self.stops = True
