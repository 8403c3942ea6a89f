"""Waits that end: for workers, the scheduler and tasks, each with a limit and a name."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future as Answer
from threading import Thread
from typing import Any, TypeVar

from distributed import CancelledError, Client, Future
from distributed.scheduler import KilledWorker

from rrmlinear.dask.blocks import Block, Held
from rrmlinear.dask.parts import PartMissingError

T = TypeVar("T")
# Seconds between two looks at who is there while a result is awaited.
LOOK = 0.5
# Seconds in which the scheduler must answer a question about its workers.
ANSWER_LIMIT = 20.0
# Topic of the events in which a nanny tells that it ended a worker for its memory.
MEMORY_EVENTS = "worker-restart-memory"


class LostError(Exception):
    """Workers with parts are gone, or parts are; ``addresses`` are those workers."""

    def __init__(self, addresses: set[str]) -> None:
        super().__init__(", ".join(sorted(addresses)))
        self.addresses = addresses


class DataLostError(ConnectionError):
    """Data of a task are lost, with a worker that held them."""


class Watch:
    """Waits for tasks of a client, each for ``limit`` seconds at most.

    Raises ConnectionError where the scheduler is gone or a task's workers die again and again,
    MemoryError where they exceed their memory, and TimeoutError at the limit; all say who is
    missing. The scheduler itself is asked who is there: what the client keeps may be empty.
    """

    def __init__(self, client: Client, limit: float) -> None:
        if not isinstance(client, Client):
            raise TypeError(f"client must be a distributed.Client, got {type(client).__name__}")
        self.client, self.limit = client, limit
        self.scheduler = client.scheduler.address if client.scheduler else "of the client"

    def workers(self) -> dict[str, int]:
        """Threads of each worker that takes tasks, by its address, in order."""
        found = self._answered(lambda: self.client.sync(self.client.scheduler.ncores_running))
        return dict(sorted(found.items()))

    def all_workers(self) -> set[str]:
        """The addresses of all workers, those that are leaving or paused too."""
        return set(self._answered(self.client.nthreads))

    def of_memory(self, addresses: set[str]) -> str:
        """A sentence on those of these workers that were ended for their memory, "" for none."""
        events = self._answered(lambda: self.client.get_events(MEMORY_EVENTS))
        used = {event["worker"]: event["rss"] for _, event in events}
        told = [f"{a} with {used[a] / 1e6:.0f} MB" for a in sorted(addresses & used.keys())]
        if not told:
            return ""
        return (
            f"{', '.join(told)} exceeded the memory that a worker may take: give workers more "
            "(memory_limit of LocalCluster, --memory-limit of dask worker), or take more of them"
        )

    def some_worker(self, reason: str = "") -> dict[str, int]:
        """`workers`, once there is one; ``reason`` says why there may be none."""
        end = time.monotonic() + self.limit
        while not (found := self.workers()):
            if time.monotonic() > end:
                told = f"no worker has come to the scheduler {self.scheduler} in {self.limit:g} s"
                if others := sorted(self.all_workers()):
                    told += (
                        f"; {', '.join(others)} takes no tasks: Dask pauses workers whose memory "
                        "is nearly full"
                    )
                raise TimeoutError(told + (f"; {reason}" if reason else ""))
            time.sleep(LOOK)
        return found

    def submit(self, function: Callable[..., Any], *arguments: Any, **where: Any) -> Future:
        """A task that is never taken for another."""
        self._check_scheduler()
        try:
            return self.client.submit(function, *arguments, pure=False, **where)
        except Exception:
            self._check_scheduler()
            raise

    def sent(self, block: Block) -> Block:
        """The block, on its way to a worker if the client holds it."""
        if not isinstance(block.X, Held):
            return block
        return block._replace(X=self.scattered(block.X.value))

    def is_held(self, future: Future) -> bool:
        """Whether a worker has the result of a task."""
        return any(self._answered(lambda: self.client.who_has([future])).values())

    def scattered(self, value: Any, to_all: bool = False) -> Future:
        """A future of a value in the memory of a worker, or of all; of others where one is lost."""
        end = time.monotonic() + self.limit
        while True:
            self._check_scheduler()
            sending = _asked(lambda: self.client.scatter([value], hash=False, broadcast=to_all))
            try:
                found: list[Future] = sending.result(max(0.0, end - time.monotonic()))
                return found[0]
            except (TimeoutError, OSError, CancelledError):
                self._check_scheduler()
                if time.monotonic() > end:
                    raise ConnectionError(
                        f"no worker of the scheduler {self.scheduler} has taken data in "
                        f"{self.limit:g} s"
                    ) from None
                time.sleep(LOOK)
                self.some_worker()

    def _answered(self, ask: Callable[[], T]) -> T:
        self._check_scheduler()
        try:
            return _asked(ask).result(ANSWER_LIMIT)
        except (TimeoutError, OSError, CancelledError):
            raise ConnectionError(
                f"the scheduler {self.scheduler} was lost: it has not answered in "
                f"{ANSWER_LIMIT:g} s"
            ) from None

    def _check_scheduler(self) -> None:
        if self.client.status != "running":
            raise ConnectionError(
                f"the scheduler {self.scheduler} was lost: the client is {self.client.status}"
            )

    def computed(self, values: Any) -> Any:
        """The values of a collection; others as they are."""
        if not hasattr(values, "compute"):
            return values
        return self.result(self.client.compute(values), {}, "gathering a collection")

    def result(
        self, future: Future, needed: dict[Future, str], what: str, end: float | None = None
    ) -> Any:
        """`results` of one task."""
        return self.results([future], needed, what, end)[0]

    def results(
        self, futures: list[Future], needed: dict[Future, str], what: str, end: float | None = None
    ) -> list[Any]:
        """The results of tasks that need others, each on the worker with this address.

        Raises LostError where one of them is gone. ``what`` names the tasks for the TimeoutError.
        """
        end = time.monotonic() + self.limit if end is None else end
        answer: Answer[list[Any]] = _asked(lambda: self.client.gather(futures))
        while True:
            try:
                return answer.result(LOOK)
            except TimeoutError:
                if answer.done():  # of the task itself
                    raise
            except PartMissingError:
                raise LostError(self._of_missing_parts(needed)) from None
            except CancelledError:
                self._check_scheduler()
                if not set(needed.values()) - self.all_workers():
                    raise DataLostError(
                        f"{what} lacks data that were lost with a worker and that no task can make "
                        "again; files and dask collections can be read again"
                    ) from None
            except (KilledWorker, OSError) as error:
                self._check_scheduler()
                if not set(needed.values()) - self.all_workers():
                    if not isinstance(error, KilledWorker):
                        raise
                    if reason := self.of_memory({error.last_worker.address}):
                        raise MemoryError(f"{what}: {reason}") from None
                    raise ConnectionError(f"{what}: {error}") from None
            if lost := set(needed.values()) - self.all_workers():
                raise LostError(lost)
            if time.monotonic() > end:
                missing = sorted({a for f, a in needed.items() if f.status != "finished"})
                running = self.workers()
                told = [a if a in running else f"{a}, which takes no tasks" for a in missing]
                who = ", ".join(told) or f"the tasks of {self.scheduler}"
                raise TimeoutError(f"{what} has waited {self.limit:g} s for {who}")

    def _of_missing_parts(self, needed: dict[Future, str]) -> set[str]:
        wrong = {
            address
            for future, address in needed.items()
            if future.status == "error" and isinstance(future.exception(), PartMissingError)
        }
        return wrong or set(needed.values())


def _asked(ask: Callable[[], T]) -> Answer[T]:
    """What a thread of its own is told; a thread that waits for ever ends with the process."""
    answer: Answer[T] = Answer()

    def tell() -> None:
        try:
            answer.set_result(ask())
        except BaseException as error:
            answer.set_exception(error)

    Thread(target=tell, daemon=True).start()
    return answer
