"""The examples of a data set in blocks, how they are dealt to parts, and how a worker makes its
part of a problem.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.builders.dual import part as build_part
from rrmlinear.catalog.choices import Choices
from rrmlinear.catalog.selection import select
from rrmlinear.core.records import replace as record_replace
from rrmlinear.data.container.signature import is_container
from rrmlinear.data.labels import group_labels
from rrmlinear.data.problem import Problem
from rrmlinear.data.rows import Rows
from rrmlinear.data.text.libsvm_format import read_and_tell
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.rounds.part import Part
from rrmlinear.training.costs import base_costs
from rrmlinear.training.offsets import moved


class Shape(NamedTuple):
    """Examples and features of a block, whether its rows are dense, and its labels by first
    appearance, with the sum of the weights of each; ``told`` is the warning of the reader. If there
    are more labels than a classification can have, only some are listed.
    """

    n: int
    d: int
    is_dense: bool
    labels: NDArray[np.float64]
    sums: NDArray[np.float64]
    #: The sum of all weights.
    total: float
    told: str = ""
    #: The ends of the labels.
    ends: tuple[float, float] | None = None
    names: tuple[Sequence[str] | None, Sequence[str] | None] = (None, None)


#: Labels of a block that are told to the client.
MAX_LABELS = 100_000


def read(path: str, strict: bool = False) -> tuple[Problem, str]:
    """The examples of a container or of LIBSVM text, and the warning of the reader or "".

    A container is opened alone: `shape_of` verifies its labels, `between` the blocks that it takes
    rows of. Query ids are refused, as all losses of workers know no sequences.
    """
    if not is_container(path):
        return read_and_tell(path, strict)
    problem = Problem.open(path)
    if problem.query_ids is not None:
        raise ValueError(f"{path} has query ids, which only losses of sequences take")
    return problem, ""


def shape_of(problem: Problem | None, told: str = "") -> Shape:
    """The shape of a block; None has no examples."""
    if problem is None or not problem.n_examples:
        return Shape(0, 0, False, np.zeros(0), np.zeros(0), 0.0, told)
    if problem.container is not None:
        problem.container.verify_labels()
    found, first, index = np.unique(problem.labels, return_index=True, return_inverse=True)
    order = np.argsort(first)[:MAX_LABELS]
    sums = np.bincount(index, problem.weights, len(found)).astype(np.float64)[order]
    n = problem.n_examples
    total = float(n if problem.weights is None else problem.weights.sum())
    is_dense = problem.rows.is_dense
    ends = float(found[0]), float(found[-1])
    names = problem.feature_names, problem.label_names
    return Shape(n, problem.n_features, is_dense, found[order], sums, total, told, ends, names)


@dataclass(frozen=True)
class Slice:
    """Examples ``begin`` … ``end`` − 1 of a block."""

    block: int
    begin: int
    end: int


def dealt(lengths: list[int], parts: int) -> list[list[Slice]]:
    """The examples of all blocks in their order, in runs of equal length; fewer where there are
    fewer examples than ``parts``.
    """
    total = sum(lengths)
    parts = max(1, min(parts, total))
    cuts = [total * k // parts for k in range(parts + 1)]
    dealt_out: list[list[Slice]] = [[] for _ in range(parts)]
    begin = 0
    for block, n in enumerate(lengths):
        for k in range(parts):
            first, last = max(cuts[k], begin), min(cuts[k + 1], begin + n)
            if first < last:
                dealt_out[k].append(Slice(block, first - begin, last - begin))
        begin += n
    return dealt_out


def between(problem: Problem, begin: int, end: int) -> Problem:
    """Examples ``begin`` … ``end`` − 1 of a block; those of a container are verified."""
    if problem.container is not None:
        problem.container.verify(begin, end)
    if begin == 0 and end == problem.n_examples:
        return problem
    weights = None if problem.weights is None else problem.weights[begin:end]
    return Problem(problem.rows.between(begin, end), problem.labels[begin:end], weights)


def joined(problems: list[Problem], n_features: int) -> Problem:
    """One problem of several in order, with this number of features."""
    rows = [each.rows for each in problems]
    if len(rows) > 1 or rows[0].shape[1] != n_features:
        rows = [_stacked(rows, n_features)]
    labels = [each.labels for each in problems]
    weights = None
    if any(each.weights is not None for each in problems):
        weights = np.concatenate(
            [np.ones(p.n_examples) if p.weights is None else p.weights for p in problems]
        )
    return Problem(rows[0], np.concatenate(labels), weights)


def _stacked(rows: list[Rows], n_features: int) -> Rows:
    if all(each.is_dense and each.shape[1] == n_features for each in rows):
        return Rows(np.concatenate([each.values for each in rows]), None, None, n_features)
    stored = [_stored(each) for each in rows]
    values = np.concatenate([each[0] for each in stored])
    indices = np.concatenate([each[1] for each in stored])
    lengths = np.concatenate(
        [
            each.lengths() if each.indptr is not None else np.count_nonzero(each.values, axis=1)
            for each in rows
        ]
    )
    indptr = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    return Rows(values, indices, indptr, n_features)


def _stored(rows: Rows) -> tuple[NDArray[Any], NDArray[Any]]:
    """The values of rows and their indices, one row after another; zeros of dense rows left out."""
    if rows.indptr is None or rows.indices is None:
        examples, features = np.nonzero(rows.values)
        return rows.values[examples, features], features.astype(np.int32)
    begin, end = int(rows.indptr[0]), int(rows.indptr[-1])
    return rows.values[begin:end], rows.indices[begin:end]


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
