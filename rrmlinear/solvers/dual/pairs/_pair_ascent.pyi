import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]

def add_rows(store: Vector, slots: Indices, weights: Vector, out: Vector) -> None: ...
def square_of(store: Vector, slots: Indices, columns: Indices) -> Vector: ...

class PairSteps:
    betas: Vector
    slopes: Vector
    def __init__(
        self,
        betas: Vector,
        slopes: Vector,
        lower: Vector,
        upper: Vector,
        epsilon: float,
        extra: Vector,
        K: Vector,
        balanced: bool,
        shift: float = 0.0,
    ) -> None: ...
    def ascend(self, limit: int, violation: float = 0.0) -> int: ...
