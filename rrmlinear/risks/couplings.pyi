import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

class Couplings:
    some: NDArray[np.int64]
    scale: Vector
    inverse: Vector
    is_small: bool
    def product(self, v: Vector) -> Vector: ...
