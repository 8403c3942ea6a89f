"""Quadratic models of a smooth risk over a working set, and their minimization with the 1-norm."""

from __future__ import annotations

import time
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.features.models.faces import MAX_FACE, FacePoint

Vector = NDArray[np.float64]

# Sweeps between two leaps.
SWEEPS_PER_LEAP = 5
# Steps on faces in a row: each but the last takes weights from the face. Rough models take single
# ones: a few sweeps between them take more weights away, and sooner.
MAX_FACE_STEPS = 20


class Model(Protocol):
    """minimize ½ Σ_i h_i (x_i'(w − w₀))² − b'(w − w₀) + l1 ‖w‖₁ + (modulus/2)‖w‖² over a set.

    With an intercept the scores x_i'(w − w₀) are centred by their mean weighted with h.
    """

    #: Multiplications of a sweep.
    sweep_work: float
    #: Multiplications of sweeps since the last step on a face.
    swept: float
    #: Steps on faces in a row at most.
    most_face_steps: int

    @property
    def weights(self) -> Vector: ...
    def value(self) -> float: ...
    def minimize(self, deadline: float | None) -> int:
        """Minimize nearly, but at most until the deadline; returns the sweeps."""
        ...

    def descend(self, total: float, accuracy: float, most: int) -> tuple[float, int, bool]:
        """Sweep ``most`` times, then leap to a guess of the limit; ends after a sweep whose
        decrease is at most ``accuracy`` times all of it, ``total`` from before included.

        Returns all of the decrease, the sweeps and whether such a sweep ended it.
        """
        ...

    def face_work(self, size: int) -> float:
        """The time of a step on a face of this size, in multiplications of a sweep."""
        ...

    def face_step(self, signs: Vector) -> FacePoint:
        """Take a Newton step on the face of these signs."""
        ...


def without_idle(weights: Vector, curvatures: Vector, linear: Vector, l1: float) -> Vector:
    """The weights with 0 for those of features that no example with a curvature has."""
    return np.where((curvatures == 0) & (np.abs(linear) < l1), 0.0, weights)


def minimize(model: Model, accuracy: float, most: int, deadline: float | None) -> int:
    """Sweep until a sweep's decrease is below ``accuracy`` times all of it; returns the sweeps.

    Steps on faces take as much work as the sweeps before them. Ends after ``most`` sweeps, and at
    the deadline.
    """
    total, count = 0.0, 0
    while True:
        size = int(np.count_nonzero(model.weights))
        if 0 < size <= MAX_FACE and model.swept >= model.face_work(size):
            for _ in range(model.most_face_steps):
                size = int(np.count_nonzero(model.weights))
                model.swept -= model.face_work(size)
                point = model.face_step(np.sign(model.weights))
                total += point.decrease
                if point.inside or point.decrease <= accuracy * total:
                    break
        total, sweeps, ended = model.descend(total, accuracy, SWEEPS_PER_LEAP)
        count += sweeps
        model.swept += sweeps * model.sweep_work
        if ended or count >= most:
            return count
        if deadline is not None and time.perf_counter() > deadline:
            return count
