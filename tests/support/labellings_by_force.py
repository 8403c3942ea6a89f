"""Measures over all labellings, one by one."""

import itertools

import numpy as np

from rrmlinear.losses.measures import ErrorRate, FBeta, PrecisionAtK, RecallAtK

#: Kinds of measures; k is filled in for the number of examples.
MEASURES = {
    "error rate": lambda n: ErrorRate(),
    "f1": lambda n: FBeta(),
    "f2": lambda n: FBeta(2.0),
    "f 0.3": lambda n: FBeta(0.3),
    "break-even": lambda n: PrecisionAtK(),
    "recall": lambda n: RecallAtK(),
    "precision at 1": lambda n: PrecisionAtK(1),
    "recall at n": lambda n: RecallAtK(n),
    "precision at n/2": lambda n: PrecisionAtK(max(n // 2, 1)),
    "recall at n/2": lambda n: RecallAtK(max(n // 2, 1)),
}


def loss_of(measure, y, labels):
    """Δ of a labelling, or None for one that does not count."""
    a, b = np.sum((y > 0) & (labels > 0)), np.sum((y > 0) & (labels <= 0))
    c = np.sum((y <= 0) & (labels > 0))
    if b + c == 0:
        return 0.0
    if isinstance(measure, ErrorRate):
        return (b + c) / len(y)
    if isinstance(measure, FBeta):
        square = measure.beta**2
        return 1 - (1 + square) * a / ((1 + square) * a + square * b + c)
    k = a + b if measure.k is None else measure.k
    if a + c != k:
        return None
    return c / k if isinstance(measure, PrecisionAtK) else b / max(a + b, 1)


def labellings(measure, y):
    """(n Δ, wrong labels) of all labellings that count."""
    for signs in itertools.product([1.0, -1.0], repeat=len(y)):
        loss = loss_of(measure, y, np.array(signs))
        if loss is not None:
            yield len(y) * loss, np.array(signs) != y


def at_scores(measure, y, scores, mu):
    """(value, derivatives, the last minus the mean of n Δ) at μ > 0; the value alone at μ = 0."""
    losses, wrong = map(np.array, zip(*labellings(measure, y), strict=True))
    values = losses - wrong @ (y * scores)
    top = values.max()
    if mu == 0:
        return top, None
    weights = np.exp((values - top) / mu)
    total = weights.sum()
    law = weights / total
    return top + mu * np.log(total), -np.append((law @ wrong) * y, law @ losses)


def pairs_at(y, scores, mu):
    """As `at_scores`, of the hinges of pairs."""
    positive, negative = np.flatnonzero(y > 0), np.flatnonzero(y <= 0)
    t = 1 - scores[positive][:, np.newaxis] + scores[negative]
    weight = len(y) / max(t.size, 1)
    part = np.clip(t / mu, 0, 1) if mu else (t > 0) * 1.0
    value = np.where(part < 1, part * t / 2, t - mu / 2) if mu else np.maximum(t, 0)
    derivatives = np.zeros(len(y) + 1)
    derivatives[positive], derivatives[negative] = -part.sum(axis=1), part.sum(axis=0)
    derivatives[-1] = -part.sum()
    return weight * value.sum(), weight * derivatives
