import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.features._sparse_columns import SparseColumns

class GramPath:
    weights: NDArray[np.float64]
    pulls: NDArray[np.float64]
    primal: float
    gap: float
    rounding: float
    def __init__(
        self,
        gram: NDArray[np.float64],
        linear: NDArray[np.float64],
        square: float,
        positive: bool,
        columns: SparseColumns | None = None,
    ) -> None: ...
    def grow(self, gram: NDArray[np.float64], linear: NDArray[np.float64]) -> None: ...
    def set(self, weights: NDArray[np.float64]) -> None: ...
    def descend(self, l1: float, modulus: float, tolerance: float) -> bool: ...
