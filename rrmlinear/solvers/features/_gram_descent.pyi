import numpy as np
from numpy.typing import NDArray

class GramSweeps:
    weights: NDArray[np.float64]
    pulls: NDArray[np.float64]
    gram: NDArray[np.float64]
    def __init__(
        self,
        gram: NDArray[np.float64],
        linear: NDArray[np.float64],
        begin: NDArray[np.float64],
        l1: float,
        modulus: float,
    ) -> None: ...
    def sweep(self, total: float, accuracy: float, most: int) -> tuple[float, float, int]: ...
    def set(self, weights: NDArray[np.float64]) -> None: ...
    def value(self) -> float: ...
