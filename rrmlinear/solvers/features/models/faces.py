"""Newton steps on a face: the weights in use, with their signs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class FacePoint:
    """A point on a face. It is ``inside`` if the step to it was whole and no weight became 0."""

    weights: Vector
    decrease: float
    inside: bool


def face_point(
    product: Callable[[Vector], Vector],
    downhill: Vector,
    step: Vector,
    weights: Vector,
    signs: Vector,
) -> FacePoint:
    """The best point found for ½ δ'Mδ − downhill'δ along a step δ from weights that keep signs.

    Weights that the whole step would turn become 0 where it passes 0. On that bent way the points
    are tried at which the first 1, 2, 4, … of them do, and the end. ``product`` multiplies by M.
    """

    def decrease(move: Vector) -> float:
        return float(move @ downhill - move @ product(move) / 2)

    turned = (weights + step) * signs < 0
    if not turned.any():
        return FacePoint(weights + step, decrease(step), True)
    crossing = np.where(turned, -weights / np.where(turned, step, 1), np.inf)
    times = np.sort(crossing[turned])
    best = FacePoint(weights, 0.0, False)
    for t in (1.0, *times[2 ** np.arange(int(np.log2(len(times))) + 1) - 1]):
        point = np.where(crossing <= t, 0.0, weights + t * step)
        gained = decrease(point - weights)
        if gained > best.decrease:
            best = FacePoint(point, gained, False)
    return best
