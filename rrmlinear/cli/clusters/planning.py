"""The plan command: passes, seconds, bytes and memory of training over workers, by a simulation on
a sample of the data and a model of the cluster.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.builders.dual import part
from rrmlinear.catalog.choices import Choices
from rrmlinear.catalog.losses import LOSSES
from rrmlinear.catalog.selection import Selection, select
from rrmlinear.cli.files import asked_of, check_input, offer_reading, read_problem
from rrmlinear.cli.flags import sentence_of
from rrmlinear.cli.leaving import LeaveError
from rrmlinear.cli.parser import Parser, choice, number, whole
from rrmlinear.cli.report import warnings_said
from rrmlinear.cli.usage import PLAN
from rrmlinear.data.labels import group_labels
from rrmlinear.data.problem import Problem
from rrmlinear.solvers.loop.result import Stopping
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.rounds.fleet import LocalFleet, add_rounds, in_tree
from rrmlinear.solvers.rounds.orders import Order, Packed, Report
from rrmlinear.solvers.rounds.over_parts import over_parts
from rrmlinear.solvers.rounds.part import Part
from rrmlinear.solvers.rounds.spread import Request, Sums, add_sums
from rrmlinear.training.costs import base_costs, checked_costs

# Passes after which the simulation gives up, and its gap.
MOST_PASSES, GAP = 300, 1e-3
# A simulation takes all examples up to this number of stored values, and at least as many examples.
SAMPLE_VALUES, LEAST_SAMPLE = 20_000_000, 20_000
# Seconds of the scheduler for a task, as Dask's manual has it, and of a message.
TASK_SECONDS, LATENCY = 1e-3, 5e-4
# Doubles for an example in addition to its row: the ascent's, and the duals before a round.
DOUBLES_EACH = 11
# Vectors of the weights' size in a worker's memory: v, its own part, change, order and reply.
VECTORS = 6
SOLVER = 32


class Metered(LocalFleet):
    """Virtual workers whose orders and replies are counted.

    ``rounds`` and ``exchanges``, rounds and requests; bytes of all orders to one part (``sent``),
    of the largest replies (``replied``) and of the sums (``summed``), and of the ``largest`` of
    these; ``seconds`` of CPU in all parts.
    """

    rounds = exchanges = sent = replied = summed = largest = 0
    seconds = 0.0

    def round(self, order: Order) -> tuple[Packed, Report]:
        self.rounds += 1
        return self._summed(order.nbytes, lambda part: part.round(order), add_rounds)

    def answer(self, request: Request) -> Sums:
        return self._summed(request.nbytes, lambda part: part.answer(request), add_sums)

    def _summed(self, sent: int, reply: Callable[[Part], Any], add: Callable[..., Any]) -> Any:
        begin = time.process_time()
        replies = [reply(part) for part in self.parts]
        self.seconds += time.process_time() - begin
        total = in_tree(replies, add)
        replied, summed = max(map(_bytes_of, replies)), _bytes_of(total)
        self.exchanges += 1
        self.sent += sent
        self.replied += replied
        self.summed += summed
        self.largest = max(self.largest, sent, replied, summed)
        return total


def _bytes_of(sums: Any) -> int:
    """Bytes of the matrices in nested sums; numbers count as nothing."""
    if isinstance(sums, Packed):
        return sums.nbytes
    return sum(map(_bytes_of, sums)) if isinstance(sums, tuple) else 0


def virtual_workers(problem: Problem, chosen: Selection, workers: int, seed: int = 0) -> Metered:
    """The examples, shuffled and dealt to ``workers`` parts.

    A loss of one score takes the first class against all others.
    """
    several = chosen.kind == "multiclass"
    targets: NDArray[Any] = problem.labels
    columns = None
    if chosen.kind != "regression":
        labels, label = group_labels(problem.labels)
        targets = label if several else np.where(label == 0, 1.0, -1.0)
        columns = len(labels) if several else None
    width = problem.rows.width
    omega = chosen.regularizer.over(
        (width,) if columns is None else (width, columns), intercept=width > problem.n_features
    )
    costs = checked_costs(base_costs(problem, chosen.choices.C))
    shuffled = np.random.default_rng(seed).permutation(problem.n_examples)
    parts = []
    for k, examples in enumerate(np.array_split(shuffled, workers)):
        own = np.sort(examples)
        choices = replace(chosen.choices, seed=seed + k)
        rows = problem.take(own).rows.with_bias(problem.bias)
        y, c = np.ascontiguousarray(targets[own]), costs[own]
        task = Task(rows, y, columns, c, chosen.loss, omega, chosen.features, choices)
        parts.append(part(task, place=k))
    return Metered(parts)


@dataclass(frozen=True)
class Measured:
    """What a simulation took."""

    #: Rounds of the ascent, and steps of Newton's method; None beyond the limit.
    rounds: int
    steps: int | None
    #: Orders to the workers.
    exchanges: int
    #: CPU seconds for each stored value, and of the process that gives orders.
    seconds: float
    alone: float
    #: Bytes of a vector of weights; sent and received ones as in `Metered`.
    vector: int
    sent: int
    replied: int
    summed: int
    largest: int


def main(arguments: Sequence[str]) -> None:
    """Read the file, simulate, and print the plan; LeaveError for every error."""
    parser = Parser(lambda: PLAN)
    parser.value("--workers", type=whole("--workers", 1, 1024), default=16)
    parser.value("--loss", type=choice("--loss", tuple(LOSSES)))
    parser.value("-c", dest="C", type=number("-c"), default=1.0)
    parser.value("-B", dest="bias", type=number("-B"), default=-1.0)
    parser.value("--sample", type=whole("--sample", 100))
    parser.value("--network", type=number("--network"), default=10.0)
    offer_reading(parser)
    first = [path for path in arguments[:1] if not path.startswith("-")]  # the file may stand first
    options, files = parser.parse((arguments[1:] or ["--"]) if first else arguments)
    files = [*first, *files]
    if len(files) != 1:
        raise parser.wrong("no data_file is given" if not files else "plan takes one data_file")
    if not options.network > 0:
        raise parser.wrong(f"--network must be above 0, got {options.network:g}")
    check_input(files[0])
    with warnings_said():
        problem = read_problem(files[0], None, False, asked=asked_of(options))
    problem = problem.with_bias(options.bias)
    if problem.n_features == 0 or problem.n_examples == 0:
        raise LeaveError(f"ERROR: {files[0]} has no features; at least one is needed")
    try:
        chosen = select(Choices(solver=SOLVER, loss=options.loss, C=options.C))
        each = max(1.0, problem.rows.n_stored / problem.n_examples)
        most = options.sample or max(LEAST_SAMPLE, int(SAMPLE_VALUES / each))
        sample, sampled = _sampled(problem, chosen, most)
        counts = [*(4**k for k in range(6) if 4**k < options.workers), options.workers]
        found = [simulated(sample, sampled, workers) for workers in counts]
    except ValueError as error:
        raise LeaveError(f"ERROR: {sentence_of(error)}") from None
    if not options.quiet:
        print("\n".join(_lines(problem, sample, chosen, counts, found, options.network)))


def _sampled(problem: Problem, chosen: Selection, most: int) -> tuple[Problem, Selection]:
    """At most ``most`` examples, with C for the same weight of the regularizer in the mean."""
    n = problem.n_examples
    if n <= most:
        return problem, chosen
    some = np.sort(np.random.default_rng(0).permutation(n)[:most])
    cost = chosen.choices.C * n / most
    return problem.take(some), select(replace(chosen.choices, C=cost))


def simulated(problem: Problem, chosen: Selection, workers: int) -> Measured:
    """What a fit does over virtual workers."""
    fleet = virtual_workers(problem, chosen, min(workers, problem.n_examples))
    first = fleet.parts[0]
    shape = first.shape if chosen.kind == "multiclass" else first.shape[:1]
    begin = time.process_time()
    solver = over_parts(fleet, chosen.loss, chosen.features, first.regularizer, shape)
    result = solver.solve(Stopping(GAP, None, MOST_PASSES))
    alone = time.process_time() - begin - fleet.seconds
    return Measured(
        fleet.rounds,
        result.passes - fleet.rounds if result.solved else None,
        fleet.exchanges,
        fleet.seconds / max(1, problem.rows.n_stored),
        max(0.0, alone),
        8 * math.prod(shape),
        fleet.sent,
        fleet.replied,
        fleet.summed,
        fleet.largest,
    )


def seconds_of(problem: Problem, workers: int, found: Measured, gigabits: float) -> list[float]:
    """Seconds: work on the examples, the orders' way to the workers, the sums' way back, tasks."""
    levels = math.ceil(math.log2(workers)) if workers > 1 else 0
    speed, latency = gigabits * 1e9 / 8, LATENCY * found.exchanges
    return [
        found.seconds * problem.rows.n_stored / workers + found.alone,
        levels * (found.sent / speed + latency),
        levels * ((found.replied + found.summed) / 2 / speed + latency),
        found.exchanges * max(1, 2 * workers - 2) * TASK_SECONDS,
    ]


def memory(problem: Problem, workers: int, found: Measured) -> float:
    """Bytes of a worker with one part."""
    each = problem.rows.n_bytes + 8 * DOUBLES_EACH * problem.n_examples
    return each / workers + VECTORS * found.vector + 2 * found.largest


def _lines(
    problem: Problem,
    sample: Problem,
    chosen: Selection,
    counts: Sequence[int],
    found: Sequence[Measured],
    network: float,
) -> Iterator[str]:
    rows = problem.rows
    yield (
        f"data: {problem.n_examples} examples, {problem.n_features} features, {rows.n_stored} "
        f"stored values, {rows.n_bytes / 1e6:.1f} MB; loss {chosen.loss_row.name}, "
        f"C = {chosen.choices.C:g}"
    )
    yield (
        f"simulated on {sample.n_examples} of them, to a relative gap of {GAP:g}; network of "
        f"{network:g} Gbit/s, one part a worker"
    )
    yield (
        "workers  rounds  steps  orders  seconds (work + orders + sums + tasks)        MB sent  "
        "memory"
    )
    best, quickest = counts[0], math.inf
    for workers, each in zip(counts, found, strict=True):
        parts = seconds_of(problem, workers, each, network)
        seconds = sum(parts)
        steps = "open" if each.steps is None else f"{each.steps}"
        split = " + ".join(f"{part:.3g}" for part in parts)
        sent = (each.sent + each.replied) * workers / 1e6
        yield (
            f"{workers:7d}  {each.rounds:6d}  {steps:>5}  {each.exchanges:6d}  "
            f"{f'{seconds:.3g} ({split})':44}  {sent:7.3g}  "
            f"{memory(problem, workers, each) / 1e6:.3g} MB"
        )
        if each.steps is not None and seconds < quickest:
            best, quickest = workers, seconds
    if quickest == math.inf:
        yield f"suggested: none, as all take more than {MOST_PASSES} passes to the gap; lower -c"
        return
    needed = memory(problem, best, found[counts.index(best)])
    yield (
        f"suggested: {best} worker{'s' if best > 1 else ''} with {2 * needed / 1e6:.3g} MB each, "
        f"twice the memory of a part; about {quickest:.3g} s"
    )
