import numpy as np
from numpy.typing import NDArray

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
    ) -> None: ...
    def grow(self, gram: NDArray[np.float64], linear: NDArray[np.float64]) -> None: ...
    def set(self, weights: NDArray[np.float64]) -> None: ...
    def descend(self, l1: float, modulus: float, tolerance: float) -> bool: ...
