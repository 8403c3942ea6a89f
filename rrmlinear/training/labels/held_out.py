"""Measures of labels on examples held out, by cross validation, and by them the search for C, and
thresholds and costs of labels.
"""

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


Vector = NDArray[np.float64]

#: Labels whose scores over all folds are held at once.
LABELS_AT_ONCE = 256
FOLDS = 3
#: Factors of C for the rows of a label.
FACTORS = (1.0, 1.33, 1.8, 2.5, 3.67, 6.0, 13.5)


def thresholds_by_folds(
    problem: MultilabelProblem,
    chosen: Selection,
    positive_weight: Any,
    prune: float,
    folds: int = FOLDS,
    crew_of: Any = None,
) -> Vector:
    """For each label the threshold with the best F1 of the scores that models of the other folds
    give; 0 for labels without a row, or with F1 0 everywhere.

    F1 is 2 TP / (2 TP + FP + FN). The threshold lies halfway between two scores. Folds are drawn by
    the seed. Source: Fan and Lin, A study on threshold selection for multi-label classification,
    2007, section 3.
    """
    factors = _each(positive_weight, problem.labels.n_labels)
    limits = np.zeros(problem.labels.n_labels)
    for chosen_labels in _chunks(problem.labels.n_labels):
        part = _some_labels(problem, chosen_labels)
        scores = _scores(part, chosen, factors[chosen_labels], prune, folds, crew_of)
        for place, j in enumerate(chosen_labels.tolist()):
            limits[j] = best_threshold(scores[:, place], part.labels.of(place))[0]
    return limits


def costs_by_folds(
    problem: MultilabelProblem,
    chosen: Selection,
    positive_weight: Any,
    folds: int = FOLDS,
    crew_of: Any = None,
) -> Vector:
    """For each label the factor, ``positive_weight`` times one of FACTORS, with the best F1 over
    the folds at the threshold 0; of equal ones the smallest.
    """
    base = _each(positive_weight, problem.labels.n_labels)
    result = base.copy()
    for chosen_labels in _chunks(problem.labels.n_labels):
        part, best = _some_labels(problem, chosen_labels), np.full(len(chosen_labels), -1.0)
        for factor in FACTORS:
            scores = _scores(part, chosen, factor * base[chosen_labels], 0.0, folds, crew_of)
            for place, j in enumerate(chosen_labels.tolist()):
                f1 = f1_above(scores[:, place], part.labels.of(place), 0.0)
                if f1 > best[place]:
                    best[place], result[j] = f1, factor * base[j]
    return result


def best_threshold(scores: Vector, members: NDArray[np.int32]) -> tuple[float, float]:
    """The threshold with the best F1, and that F1, where the rows ``members`` have the label."""
    if not len(members):
        return 0.0, 0.0
    order = np.argsort(-scores, kind="stable")
    has = np.zeros(len(scores), bool)
    has[members] = True
    right, ranked = np.cumsum(has[order]), scores[order]
    f1 = 2 * right / (np.arange(1, len(scores) + 1) + len(members))
    last = np.append(ranked[1:] < ranked[:-1], True)  # all rows of one score, or none
    best = int(np.argmax(np.where(last, f1, -1.0)))
    if not right[best]:
        return 0.0, 0.0
    below = ranked[best + 1] if best + 1 < len(ranked) else ranked[best] - 1.0
    return float((ranked[best] + below) / 2), float(f1[best])


def f1_above(scores: Vector, members: NDArray[np.int32], limit: float) -> float:
    """The F1 of the rows whose scores are above a limit, 0 where none has the label or is above."""
    above = scores > limit
    whole = int(np.count_nonzero(above)) + len(members)
    return 2 * int(np.count_nonzero(above[members])) / whole if whole else 0.0


def _scores(
    problem: MultilabelProblem,
    chosen: Selection,
    factors: Vector,
    prune: float,
    folds: int,
    crew_of: Any,
) -> Vector:
    """The score of each row by the model of the folds that it is not in, n × labels."""
    n = problem.n_examples
    if n < folds:
        raise ValueError(f"{folds} folds need as many rows, and there are {n}")
    fold = np.random.default_rng(chosen.choices.seed).permutation(n) % folds
    result = np.zeros((n, problem.labels.n_labels))
    for each in range(folds):
        out = np.flatnonzero(fold == each)
        kept = problem.take(np.flatnonzero(fold != each))
        terms = LabelTerms(positive_weight=factors, prune=prune)
        model = solve_labels(kept, chosen, terms, None, crew_of)
        result[out] = model.decision_function(problem.take(out))
    return result


def _chunks(k: int) -> list[NDArray[np.int64]]:
    every = np.arange(k)
    return [every[at : at + LABELS_AT_ONCE] for at in range(0, k, LABELS_AT_ONCE)]


def _some_labels(problem: MultilabelProblem, chosen: NDArray[np.int64]) -> MultilabelProblem:
    return replace(problem, labels=problem.labels.some(chosen))


def _each(given: Any, k: int) -> Vector:
    return np.broadcast_to(np.asarray(given, dtype=np.float64), (k,)).copy()
