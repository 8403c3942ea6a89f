"""Virtual workers: the parts of a problem in this process, to count what a cluster would do."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.builders.dual import part
from rrmlinear.catalog.selection import Selection
from rrmlinear.data.labels import group_labels
from rrmlinear.data.problem import Problem
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.rounds.fleet import LocalFleet, add_rounds, in_tree
from rrmlinear.solvers.rounds.orders import Order, Report
from rrmlinear.solvers.rounds.packed import Packed
from rrmlinear.solvers.rounds.part import Part
from rrmlinear.solvers.rounds.spread import Request, Sums, add_sums
from rrmlinear.training.costs import base_costs, checked_costs


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
    for number, examples in enumerate(np.array_split(shuffled, workers)):
        own = np.sort(examples)
        choices = replace(chosen.choices, seed=seed + number)
        rows = problem.take(own).rows.with_bias(problem.bias)
        y, c = np.ascontiguousarray(targets[own]), costs[own]
        task = Task(rows, y, columns, c, chosen.loss, omega, chosen.features, choices)
        parts.append(part(task, place=number))
    return Metered(parts)
