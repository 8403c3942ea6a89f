"""A part on its worker: made of blocks there, and kept in the worker's memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.choices import Choices
from rrmlinear.catalog.dual_builders import part as build_part
from rrmlinear.catalog.selection import select
from rrmlinear.catalog.task import Task
from rrmlinear.dask.blocks import Slice, joined, problem_of
from rrmlinear.data.labels import group_labels
from rrmlinear.data.problem import Problem
from rrmlinear.solvers.rounds.packed import Packed
from rrmlinear.solvers.rounds.part import Facts, Order, Part, Report
from rrmlinear.solvers.rounds.spread import Request, Sums
from rrmlinear.training.costs import base_costs


class PartMissingError(Exception):
    """The part is not in this worker's memory, or is another than the one that was asked."""


@dataclass(frozen=True, eq=False)
class Recipe:
    """How a worker makes part ``number`` of the problem.

    ``labels`` are the classes of all parts, with their ``factors`` of the costs; empty for
    regression. ``slices`` count blocks in the order in which they are given to `load`.
    """

    number: int
    choices: Choices
    slices: tuple[Slice, ...]
    n_features: int
    bias: float
    labels: NDArray[np.int64]
    factors: NDArray[np.float64]


class Pinned:
    """A part in its worker's memory. Copies elsewhere are empty: a part has one place.

    ``token`` names the part's state, from its loading or its last lost round on.
    """

    def __init__(self, part: Part | None) -> None:
        self.part = part
        self.token = uuid4().hex

    def __reduce__(self) -> tuple[Any, ...]:
        return Pinned, (None,)

    def held(self) -> Part:
        """The part; PartMissingError where this is a copy."""
        if self.part is None:
            raise PartMissingError("a copy of a part has no examples")
        return self.part

    def known(self, token: str) -> Part:
        """The part, if its token is this one."""
        if token != self.token:
            raise PartMissingError("the part has been loaded again")
        return self.held()


def load(recipe: Recipe, blocks: list[Any], duals: Any) -> Pinned:
    """The part of these blocks, with duals to begin with or None."""
    problems = []
    for (block, begin, end), given in zip(
        ((s.block, s.begin, s.end) for s in recipe.slices), blocks, strict=True
    ):
        problem = problem_of(*given)
        if problem is None or problem.n_examples < end:
            raise ValueError(f"block {block} of the data has changed while it was used")
        problems.append(_between(problem, begin, end))
    whole = joined(problems, recipe.n_features).with_bias(recipe.bias)
    return Pinned(build_part(_task(whole, recipe), duals))


def _between(problem: Problem, begin: int, end: int) -> Problem:
    if begin == 0 and end == problem.n_examples:
        return problem
    weights = None if problem.weights is None else problem.weights[begin:end]
    return Problem(problem.rows.between(begin, end), problem.labels[begin:end], weights)


def _task(problem: Problem, recipe: Recipe) -> Task:
    chosen = select(recipe.choices)
    costs = base_costs(problem, recipe.choices.C)
    targets: Any = problem.labels
    n_classes = None
    if chosen.kind != "regression":
        label = _index(problem.labels, recipe.labels)
        costs = costs * recipe.factors[label]
        targets = np.where(label == 0, 1.0, -1.0)
        if chosen.kind == "multiclass":
            targets, n_classes = label, len(recipe.labels)
    width = problem.rows.width
    shape = (width,) if n_classes is None else (width, n_classes)
    omega = chosen.regularizer.over(shape, intercept=width > problem.n_features)
    choices = replace(recipe.choices, seed=recipe.choices.seed + recipe.number)
    return Task(
        problem.rows, targets, n_classes, costs, chosen.loss, omega, chosen.features, choices
    )


def _index(labels: NDArray[np.float64], classes: NDArray[np.int64]) -> NDArray[np.int32]:
    own, index = group_labels(labels)
    order = np.argsort(classes)
    places = order[np.searchsorted(classes[order], own)].astype(np.int32)
    return np.ascontiguousarray(places[index])


def facts_of(pinned: Pinned) -> tuple[Facts, str]:
    """The part's facts and token."""
    return pinned.held().facts(), pinned.token


def round_of(pinned: Pinned, token: str, order: Order) -> tuple[Packed, Report]:
    """The part's round."""
    return pinned.known(token).round(order)


def answer_of(pinned: Pinned, token: str, request: Request) -> Sums:
    """Sums of the part's vectors."""
    return pinned.known(token).answer(request)


def give_up(pinned: Pinned, part: int, number: int, step: float) -> tuple[Packed, dict[int, str]]:
    """The part's share of u after a lost round, and its new token."""
    own = pinned.held().give_up(number, step)
    pinned.token = uuid4().hex
    return own, {part: pinned.token}


def add_shares(
    first: tuple[Packed, dict[int, str]], second: tuple[Packed, dict[int, str]]
) -> tuple[Packed, dict[int, str]]:
    """Sums of shares, and the tokens of both."""
    return first[0].plus(second[0]), first[1] | second[1]


def checkpoint_of(pinned: Pinned) -> Any:
    """The duals when the part's last round began."""
    return pinned.held().checkpoint()


def copy_of(duals: Any) -> Any:
    """The same, in the memory of the worker that runs this."""
    return duals
