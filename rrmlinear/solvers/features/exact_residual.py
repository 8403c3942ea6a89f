"""Residuals that are more exact than the weights they belong to, for duals of the 1-norm."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.array_rows import csr_of
from rrmlinear.solvers.features.feature_columns import FeatureColumns
from rrmlinear.solvers.features.residuals import WholeResidual
from rrmlinear.solvers.second_order.factors import Factor

Vector = NDArray[np.float64]

# Products a_j'r are noise where rounding of the residual moves them by this fraction of l1.
NOISE = 1e-9
# Limit on the features of a correction. Its rounds: each leaves what rounding takes from a factor.
MAX_CORRECTED, ROUNDS = 1000, 3
# Ridge of a system relative to its diagonal: dependent columns make it singular.
RIDGE = 1e-14


class ExactResidual:
    """Residuals r − Ac with |a_j'r| = l1 where w_j ≠ 0, and at most l1 where it was above.

    Where columns are long, the last digit of w moves these products by more than l1: no weights in
    double precision have a residual that proves them. A correction c below that digit gives one,
    r − Ac. It serves as duals, which need not belong to weights. Other data are left as they are.
    """

    def __init__(self, columns: FeatureColumns, aim: Vector, l1: float):
        self.columns, self.l1 = columns, l1
        length = np.sqrt(float(columns.curvature.max(initial=0)))
        rounding = np.finfo(np.float64).eps * float(np.linalg.norm(aim)) * length
        self.is_needed = rounding > NOISE * l1 > 0

    @contextmanager
    def at(self, whole: WholeResidual, pulls: Vector) -> Iterator[Vector]:
        """Correct the residual of all features, whose products with it are ``pulls``.

        Gives the products with the corrected residual. At the end the residual is as before.
        """
        l1 = self.l1
        if not self.is_needed:
            yield pulls
            return
        sweeps, places = whole.over(np.arange(len(pulls)))
        chosen = np.flatnonzero((sweeps.weights != 0) | (np.abs(pulls) > l1))
        if not 0 < len(chosen) <= MAX_CORRECTED:
            yield pulls
            return
        weights, residual, shift = sweeps.weights.copy(), sweeps.residual.copy(), sweeps.shift
        signs = np.sign(np.where(weights != 0, weights, pulls))[chosen]
        factor = Factor(self._gram(chosen))
        for _ in range(ROUNDS):
            step = factor.solve(sweeps.products(chosen) - l1 * signs)
            sweeps.weights[:] = 0
            sweeps.move(chosen, step)
            self.columns.balance(sweeps)
        yield sweeps.products(places)
        sweeps.weights[:], sweeps.residual[:], sweeps.shift = weights, residual, shift

    def _gram(self, chosen: NDArray[np.intp]) -> Vector:
        columns, rows = self.columns, self.columns.rows
        if rows.is_dense:
            part = rows.values[chosen].astype(np.float64)
            gram = part @ part.T
        else:
            part = csr_of(rows)[chosen].astype(np.float64)
            gram = (part @ part.T).toarray()
        gram -= np.outer(columns.totals[chosen], columns.means[chosen])
        gram.flat[:: len(gram) + 1] *= 1 + RIDGE
        return gram
