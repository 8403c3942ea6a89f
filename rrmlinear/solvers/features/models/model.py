"""Quadratic models of a smooth risk over a working set, minimized with the 1-norm by sweeps, and by
Newton steps on the face of the weights in use.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.base import Evaluation
from rrmlinear.solvers.second_order.factors import MAX_REFINEMENTS, conjugate_gradients

Vector = NDArray[np.float64]
Product = Callable[[Vector], Vector]

# A model is minimized until a sweep decreases it by less than this fraction of what all sweeps did,
# or for this number of sweeps.
SWEEP_ACCURACY, MAX_SWEEPS = 1e-3, 100
# Models by columns are minimized to this accuracy: the next one has other curvatures. The relative
# residual of a system on a face is the same.
ROUGH_ACCURACY = 1e-2
# Sweeps between two leaps.
SWEEPS_PER_LEAP = 5
# Models add at least this fraction of the largest second derivatives, which may be 0. After a step
# that was too long they add more, which falls by the factor ADDED_FALL after every whole step.
LEAST_ADDED, ADDED_FALL = 1e-10, 0.3
# The fraction of the largest second derivatives that a model adds grows by DAMPING_RISE to
# FIRST_DAMPING at least where a step was too long.
FIRST_DAMPING, DAMPING_RISE = 1e-4, 10.0


class Begin(NamedTuple):
    """Where a model begins: F ``at`` weights that are ``weights`` at the ``features`` of the set.

    ``usable`` marks those that may move, ``pulls`` are minus the derivatives of F by them, and
    ``l1`` and ``modulus`` the factors of |w_j| and w_j²/2; ``sign`` that of all weights or 0.
    """

    features: NDArray[np.int64]
    usable: NDArray[np.bool_]
    at: Evaluation
    pulls: Vector
    weights: Vector
    l1: Vector
    modulus: Vector
    sign: float = 0.0

    def penalty(self, w: Vector) -> float:
        """Σ_j l1_j |w_j| + (modulus_j/2) w_j²."""
        return float(self.l1 @ np.abs(w)) + float(self.modulus @ (w * w)) / 2


class Damping:
    """What models add to the second derivative, as a fraction of the largest one."""

    def __init__(self) -> None:
        self.part = LEAST_ADDED

    def fall(self) -> None:
        """Told of a whole step."""
        self.part = max(LEAST_ADDED, ADDED_FALL * self.part)

    def rise(self, *_: Any) -> None:
        """Told of a step that was too long."""
        self.part = max(FIRST_DAMPING, DAMPING_RISE * self.part)


class Model(Protocol):
    """minimize ½ Σ_i h_i (x_i'(w − w₀))² − b'(w − w₀) + Σ_j l1_j |w_j| + (modulus_j/2) w_j².

    With an intercept the scores x_i'(w − w₀) are centred by their mean weighted with h.
    """

    #: They have weights, and a sweep over them that returns its decrease.
    sweeps: Any

    def face_step(self, signs: Vector) -> tuple[float, int]:
        """A Newton step on the face of these signs: its decrease, and the sweeps it counts as."""
        ...


def without_idle(begin: Begin, curvatures: Vector) -> Vector:
    """The weights with 0 for those of features that no example with a curvature has."""
    return np.where((curvatures == 0) & (np.abs(begin.pulls) < begin.l1), 0.0, begin.weights)


def minimize(model: Model, accuracy: float, most: int, deadline: float | None) -> int:
    """Sweep until a sweep's decrease is below ``accuracy`` times all of it; returns the sweeps.

    Where SWEEPS_PER_LEAP end with one that keeps all signs, a step on their face follows. Ends
    after ``most`` sweeps, and at the deadline.
    """
    total, count, sweeps = 0.0, 0, model.sweeps
    while count < most:
        for _ in range(SWEEPS_PER_LEAP):
            before = np.sign(sweeps.weights)
            decrease = sweeps.sweep()
            total, count = total + decrease, count + 1
            if decrease <= accuracy * total:
                return count
        signs = np.sign(sweeps.weights)
        if (signs == before).all():
            decrease, more = model.face_step(signs)
            total, count = total + decrease, count + more
        if deadline is not None and time.perf_counter() > deadline:
            break
    return count


def face_move(
    product: Product, downhill: Vector, scale: Vector, weights: Vector, signs: Vector
) -> tuple[Vector, float, int]:
    """The best point found for ½ δ'Mδ − downhill'δ along a Newton step δ from weights that keep
    signs, its decrease, and the products with M of the step.

    Weights that the whole step would turn become 0 where it passes 0. On that bent way the points
    are tried at which the first 1, 2, 4, … of them do, and the end. ``product`` multiplies by M,
    of whose diagonal ``scale`` is the inverse.
    """
    given = product, lambda r: scale * r, downhill
    step, products = conjugate_gradients(*given, ROUGH_ACCURACY, MAX_REFINEMENTS)

    def decrease(move: Vector) -> float:
        return float(move @ downhill - move @ product(move) / 2)

    turned = (weights + step) * signs < 0
    if not turned.any():
        return weights + step, decrease(step), products
    crossing = np.where(turned, -weights / np.where(turned, step, 1), np.inf)
    times = np.sort(crossing[turned])
    best = weights, 0.0
    for t in (1.0, *times[2 ** np.arange(int(np.log2(len(times))) + 1) - 1]):
        point = np.where(crossing <= t, 0.0, weights + t * step)
        gained = decrease(point - weights)
        if gained > best[1]:
            best = point, gained
    return *best, products
