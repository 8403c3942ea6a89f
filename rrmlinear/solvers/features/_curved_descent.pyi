import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows

class CurvedSweeps:
    weights: NDArray[np.float64]
    def __init__(
        self,
        columns: Rows,
        curvatures: NDArray[np.float64],
        linear: NDArray[np.float64],
        begin: NDArray[np.float64],
        l1: float,
        modulus: float,
    ) -> None: ...
    @property
    def moves(self) -> NDArray[np.float64]: ...
    def sweep(self, features: NDArray[np.int64]) -> int: ...
    def value(self) -> float: ...

def shuffled(features: NDArray[np.int64], seed: int) -> NDArray[np.int64]: ...
