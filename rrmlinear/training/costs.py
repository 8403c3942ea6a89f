"""Costs of examples: C times the weights of their classes and their own."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.errors import ChoiceError, Named
from rrmlinear.core.warned import warn_caller
from rrmlinear.data.problem import Problem

Vector = NDArray[np.float64]


def base_costs(problem: Problem, C: float) -> Vector:
    """C times the weight of every example."""
    if problem.weights is None:
        return np.full(problem.n_examples, float(C))
    with np.errstate(over="ignore"):
        return checked_costs(C * problem.weights)


def class_factors(weights: Mapping[int, float], labels: NDArray[np.int64]) -> Vector:
    """The factor of each class on C; warns of labels that do not occur."""
    factors = np.ones(len(labels))
    for name, weight in weights.items():
        at = np.flatnonzero(labels == name)
        if at.size == 0:
            warn_caller(f"class label {name} specified in weight is not found")
        factors[at] = weight
    return factors


def checked_costs(costs: Vector) -> Vector:
    """The same costs; ValueError where they or their sum overflow, or all are 0."""
    with np.errstate(over="ignore"):
        total = float(costs.sum())
        if not math.isfinite(total):
            times = " times the weights overflows; use smaller ones"
            raise ChoiceError("the sum of ", Named("C"), times)
    if not total and not costs.any():
        raise ValueError("every example has weight 0; at least one must count")
    return costs
