"""Anderson's extrapolation of coordinate descent, kept where it is better."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.features._feature_descent import FeatureSweeps
from rrmlinear.solvers.loop.anderson import mixing_weights

Vector = NDArray[np.float64]

# Ridge of an extrapolation: small, as a guess is kept only if it is better.
MIXING_RIDGE = 1e-14


def extrapolate(
    sweeps: FeatureSweeps,
    features: NDArray[np.int64],
    points: Sequence[Vector],
    objective: Callable[[], float],
    residuals: Sequence[Vector] = (),
) -> float:
    """Move the sweeps to the guessed limit of ``points`` where the objective falls; returns it.

    ``points`` are the weights of ``features`` before and after each of the last sweeps. If
    x_{i+1} is one affine map of x_i, the limit is Σ θ_i x_{i+1}. ``residuals`` are those after each
    sweep, with their shift, where the columns take longer to read. Source: Bertrand and Massias,
    Anderson acceleration of coordinate descent, 2021.
    """
    value = objective()
    path = np.array(points)
    theta = mixing_weights(np.diff(path, axis=0), MIXING_RIDGE, 0.0)[:, None]
    guess = (theta * path[1:]).sum(axis=0)
    if len(residuals):
        _place(sweeps, features, guess, (theta * residuals).sum(axis=0))
    else:
        sweeps.move(features, guess)
    guessed = objective()
    if guessed < value:
        return guessed
    if len(residuals):
        _place(sweeps, features, points[-1], residuals[-1])
    else:
        sweeps.move(features, points[-1])
    return value


def _place(
    sweeps: FeatureSweeps, features: NDArray[np.int64], weights: Vector, residual: Vector
) -> None:
    sweeps.weights[features] = weights
    sweeps.residual[:], sweeps.shift = residual[:-1], residual[-1]
