"""How a worker makes its part of a problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.builders.dual import part as build_part
from rrmlinear.catalog.choices import Choices
from rrmlinear.catalog.selection import select
from rrmlinear.core.records import replace as record_replace
from rrmlinear.data.labels import group_labels
from rrmlinear.data.problem import Problem
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.rounds.part import Part
from rrmlinear.training.costs import base_costs
from rrmlinear.training.offsets import moved
from rrmlinear.workers.dealing import Slice, between, joined


@dataclass(frozen=True, eq=False)
class Recipe:
    """How a worker makes part ``number`` of the problem.

    ``labels`` are the classes of all parts, with their ``factors`` of the costs; empty for
    regression. For a loss of one score class ``positive`` stands against all others; of more than
    two classes its factor alone counts. ``slices`` count blocks in the order in which they are
    given to `part_of`. ``offset`` are those of the part's examples, which are ``first`` and so on
    of all.
    """

    number: int
    choices: Choices
    slices: tuple[Slice, ...]
    n_features: int
    bias: float
    labels: NDArray[np.int64]
    factors: NDArray[np.float64]
    positive: int = 0
    first: int = 0
    offset: NDArray[np.float64] | None = None


def part_of(recipe: Recipe, blocks: Sequence[Problem | None], duals: Any = None) -> Part:
    """The part of these blocks, with duals to begin with or None."""
    problems = []
    for own, problem in zip(recipe.slices, blocks, strict=True):
        if problem is None or problem.n_examples < own.end:
            raise ValueError(f"block {own.block} of the data has changed while it was used")
        problems.append(between(problem, own.begin, own.end))
    whole = joined(problems, recipe.n_features).with_bias(recipe.bias)
    if recipe.offset is not None:
        with_it = record_replace(whole, offset=recipe.offset)
        whole = moved(with_it, select(recipe.choices), recipe.first)
    return build_part(_task(whole, recipe), duals, recipe.number)


def _task(problem: Problem, recipe: Recipe) -> Task:
    chosen = select(recipe.choices)
    costs = base_costs(problem, recipe.choices.C)
    targets: Any = problem.labels
    n_classes = None
    if chosen.kind != "regression":
        label = _index(problem.labels, recipe.labels)
        factors = recipe.factors
        if chosen.kind == "binary" and len(factors) > 2:
            factors = np.where(np.arange(len(factors)) == recipe.positive, factors, 1.0)
        costs = costs * factors[label]
        targets = np.where(label == recipe.positive, 1.0, -1.0)
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
