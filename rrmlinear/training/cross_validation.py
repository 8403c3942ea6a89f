"""Cross validation by LIBLINEAR's rules. For losses of the order of examples folds are of whole
queries, or have events dealt evenly.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.losses import measure_value
from rrmlinear.catalog.selection import Selection
from rrmlinear.data.problem import Problem
from rrmlinear.solvers.loop.result import OnPass
from rrmlinear.training.fit import fit_selection
from rrmlinear.training.model import Model
from rrmlinear.training.order_measures import measures_of
from rrmlinear.training.starts import Start
from rrmlinear.training.streaming import is_held

#: A name, the numbers of the examples held out, and those of the others.
Part = tuple[str, NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class Fold(ABC):
    """Examples held out, by their numbers; the others train."""

    name: str
    held_out: NDArray[np.int64]

    def train(self, chosen: Selection, on_pass: OnPass | None = None, start: Start = None) -> Model:
        """The model of the others; a ValueError names the fold."""
        try:
            return fit_selection(self._others(), chosen, on_pass, start)
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from None

    @abstractmethod
    def _others(self) -> Problem: ...

    @abstractmethod
    def apply(self, predict: Callable[[Problem], NDArray[Any]]) -> NDArray[Any]:
        """What a model predicts for the examples held out."""


@dataclass(frozen=True, eq=False)
class CopiedFold(Fold):
    """A fold with copies of both parts in memory."""

    rest: Problem
    test: Problem

    def _others(self) -> Problem:
        return self.rest

    def apply(self, predict: Callable[[Problem], NDArray[Any]]) -> NDArray[Any]:
        return predict(self.test)


@dataclass(frozen=True, eq=False)
class MappedFold(Fold):
    """A fold of a container for which there is too little memory; the numbers held out rise.

    Each training copies the others to a file without a name beside the container. Examples held out
    are predicted block by block.
    """

    problem: Problem

    def _others(self) -> Problem:
        from rrmlinear.data.container.kept import chosen_of  # it imports a MB

        others = np.ones(self.problem.n_examples, dtype=bool)
        others[self.held_out] = False
        try:
            return chosen_of(self.problem, others)
        except OSError as error:
            raise ValueError(
                f"its examples cannot be copied to a file beside the container: {error.strerror}"
            ) from None

    def apply(self, predict: Callable[[Problem], NDArray[Any]]) -> NDArray[Any]:
        problem, held_out = self.problem.in_blocks(), self.held_out
        spans = problem.rows.spans_among(held_out)
        return np.concatenate([predict(problem.take(held_out[at:to])) for at, to in spans])


def cross_validate(
    problem: Problem, chosen: Selection, folds: int, on_pass: OnPass | None = None
) -> NDArray[Any]:
    """Predict each example by a model trained on the other folds: its label, or value.

    The examples are shuffled by the chosen seed and cut into 2 … n folds of almost equal size,
    without regard to classes; with n folds they keep their order. ``on_pass`` sees the passes of
    every training.

    Raises ValueError for a number of folds outside 2 … n, and what `fit` raises, with the fold.
    """
    dtype = np.float64 if chosen.kind == "regression" else np.int64
    predicted: NDArray[Any] = np.empty(problem.n_examples, dtype)
    for fold in folds_of(problem, folds, chosen):
        predicted[fold.held_out] = fold.apply(fold.train(chosen, on_pass).predict_numbers)
    return predicted


def cross_validate_scores(
    problem: Problem, chosen: Selection, folds: int, on_pass: OnPass | None = None
) -> NDArray[np.float64]:
    """The score of each example by a model of a measure trained on the other folds.

    The threshold of each model is taken off, so that scores above 0 say the larger label. Else as
    `cross_validate`.
    """
    scores = np.empty(problem.n_examples)
    for fold in folds_of(problem, folds, chosen):
        scores[fold.held_out] = fold.apply(fold.train(chosen, on_pass).decision_function)
    return scores


def value_of_measure(
    problem: Problem, chosen: Selection, scores: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """(labels, the measure's value) of scores, above 0 for the larger label of the problem."""
    largest, least = problem.labels.max(), problem.labels.min()
    given = {name: getattr(chosen.choices, name) for name in chosen.loss_row.takes}
    numbers = {name: value for name, value in given.items() if value is not None}
    value = measure_value(chosen.loss_row, numbers, problem.labels == largest, scores)
    return np.where(scores > 0, largest, least), value


def folds_of(problem: Problem, folds: int, chosen: Selection) -> Iterator[Fold]:
    """The folds of a problem: its examples shuffled, or with n folds in their order.

    A container that exceeds the memory for training, or whose limit is chosen, has `MappedFold`s.
    Losses of the order of examples have the folds of `parts_of_orders`.
    """
    held, parts = is_held(problem, chosen), _parts(problem, folds, chosen)
    for name, part, rest in parts:
        if held:
            yield MappedFold(name, np.sort(part), problem)
        else:
            yield CopiedFold(name, part, problem.take(rest), problem.take(part))


def value_of_order(
    problem: Problem, chosen: Selection, folds: int, scores: NDArray[np.float64]
) -> dict[str, float]:
    """The measures of ranks, or of times, of scores that `cross_validate` gave."""
    held_out = [part for _, part, _ in parts_of_orders(problem, folds, chosen)]
    return measures_over_folds(problem, chosen, held_out, scores)


def _parts(problem: Problem, folds: int, chosen: Selection) -> Iterator[Part]:
    if chosen.has_order:
        return parts_of_orders(problem, folds, chosen)
    return parts_of(problem.n_examples, folds, chosen.choices.seed)


def parts_of(n: int, folds: int, seed: int) -> Iterator[Part]:
    """(name, numbers held out, the others) of each fold of 0 … n − 1.

    Raises ValueError for fewer than 2 folds and for more than n.
    """
    if not 2 <= folds <= n:
        raise ValueError(f"{folds} folds of {n} examples; allowed are 2 … {n}")
    order = np.arange(n)
    if folds < n:
        order = np.random.Generator(np.random.PCG64(seed)).permutation(n)
    ends = [fold * n // folds for fold in range(folds + 1)]
    parts = [order[ends[fold] : ends[fold + 1]] for fold in range(folds)]
    for number, part in enumerate(parts):
        rest = np.concatenate([*parts[:number], *parts[number + 1 :]])
        yield f"fold {number + 1} of {folds}", part, rest


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
