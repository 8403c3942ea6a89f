"""A path of least squares with an elastic net on one Gram matrix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.features._gram_path import GramPath
from rrmlinear.solvers.features.models.faces import BLAS_TIME
from rrmlinear.solvers.features.models.gram_model import EXACT_NUMBER, GramModel

Array = NDArray[np.float64]

# Time of a step on a face, without that of its factor, in multiplications.
STEP_WORK = 1e6
# Sweeps over the weights in use for each sweep over all of them.
SWEEP_VISITS = 10
# Most sweeps over all weights before a step on a face, and most rounds of sweeps and a step.
MAX_SWEEPS, ROUNDS = 20, 20


def gram_path(
    gram: Array,
    linear: Array,
    square: float,
    strengths: Iterable[tuple[float, float]],
    tolerance: float,
    positive: bool,
) -> Iterator[Array | None]:
    """minimize ½ (square − 2 q'w + w'Gw) + l1 ‖w‖₁ + (modulus/2)‖w‖² for each (l1, modulus).

    G is ``gram`` and q is ``linear``, X'X and X'y where square = y'y; w ≥ 0 if ``positive``. Each
    problem begins from the weights of the last one. Yields weights, or None where no gap of at most
    ``tolerance`` of the objective, and beyond rounding, proves them.
    """
    path = GramPath(gram, linear, square, positive)
    for l1, modulus in strengths:
        path.set(path.weights)  # pulls without the rounding of many moves
        proved = False
        for number in range(ROUNDS):
            if number and not positive:
                _step(path, gram, l1, modulus)
            proved = path.descend(l1, modulus, tolerance, _sweeps(path.weights))
            if proved or path.gap <= path.rounding:
                break
        yield path.weights.copy() if proved else None


def _sweeps(weights: Array) -> int:
    """The sweeps over all weights that take about as long as a step on the face in use."""
    size, d = int(np.count_nonzero(weights)), len(weights)
    step = STEP_WORK + BLAS_TIME * size**3 / 3
    return int(min(max(step / (SWEEP_VISITS * (size + 1) * d), 1), MAX_SWEEPS))


def _step(path: GramPath, gram: Array, l1: float, modulus: float) -> None:
    """Minimize over the weights in use and those that would be, by steps on faces."""
    some = np.flatnonzero((path.weights != 0) | (np.abs(path.pulls) > l1))
    part = gram[np.ix_(some, some)]
    begin, usable = path.weights[some], part.diagonal() > 0
    pulls = path.pulls[some]
    model = GramModel(part, usable, pulls, begin, l1, modulus, number=EXACT_NUMBER)
    model.minimize(None)
    weights = path.weights.copy()
    weights[some] = model.weights
    path.set(weights)
