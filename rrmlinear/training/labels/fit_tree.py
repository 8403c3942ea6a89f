"""`fit_label_tree`: clusters of labels, and a problem of many labels at each of them."""

from __future__ import annotations

import math
from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.parameter import Parameter
from rrmlinear.catalog.selection import Selection, select
from rrmlinear.core.deadline import TimeIsUpError, check_time, ends_within
from rrmlinear.core.records import replace
from rrmlinear.data.array_rows import csr_of, take_rows
from rrmlinear.data.label_sets import LabelSets, MultilabelProblem, begins_of
from rrmlinear.data.problem import check_kind
from rrmlinear.training.labels.fit_labels import solve_labels, warn_unless_ended
from rrmlinear.training.labels.label_model import LabelModel
from rrmlinear.training.labels.label_tree import LabelTree
from rrmlinear.training.labels.terms import LabelTerms

Array = NDArray[Any]

#: Steps of k-means: clusters need not be the best.
MEANS_STEPS = 8


def fit_label_tree(
    problem: MultilabelProblem, parameter: Parameter, *, branching: int = 100, prune: float = 0.0
) -> LabelTree:
    """A `LabelTree`: labels in clusters by what their examples have in common, and a problem of
    `fit_labels` for the children of each cluster.

    A label is the direction of the sum of its examples. A set of K labels is divided by spherical
    k-means, from the seed of the parameter, into K^(1/depth) clusters, depth being the whole number
    nearest to log K / log ``branching``, and so on down to depth 1. Labels of no example are not in
    the tree. The examples of a child are those with any of its labels, and its problem has the
    examples of its parent alone: each certificate is of that problem. ``prune`` is as in
    `fit_labels`.

    A tree takes a part of the time of `fit_labels` where there are 10⁵ labels, and gives precision
    for it. Raises ValueError for branching below 2, and else as `fit_labels`.

    Source: Prabhu et al., Parabel, 2018; Khandagale, Xiao and Babbar, Bonsai, 2020.
    """
    check_kind("fit_label_tree", problem, MultilabelProblem, "MultilabelProblem.from_arrays(X, Y)")
    tree = solve_label_tree(problem, select(parameter), branching, prune)
    warn_unless_ended(tree.edges)
    return tree


def solve_label_tree(
    problem: MultilabelProblem, chosen: Selection, branching: int = 100, prune: float = 0.0
) -> LabelTree:
    """`fit_label_tree` with a `Selection`, without the warning."""
    if branching < 2:
        raise ValueError(f"branching is {branching}; it must be at least 2")
    if problem.rows.blocks is not None or problem.container is not None:
        raise ValueError("a tree of labels needs its examples in memory; fit_labels streams them")
    known = np.flatnonzero(problem.labels.counts)
    if not len(known):
        raise ValueError("the problem has no example with a label")
    with ends_within(chosen.choices.time_limit):
        return _grown(problem, known, chosen, branching, LabelTerms(prune=prune))


def _grown(
    problem: MultilabelProblem, known: Array, chosen: Selection, branching: int, terms: LabelTerms
) -> LabelTree:
    """The tree of these labels, from the root on, level by level."""
    directions = _directions(problem)
    waiting: deque[tuple[int, Array]] = deque([(-1, known)])
    models: list[LabelModel] = []
    parents: list[Array] = []
    leaves: list[int] = []
    count = 0
    while waiting:
        parent, labels = waiting.popleft()
        parts = _clusters(directions, labels, branching, chosen.choices.seed)
        models.append(_trained(problem, parent < 0, parts, chosen, terms))
        parents.append(np.full(len(parts), parent, np.int32))
        for column, part in enumerate(parts, start=count):
            if len(part) == 1:
                leaves.append(int(part[0]))
            else:
                waiting.append((column, part))
        count += len(parts)
    names = problem.labels.names[np.array(leaves, dtype=np.int64)]
    edges = replace(_joined(models), feature_names=problem.feature_names)
    return LabelTree(names, edges, np.concatenate(parents))


def _directions(problem: MultilabelProblem) -> Any:
    """K × d: the sum of the examples of each label, at length 1."""
    from scipy.sparse import csr_array, diags_array

    sums = csr_array(problem.labels.matrix().T.astype(np.float32) @ csr_of(problem.rows))
    lengths = np.sqrt(np.asarray(sums.multiply(sums).sum(axis=1)).ravel())
    return csr_array(diags_array(np.float32(1) / np.where(lengths > 0, lengths, 1)) @ sums)


def _clusters(directions: Any, labels: Array, branching: int, seed: int) -> list[Array]:
    """The labels in parts that are the children of a node."""
    depth = round(math.log(len(labels)) / math.log(branching))
    if depth <= 1:
        return [labels[j : j + 1] for j in range(len(labels))]
    count = math.ceil(len(labels) ** (1 / depth))
    try:
        found = _means(directions[labels], count, np.random.default_rng([seed, len(labels)]))
    except TimeIsUpError:  # the nodes have weights of 0
        return np.array_split(labels, count)
    parts = [labels[found == j] for j in range(count)]
    parts = [part for part in parts if len(part)]
    return parts if len(parts) > 1 else np.array_split(labels, count)  # labels that are alike


def _means(directions: Any, count: int, random: np.random.Generator) -> Array:
    """Spherical k-means of rows of length 1: the cluster of each. TimeIsUpError after the deadline.

    scikit-learn's MiniBatchKMeans was not done with 50 000 labels after 60 s, where this takes 10.
    """
    from scipy.sparse import csr_array

    n = directions.shape[0]
    centres = directions[np.sort(random.choice(n, count, replace=False))].toarray()
    for _ in range(MEANS_STEPS):
        check_time()
        nearest = (directions @ np.ascontiguousarray(centres.T)).argmax(axis=1)
        members = csr_array((np.ones(n, np.float32), (nearest, np.arange(n))), shape=(count, n))
        centres = (members @ directions).toarray()
        lengths = np.sqrt(np.einsum("ij,ij->i", centres, centres))
        centres /= np.where(lengths > 0, lengths, 1)[:, np.newaxis]
    return nearest


def _trained(
    problem: MultilabelProblem,
    is_root: bool,
    parts: list[Array],
    chosen: Selection,
    terms: LabelTerms,
) -> LabelModel:
    """The children of a node against each other, on the examples of the node."""
    members = [np.unique(np.concatenate([problem.labels.of(j) for j in part])) for part in parts]
    examples, weights = problem.rows, problem.weights
    if not is_root:
        rows = np.unique(np.concatenate(members)).astype(np.int64)
        members = [np.searchsorted(rows, each).astype(np.int32) for each in members]
        examples = take_rows(examples, rows)
        weights = None if weights is None else weights[rows]
    begins = begins_of(map(len, members))
    sets = LabelSets(np.arange(len(parts)), begins, np.concatenate(members), int(examples.shape[0]))
    return solve_labels(MultilabelProblem(examples, sets, weights), chosen, terms)


def _joined(models: list[LabelModel]) -> LabelModel:
    from scipy.sparse import csc_array, hstack

    result, *others = [model.result for model in models]
    assert result is not None
    return replace(
        models[0],
        names=np.arange(sum(model.n_labels for model in models)),
        weights=csc_array(hstack([model.weights for model in models], format="csc")),
        intercepts=np.concatenate([model.intercepts for model in models]),
        counts=np.concatenate([model.counts for model in models]),
        result=result.joined(*others),
    )
