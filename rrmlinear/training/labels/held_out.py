"""Measures of labels on examples held out, by cross validation, and the search for C by them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.selection import Selection
from rrmlinear.core.records import replace
from rrmlinear.data.label_sets import MultilabelProblem
from rrmlinear.metrics import RANKS, measures_of
from rrmlinear.training.cross_validation import parts_of
from rrmlinear.training.labels.fit_labels import solve_labels
from rrmlinear.training.labels.label_model import LabelModel
from rrmlinear.training.labels.terms import LabelTerms
from rrmlinear.training.search import Trial, rising, smallest_cost
from rrmlinear.training.streaming import is_held


class Fold(NamedTuple):
    """Examples held out, by their numbers, and the problems of the others and of these."""

    held_out: NDArray[np.int64]
    others: MultilabelProblem
    own: MultilabelProblem


def folds_of_labels(problem: MultilabelProblem, folds: int, chosen: Selection) -> list[Fold]:
    """The folds of a problem, as those of `cross_validate`; their rows are copied.

    Raises ValueError for a number of folds outside 2 … n, and for examples that are streamed.
    """
    if is_held(problem, chosen):
        raise ValueError(
            "folds of examples with several labels are copied to memory, which is too small, or "
            "has a limit: leave out the folds, or take more memory"
        )
    parts = parts_of(problem.n_examples, folds, chosen.choices.seed)
    return [Fold(part, problem.take(rest), problem.take(part)) for _, part, rest in parts]


def cross_validate_labels(
    problem: MultilabelProblem,
    chosen: Selection,
    folds: int,
    terms: LabelTerms,
    crew_of: Any = None,
) -> dict[str, float]:
    """P@1, P@3 and P@5, micro-F1 and macro-F1 of what models of the other folds predict."""
    each = folds_of_labels(problem, folds, chosen)
    models = [solve_labels(fold.others, chosen, terms, None, crew_of) for fold in each]
    return _measures(problem, each, models)


def search_labels(
    problem: MultilabelProblem,
    chosen: Selection,
    folds: int,
    first_cost: float | None,
    terms: LabelTerms,
    on_trial: Callable[[Trial, dict[str, float]], Any],
    crew_of: Any = None,
) -> Trial:
    """The C with the largest P@1 over the folds, the first of equals; it doubles as in `search`."""
    each = folds_of_labels(problem, folds, chosen)
    best: Trial | None = None
    start = first_cost or smallest_cost(problem, chosen, 0.0)

    def train(fold: Fold, now: Selection, first: LabelModel | None) -> LabelModel:
        own = replace(terms, keeps_duals=True, start=first)
        return solve_labels(fold.others, now, own, None, crew_of)

    for made, models in rising(chosen, start, None, each, train):
        measures = _measures(problem, each, models)
        trial = made(score=measures["P@1"])
        on_trial(trial, measures)
        if best is None or trial.score > best.score:
            best = trial
    assert best is not None
    return best


def _measures(problem: MultilabelProblem, folds: list[Fold], models: Any) -> dict[str, float]:
    """Measures of what models predict for their folds, by their names."""
    from scipy.sparse import csr_array, vstack

    most = min(RANKS[-1], problem.labels.n_labels)
    places = np.empty((problem.n_examples, most), np.int64)
    found = []
    for fold, model in zip(folds, models, strict=True):
        places[fold.held_out] = model.predict_top_k(fold.own, most)[0]
        found.append(model.predict(fold.own))
    order = np.argsort(np.concatenate([fold.held_out for fold in folds]))
    predicted = csr_array(vstack(found, format="csr"))[order]
    return measures_of(problem.labels, places, predicted)
