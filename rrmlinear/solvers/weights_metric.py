"""In which lengths Pdprox measures its steps in the weights, and how it takes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.inner import Array, inner
from rrmlinear.solvers.power import curvature_bound

# Features up to which their second moments are gathered, and stored values of the data for each
# number of that matrix from which on that pays.
MOST_FEATURES = 512
FEWEST_VALUES = 4
# The least eigenvalue of the metric, as a part of the largest.
PART = 1e-3
# A step is found when a step towards it is this part of it, or after so many.
ACCURACY = 1e-6
TRIALS = 300
# Beyond rounding.
MARGIN = 1e-6
# The curvature is no less than by the longest example times this.
LEAST = 1e-12


class PlainMetric:
    """‖w‖² c with c = ‖diag(√c) X‖², by power iteration: a step is one prox."""

    def __init__(self, risk: Any, regularizer: Regularizer) -> None:
        longest = float((risk.costs.ravel() * risk.rows.squared_norms()).max(initial=0))
        self.scale = max(curvature_bound(risk), LEAST * longest) or 1.0
        self.regularizer = regularizer

    def step(self, w: Array, vector: Array, tau: float) -> Array:
        """The u that minimizes Ω(u) − ⟨vector, u⟩ + ‖u − w‖²/(2 τ) in this metric."""
        length = tau / self.scale
        u = w + length * vector
        return self.regularizer.prox_of(u.ravel(), length).reshape(u.shape)

    def square(self, w: Array) -> float:
        """‖w‖²."""
        return self.scale * inner(w, w)

    def dual_square(self, vector: Array) -> float:
        """The square of the dual norm."""
        return inner(vector, vector) / self.scale


class DataMetric:
    """w'Gw with G = Σ c_i x_i x_i' and a little more: what moves the margins by as much counts as
    much, however features are scaled or hang together.

    A step is a problem of as many variables as there are features, which accelerated gradient steps
    solve without the data.
    """

    def __init__(self, moments: Array, regularizer: Regularizer) -> None:
        largest = float(np.linalg.eigvalsh(moments)[-1]) if len(moments) else 0.0
        self.largest = (1 + PART + MARGIN) * (largest if largest > 0 else 1.0)
        self.G = moments + (self.largest - largest) * np.eye(len(moments))
        self.regularizer = regularizer

    def step(self, w: Array, vector: Array, tau: float) -> Array:
        """The u that minimizes Ω(u) − ⟨vector, u⟩ + ‖u − w‖²/(2 τ) in this metric."""
        length = tau / self.largest
        u = y = w
        t = 1.0
        for _ in range(TRIALS):
            to = y - (self.G @ (y - w)) / self.largest + length * vector
            new = self.regularizer.prox_of(to.ravel(), length).reshape(w.shape)
            move = new - u
            if inner(y - new, move) > 0:
                t = 1.0
            last_t, t = t, (1 + np.sqrt(1 + 4 * t * t)) / 2
            y = new + (last_t - 1) / t * move
            u = new
            if np.abs(move).max() <= ACCURACY * np.abs(new - w).max():
                break
        return u

    def square(self, w: Array) -> float:
        """‖w‖²."""
        return inner(w, self.G @ w)

    def dual_square(self, vector: Array) -> float:
        """The square of the dual norm."""
        return inner(vector, np.asarray(np.linalg.solve(self.G, vector), dtype=np.float64))


def metric_of(risk: Any, regularizer: Regularizer) -> PlainMetric | DataMetric:
    """That of the data where features are few beside it, else the plain one."""
    d = risk.shape[0]
    affordable = 0 < d <= MOST_FEATURES and risk.rows.n_stored >= FEWEST_VALUES * d * d
    if affordable and hasattr(risk, "moments"):
        return DataMetric(risk.moments(), regularizer)
    return PlainMetric(risk, regularizer)
