"""The first sweep of coordinate descent over features, from w = 0."""

from __future__ import annotations

import numpy as np

from rrmlinear.data.rows import Rows
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.solvers.features._curved_descent import CurvedSweeps, shuffled
from rrmlinear.solvers.features.feature_subsets import all_columns


def share_of_first_sweep(risk: ScalarRisk, l1: float, seed: int) -> float:
    """What the sweep sees of the violation at w = 0: Σ_j over the features, each at its visit, of
    the violation of its condition, over the same sum at w = 0.

    It minimizes F(w) + l1 ‖w‖₁ by F's quadratic model at 0, in a random order. Features that tell
    much the same are violated by less after the first of them has moved.
    """
    zero = np.zeros(risk.rows.width)
    at = risk.at(risk.scores(zero))
    pulls = -risk.gradient(at.derivatives)
    total = float(np.maximum(np.abs(pulls) - l1, 0).sum())
    if not total > 0:
        return 1.0
    sweeps = CurvedSweeps(_sparse(all_columns(risk.rows)), at.curvatures, pulls, zero, l1, 0.0)
    sweeps.sweep(shuffled(np.arange(len(zero)), seed))
    return sweeps.violation / total


def _sparse(columns: Rows) -> Rows:
    if not columns.is_dense:
        return columns
    d, n = columns.shape
    indices = np.tile(np.arange(n, dtype=np.int32), d)
    return Rows(columns.values.ravel(), indices, n * np.arange(d + 1), n)
