from typing import Any

import numpy as np
from numpy.typing import NDArray

class SparseColumns:
    count: int
    def __init__(
        self,
        columns: Any,
        root: NDArray[np.float64],
        centre: NDArray[np.float64],
        aim: NDArray[np.float64],
    ) -> None: ...
    def add(self, new: NDArray[np.intp]) -> NDArray[np.float64]: ...
    def times(self, vector: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def residual(self, weights: NDArray[np.float64]) -> NDArray[np.float64]: ...
