"""Measures over all labellings, one by one."""

import itertools

import numpy as np

from rrmlinear.losses.measures import ErrorRate, FBeta, OwnTable, PrecisionAtK, RecallAtK

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
    "regret": lambda n: OwnTable(regret),
    "own f1": lambda n: OwnTable(own_f1),
}


def regret(right, missed, false, rest):
    """A loss that is concave in neither count."""
    return (missed + 0.3 * false) ** 1.7 / (1 + rest) + (missed > 2)


def own_f1(right, missed, false, rest):
    """1 − F1."""
    return (missed + false) / max(2 * right + missed + false, 1)


def loss_of(measure, a, b, c, n):
    """Δ of tables, arrays; NaN for those that do not count."""
    right = (b == 0) & (c == 0)
    P = a + b
    if isinstance(measure, OwnTable):
        return np.vectorize(measure.loss, otypes=[float])(a, b, c, n - P - c)
    if isinstance(measure, ErrorRate):
        return (b + c) / n
    if isinstance(measure, FBeta):
        square = measure.beta**2
        size = (1 + square) * a + square * b + c
        return np.where(right, 0, 1 - (1 + square) * a / np.where(right & (size == 0), 1, size))
    k = P if measure.k is None else measure.k
    of_k = c / np.maximum(k, 1) if isinstance(measure, PrecisionAtK) else b / np.maximum(P, 1)
    return np.where(right, 0, np.where(a + c == k, of_k, np.nan))


def labellings(measure, y):
    """(n Δ, wrong labels) of all labellings that count."""
    n = len(y)
    signs = np.array(list(itertools.product([1.0, -1.0], repeat=n)))
    a, b = ((signs > 0) & (y > 0)).sum(axis=1), ((signs <= 0) & (y > 0)).sum(axis=1)
    c = ((signs > 0) & (y <= 0)).sum(axis=1)
    losses = n * loss_of(measure, a, b, c, n)
    counts = ~np.isnan(losses)
    return list(zip(losses[counts], (signs != y)[counts], strict=True))


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
