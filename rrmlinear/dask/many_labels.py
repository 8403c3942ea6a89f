"""Many labels over a cluster: blocks of labels are dealt to workers, each of which has all rows."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from distributed import Client, Future

from rrmlinear.catalog.choices import Choices
from rrmlinear.catalog.selection import select
from rrmlinear.core.deadline import ends_within
from rrmlinear.dask.training import WAIT_LIMIT, present_client
from rrmlinear.dask.waiting import DataLostError, Watch
from rrmlinear.data.label_sets import MultilabelProblem
from rrmlinear.data.problem import check_kind
from rrmlinear.training.labels.fit_labels import OnLabel, solve_labels, warn_unless_ended
from rrmlinear.training.labels.label_model import LabelModel
from rrmlinear.training.labels.terms import LabelTerms
from rrmlinear.workers.label_kit import LabelKit

#: Tasks for each thread of the cluster that are under way at once.
TASKS_A_THREAD = 2
# Times in a row that the rows may be lost with all workers that have them.
MAX_LOSSES = 10


def fit_labels(
    problem: MultilabelProblem,
    parameter: Choices | None = None,
    on_label: OnLabel | None = None,
    *,
    client: Client | None = None,
    wait_limit: float = WAIT_LIMIT,
    **terms: Any,
) -> LabelModel:
    """`rrmlinear.fit_labels` over workers, whose other arguments are ``terms``.

    Blocks of sixteen labels are dealt to the threads of the workers. Each worker has all rows: it
    maps the container of a problem that `MultilabelProblem.open` made, whose file it must be able
    to open, and other rows are sent to it once. The result has the bits of one process. A worker
    that is lost costs the blocks that it had: others solve them.

    ``client`` is the present one by default. ``wait_limit`` bounds every wait, in seconds.

    Raises what `rrmlinear.fit_labels` raises, ConnectionError where the scheduler is lost,
    TimeoutError at the limit, and MemoryError where workers exceed theirs again and again. Warns
    (NotSolvedWarning) where a label has not reached the tolerance.
    """
    check_kind("fit_labels", problem, MultilabelProblem, "MultilabelProblem.from_arrays(X, Y)")
    if not wait_limit > 0:
        raise ValueError(f"wait_limit must be above 0 seconds, got {wait_limit!r}")
    asked, chosen = LabelTerms(**terms), select(Choices() if parameter is None else parameter)
    crew_of = crews(present_client() if client is None else client, wait_limit)
    model = solve_labels(problem, chosen, asked, on_label, crew_of)
    warn_unless_ended(model)
    return model


def crews(client: Client, wait_limit: float = WAIT_LIMIT) -> Any:
    """What makes a crew of a client's workers, of the arguments of `LabelWork`."""
    return partial(_crew_of, Watch(client, wait_limit))


def _crew_of(watch: Watch, *work: Any) -> LabelCrew:
    watch.some_worker()
    return LabelCrew(watch, LabelKit.of(*work))


class LabelCrew:
    """The workers of a cluster, as a `Crew`."""

    def __init__(self, watch: Watch, kit: LabelKit) -> None:
        self.watch, self.kit, self.stops = watch, kit, False
        self.sent = watch.scattered(kit, to_all=True)

    def map(self, name: str, tasks: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        with ends_within(None) as deadline:
            until = time.time() + deadline - time.perf_counter()
        left = iter(tasks)
        # tasks under way, the first one first
        begun: deque[tuple[tuple[Any, ...], Future]] = deque()
        try:
            while True:
                room = TASKS_A_THREAD * sum(self.watch.some_worker().values()) - len(begun)
                for _ in range(0 if self.stops else max(room, 0)):
                    if (task := next(left, None)) is None:
                        break
                    begun.append((task, self._begun(name, task, until)))
                if not begun or self.stops:
                    break
                yield self._result(name, begun, until)
                begun.popleft()
            yield from (None for _ in begun)
            yield from (None for _ in left)
        finally:
            self.watch.client.cancel([future for _, future in begun])

    def _begun(self, name: str, task: tuple[Any, ...], until: float) -> Future:
        return self.watch.submit(done, self.sent, name, task, until)

    def _result(self, name: str, begun: deque[tuple[tuple[Any, ...], Future]], until: float) -> Any:
        """That of the first task; rows that were lost with all their workers are sent again."""
        for _ in range(MAX_LOSSES):
            try:
                return self.watch.result(begun[0][1], {}, "solving a block of labels")
            except DataLostError:
                self.sent = self.watch.scattered(self.kit, to_all=True)
                for at, (task, _) in enumerate(begun):
                    begun[at] = task, self._begun(name, task, until)
        raise ConnectionError(f"the rows were lost {MAX_LOSSES} times with the workers")

    def stop(self) -> None:
        self.stops = True


def done(kit: LabelKit, name: str, task: tuple[Any, ...], until: float) -> Any:
    """A task on a worker; None where it is past the time ``until``."""
    seconds = until - time.time()
    if seconds <= 0:
        return None
    with ends_within(None if math.isinf(seconds) else seconds):
        return getattr(kit.work(), name)(*task)
