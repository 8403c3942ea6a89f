"""Cross validation by LIBLINEAR's rules."""

from __future__ import annotations

from collections.abc import Iterator
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
from rrmlinear.training.starts import Start


@dataclass(frozen=True, eq=False)
class Fold:
    """Examples held out, the problem of the others, and that of these."""

    name: str
    held_out: NDArray[np.int64]
    rest: Problem
    test: Problem

    def train(self, chosen: Selection, on_pass: OnPass | None = None, start: Start = None) -> Model:
        """The model of the others; a ValueError names the fold."""
        try:
            return fit_selection(self.rest, chosen, on_pass, start)
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from None


def cross_validate(
    problem: Problem, chosen: Selection, folds: int, on_pass: OnPass | None = None
) -> NDArray[Any]:
    """Predict each example by a model trained on the other folds: its label, or value.

    The examples are shuffled by the chosen seed and cut into 2 … n folds of almost equal size,
    without regard to classes; with n folds they keep their order. ``on_pass`` sees the passes of
    every training.

    Raises ValueError for a number of folds outside 2 … n, and what `fit` raises, with the fold.
    """
    predicted: NDArray[Any] = np.empty(problem.n_examples, dtype=_dtype(chosen))
    for fold in folds_of(problem, folds, chosen.choices.seed):
        predicted[fold.held_out] = fold.train(chosen, on_pass).predict(fold.test)
    return predicted


def cross_validate_scores(
    problem: Problem, chosen: Selection, folds: int, on_pass: OnPass | None = None
) -> NDArray[np.float64]:
    """The score of each example by a model of a measure trained on the other folds.

    The threshold of each model is taken off, so that scores above 0 say the larger label. Else as
    `cross_validate`.
    """
    scores = np.empty(problem.n_examples)
    for fold in folds_of(problem, folds, chosen.choices.seed):
        scores[fold.held_out] = fold.train(chosen, on_pass).decision_function(fold.test)
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


def folds_of(problem: Problem, folds: int, seed: int) -> list[Fold]:
    """The folds of a problem: its examples shuffled, or with n folds in their order."""
    return [
        Fold(name, part, problem.take(rest), problem.take(part))
        for name, part, rest in parts_of(problem.n_examples, folds, seed)
    ]


def parts_of(
    n: int, folds: int, seed: int
) -> Iterator[tuple[str, NDArray[np.int64], NDArray[np.int64]]]:
    """(name, numbers held out, the others) of each fold of 0 … n − 1."""
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


def _dtype(chosen: Selection) -> type:
    return np.float64 if chosen.kind == "regression" else np.int64
