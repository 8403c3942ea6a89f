"""Thresholds and costs of each label by the best F1 over folds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.selection import Selection
from rrmlinear.core.records import replace
from rrmlinear.data.label_sets import MultilabelProblem
from rrmlinear.training.labels.fit_labels import solve_labels
from rrmlinear.training.labels.terms import LabelTerms

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
