"""Cross validation by LIBLINEAR's rules."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.selection import Selection
from rrmlinear.data.problem import Problem
from rrmlinear.solvers.loop.result import OnPass
from rrmlinear.training.fit import fit_selection


def cross_validate(
    problem: Problem, chosen: Selection, folds: int, on_pass: OnPass | None = None
) -> NDArray[Any]:
    """Predict each example by a model trained on the other folds: its label, or value.

    The examples are shuffled by the chosen seed and cut into 2 … n folds of almost equal size,
    without regard to classes; with n folds they keep their order. ``on_pass`` sees the passes of
    every training.

    Raises ValueError for a number of folds outside 2 … n, and what `fit` raises, with the fold.
    """
    n = problem.n_examples
    if not 2 <= folds <= n:
        raise ValueError(f"{folds} folds of {n} examples; allowed are 2 … {n}")
    order = np.arange(n)
    if folds < n:
        order = np.random.Generator(np.random.PCG64(chosen.choices.seed)).permutation(n)
    ends = [fold * n // folds for fold in range(folds + 1)]
    predicted = np.empty(n, dtype=np.float64 if chosen.kind == "regression" else np.int64)
    for fold in range(folds):
        held_out = order[ends[fold] : ends[fold + 1]]
        others = np.concatenate((order[: ends[fold]], order[ends[fold + 1] :]))
        try:
            model = fit_selection(problem.take(others), chosen, on_pass)
        except ValueError as error:
            raise ValueError(f"fold {fold + 1} of {folds}: {error}") from None
        predicted[held_out] = model.predict(problem.take(held_out))
    return predicted
