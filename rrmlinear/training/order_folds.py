"""Folds for losses of the order of examples: of whole queries, or with events dealt evenly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.selection import Selection
from rrmlinear.data.problem import Problem
from rrmlinear.training.order_measures import measures_of

Places = NDArray[np.int64]


def units_of(problem: Problem, chosen: Selection) -> tuple[str, int]:
    """What folds are dealt by, and their number: queries of ranks, events of times."""
    if chosen.loss.told_by == "pairs":
        ids = problem.query_ids
        return "queries", 1 if ids is None else len(np.unique(ids))
    return "events", int(_events(problem).sum())


def check_folds(problem: Problem, folds: int, chosen: Selection) -> int:
    """The number of queries or of events; ValueError for fewer than 2 folds, and for more folds."""
    what, count = units_of(problem, chosen)
    if count < 2:
        raise ValueError(
            f"cross validation with loss {chosen.loss_row.name} deals {what} to folds: it needs "
            f"2 or more, and there {'is' if count == 1 else 'are'} {count}"
        )
    if not 2 <= folds <= count:
        raise ValueError(f"{folds} folds of {count} {what}; allowed are 2 … {count}")
    return count


def parts_of_orders(
    problem: Problem, folds: int, chosen: Selection
) -> Iterator[tuple[str, Places, Places]]:
    """(name, numbers held out, the others) of each fold, shuffled by the chosen seed.

    A query is of one fold. The events of times are dealt to the folds in turn, and then the
    censored times.
    """
    count = check_folds(problem, folds, chosen)
    generator = np.random.Generator(np.random.PCG64(chosen.choices.seed))
    if chosen.loss.told_by == "pairs":
        ids: Any = problem.query_ids
        query = np.unique(ids, return_inverse=True)[1].ravel()
        fold = _dealt(generator.permutation(count), folds)[query]
    else:
        order = generator.permutation(problem.n_examples)
        fold = _dealt(order[np.argsort(~_events(problem)[order], kind="stable")], folds)
    for number in range(folds):
        own = fold == number
        yield f"fold {number + 1} of {folds}", np.flatnonzero(own), np.flatnonzero(~own)


def measures_over_folds(
    problem: Problem, chosen: Selection, parts: Sequence[Places], scores: NDArray[np.float64]
) -> dict[str, float]:
    """The measures of the loss of scores by models of the other folds.

    Only scores of one model are compared: pairs of times are those within a fold.
    """
    fold = np.empty(problem.n_examples, dtype=np.int64)
    for number, part in enumerate(parts):
        fold[part] = number
    groups: Any = fold
    if problem.query_ids is not None:
        both = np.stack([fold, problem.query_ids], axis=1)
        groups = np.unique(both, axis=0, return_inverse=True)[1].ravel()
    return measures_of(chosen.loss_row.name, problem.labels, scores, groups)


def _dealt(order: Places, folds: int) -> Places:
    """The fold of each of some things that are dealt to the folds in this order."""
    fold = np.empty(len(order), dtype=np.int64)
    fold[order] = np.arange(len(order)) % folds
    return fold


def _events(problem: Problem) -> NDArray[np.bool_]:
    died = ~np.signbit(problem.labels)
    return np.asarray(died if problem.weights is None else died & (problem.weights > 0))
