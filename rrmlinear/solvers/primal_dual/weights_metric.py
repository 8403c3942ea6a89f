"""Metrics on the weights: the norms of Pdprox's steps, and the steps in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.loop.inner import Array, inner
from rrmlinear.solvers.loop.power import curvature_bound
from rrmlinear.solvers.loop.tolerances import MAX_TRIALS, MIN_LIPSCHITZ
from rrmlinear.solvers.primal_dual._metric_step import metric_step

# The Gram matrix of the features is formed up to MAX_FEATURES features, if the data have at least
# MIN_STORED_VALUES stored values for each of its entries.
MAX_FEATURES = 512
MIN_STORED_VALUES = 2
# Smallest eigenvalue of the metric, as a fraction of the largest.
MIN_EIGENVALUE = 1e-3
# Relative tolerance of the inner solve.
STEP_ACCURACY = 1e-3


class PlainMetric:
    """s ‖w‖² with s = ‖diag(√c) X‖², by power iteration: a step is one prox."""

    affords_matrices = False  # of d × d

    def __init__(self, risk: Any, regularizer: Regularizer) -> None:
        longest = float((risk.costs.ravel() * risk.rows.squared_norms()).max(initial=0))
        self.scale = max(curvature_bound(risk), MIN_LIPSCHITZ * longest) or 1.0
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
    """w'Gw with the Gram matrix G = Σ c_i x_i x_i' plus a multiple of the identity: a length that
    does not depend on the scaling or correlation of features. ``gram`` is d × d for all columns of
    weights, or d × d × k with a matrix for each of k columns.

    A step is a problem in the weights, which accelerated gradient steps solve without the data.
    """

    affords_matrices = True

    def __init__(
        self, gram: Array, regularizer: Regularizer, accuracy: float = STEP_ACCURACY
    ) -> None:
        matrices = gram.reshape(*gram.shape[:2], -1).transpose(2, 0, 1)
        largest = float(np.linalg.eigvalsh(matrices)[:, -1].max()) if gram.size else 0.0
        self.largest = (1 + MIN_EIGENVALUE) * (largest if largest > 0 else 1.0)
        #: k × d × d or 1 × d × d, and the same as the kernel reads it.
        self.G = matrices + (self.largest - largest) * np.eye(len(gram))
        self.rows = np.ascontiguousarray(self.G.transpose(1, 2, 0))
        self.regularizer, self.accuracy = regularizer, accuracy

    def step(self, w: Array, vector: Array, tau: float) -> Array:
        """The u that minimizes Ω(u) − ⟨vector, u⟩ + ‖u − w‖²/(2 τ) in this metric."""
        length = tau / self.largest
        u = metric_step(
            *(self.regularizer, self.rows, w.ravel(), vector.ravel()),
            *(self.largest, length, self.accuracy, MAX_TRIALS),
        )
        return u.reshape(w.shape)

    def square(self, w: Array) -> float:
        """‖w‖²."""
        columns = self._columns(w)
        return inner(columns, self.G @ columns)

    def dual_square(self, vector: Array) -> float:
        """The square of the dual norm."""
        columns = self._columns(vector)
        return inner(columns, np.asarray(np.linalg.solve(self.G, columns), dtype=np.float64))

    def _columns(self, w: Array) -> Array:
        # the columns of w, in one stack for each matrix
        columns = w.reshape(len(self.rows), -1)
        if len(self.G) == 1:
            return np.ascontiguousarray(columns[np.newaxis])
        return np.ascontiguousarray(columns.T[:, :, np.newaxis])


def metric_of(risk: Any, regularizer: Regularizer) -> PlainMetric | DataMetric:
    """`DataMetric` for few features and a prox in a kernel, else `PlainMetric`."""
    if "gram" not in risk.offers:
        return PlainMetric(risk, regularizer)
    d, k = risk.separate
    affordable = 0 < d <= MAX_FEATURES and risk.rows.n_stored >= MIN_STORED_VALUES * d * d * k
    # A prox outside the kernels, as by singular values, is too slow.
    in_kernel = type(regularizer).prox_of is Regularizer.prox_of
    if affordable and in_kernel:
        return DataMetric(risk.gram(), regularizer)
    return PlainMetric(risk, regularizer)
