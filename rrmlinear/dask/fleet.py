"""The parts of a fit on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from distributed import Future

from rrmlinear.dask import parts
from rrmlinear.dask.blocks import Block, Held
from rrmlinear.dask.waiting import DataLostError, LostError, Watch
from rrmlinear.solvers.rounds.fleet import PartsLostError, add_rounds, halves, in_tree
from rrmlinear.solvers.rounds.orders import Facts, Order, Packed, Report
from rrmlinear.solvers.rounds.spread import Request, Sums, add_sums
from rrmlinear.workers.dealing import Recipe

# Rounds from one copy of all duals on other workers to the next.
CHECKPOINT_ROUNDS = 5
# A vector up to this number of bytes travels with its tasks.
SMALL_VECTOR = 1 << 18
# Times in a row that parts may be lost while they are loaded or their shares are added up; and by
# a lack of memory, which the next worker has too if it is as large.
MAX_LOSSES, MAX_LACKS = 10, 3
# With fewer groups of parts on a place, the places' shares would be too unlike.
GROUPS_A_PLACE = 2


class DaskFleet:
    """Groups of parts pinned to workers, a task of Dask for whatever one does.

    The tasks of a round hang together in a tree of sums whose shape depends on the number of parts
    alone: a group is a branch of it. Every CHECKPOINT_ROUNDS rounds each group's duals are copied
    to another worker. Where a worker is gone, its groups are loaded on others, with these duals, or
    with duals of zero.
    """

    def __init__(
        self,
        watch: Watch,
        recipes: Sequence[Recipe],
        blocks: Sequence[Block],
        workers: dict[str, int],
    ) -> None:
        self.watch = watch
        places = [address for address, threads in workers.items() for _ in range(threads)]
        each = group_size(len(recipes), len(places))
        self.groups = [recipes[k : k + each] for k in range(0, len(recipes), each)]
        self.blocks = blocks
        size = len(self.groups)
        self.addresses = [places[k * len(places) // size % len(places)] for k in range(size)]
        self.tokens: dict[int, str] = {}
        self.copies: list[dict[int, Future]] = []
        self.pinned = [self._loaded(k, None) for k in range(size)]

    def _loaded(self, k: int, duals: Future | None) -> Future:
        group = self.groups[k]
        needed = sorted({each.block for recipe in group for each in recipe.slices})
        given = {block: tuple(self.watch.sent(self.blocks[block])) for block in needed}
        return self._on(k, parts.load, group, given, duals)

    def _on(self, k: int, function: Any, *arguments: Any) -> Future:
        """A task on the worker of group k."""
        return self.watch.submit(function, *arguments, workers=[self.addresses[k]])

    def _sums(self, futures: list[Future], add: Any) -> list[Future]:
        """Futures of at most two sums. The client adds these: a task would take as many bytes."""
        return list(halves(futures, lambda a, b: self.watch.submit(add, a, b)))

    def _places(self, futures: list[Future]) -> dict[Future, str]:
        return dict(zip(futures, self.addresses, strict=True))

    def facts(self) -> list[Facts]:
        what, lacks = "loading the parts", 0
        for _ in range(MAX_LOSSES):
            found = [self._on(k, parts.facts_of, each) for k, each in enumerate(self.pinned)]
            try:
                told = self.watch.results(found, self._places(found), what)
            except LostError as error:
                reason = self.watch.of_memory(error.addresses)
                lacks += bool(reason)
                if lacks == MAX_LACKS:
                    raise MemoryError(f"{what}: {reason}") from None
                self._replace(error.addresses, what)
                continue
            except DataLostError as error:
                self._load_again(error, what)
                continue
            self.tokens = {k: token for k, (_, token) in enumerate(told)}
            return [each for facts, _ in told for each in facts]
        raise ConnectionError(f"workers were lost {MAX_LOSSES} times while they loaded the parts")

    def round(self, order: Order) -> tuple[Packed, Report]:
        found: tuple[Packed, Report] = self._summed(
            parts.round_of, order, add_rounds, f"round {order.number}"
        )
        if order.number % CHECKPOINT_ROUNDS == 0:
            self._copy()
        return found

    def answer(self, request: Request) -> Sums:
        found: Sums = self._summed(parts.answer_of, request, add_sums, "a sum of the second order")
        if request.asked.name == "keep":
            self._copy()
        return found

    def _summed(self, function: Any, order: Order | Request, add: Any, what: str) -> Any:
        """The sum of what all parts reply to an order; PartsLostError where parts are lost."""
        sent = self.watch.scattered(order) if order.nbytes > SMALL_VECTOR else order
        replies = [
            self._on(k, function, each, self.tokens[k], sent) for k, each in enumerate(self.pinned)
        ]
        sums = self._sums(replies, add)
        try:
            return in_tree(self.watch.results(sums, self._places(replies), what), add)
        except (LostError, DataLostError) as error:
            for future in (*replies, *sums):
                future.release()
            raise PartsLostError(self._load_again(error, what)) from None

    def give_up(self, number: int, step: float) -> Packed:
        for _ in range(MAX_LOSSES):
            shares = [
                self._on(k, parts.give_up, each, k, number, step)
                for k, each in enumerate(self.pinned)
            ]
            sums = self._sums(shares, parts.add_shares)
            what = f"adding up the weights for round {number}"
            try:
                found: Packed
                told = self.watch.results(sums, self._places(shares), what)
                found, self.tokens = in_tree(told, parts.add_shares)
                return found
            except (LostError, DataLostError) as error:
                self._load_again(error, what)
        raise ConnectionError(f"workers were lost {MAX_LOSSES} times at {what}")

    def _copy(self) -> None:
        """Copy all duals to other workers; the copies before serve until these have come."""
        workers = list(self.watch.workers())
        if len(workers) < 2:
            return
        copies = {}
        for k, each in enumerate(self.pinned):
            others = [address for address in workers if address != self.addresses[k]]
            duals = self._on(k, parts.checkpoint_of, each)
            copies[k] = self.watch.submit(parts.copy_of, duals, workers=[others[k % len(others)]])
        self.copies = [copies, *self.copies[:1]]

    def _copy_of(self, k: int) -> Future | None:
        """The newest copy of a group's duals that a worker still holds."""
        for copies in self.copies:
            copy = copies.get(k)
            if copy is not None and copy.status == "finished" and self.watch.is_held(copy):
                return copy
        return None

    def _load_again(self, error: LostError | DataLostError, what: str) -> str:
        """Load again what is lost: the parts of workers that are gone, or all parts, where blocks
        were lost on their way to workers and the client has them yet.
        """
        if isinstance(error, LostError):
            return self._replace(error.addresses, what)
        if not all(isinstance(each.X, Held) for each in self.blocks):
            raise error
        self.pinned = [self._loaded(k, self._copy_of(k)) for k in range(len(self.pinned))]
        return f"{what}: data were lost on their way to a worker; all parts were loaded again"

    def _replace(self, addresses: set[str], what: str) -> str:
        """Load the parts of these workers on others; returns a sentence about it."""
        reason = self.watch.of_memory(addresses)
        workers = list(self.watch.some_worker(reason))
        lost = [k for k, address in enumerate(self.addresses) if address in addresses]
        count = sum(len(self.groups[k]) for k in lost)
        copied = 0
        for k in lost:
            load = [self.addresses.count(address) for address in workers]
            duals = self._copy_of(k)
            copied += len(self.groups[k]) if duals is not None else 0
            self.addresses[k] = workers[load.index(min(load))]
            self.pinned[k] = self._loaded(k, duals)
        return (
            f"{what}: {', '.join(sorted(addresses))} was lost with {count} of "
            f"{sum(map(len, self.groups))} parts; they were loaded again, {copied} with duals of a "
            "checkpoint" + (f"; {reason}" if reason else "")
        )

    def close(self) -> None:
        for future in self.pinned:
            future.release()
        self.pinned, self.copies = [], []


def group_size(parts: int, places: int) -> int:
    """The parts of a group, a power of two: at least GROUPS_A_PLACE groups for each place to run,
    where there are as many parts.
    """
    return 1 << max(0, (parts // (GROUPS_A_PLACE * places)).bit_length() - 1)
