import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks._class_sums import ClassSums

Vector = NDArray[np.float64]

class Couplings:
    some: NDArray[np.int64]
    scale: Vector
    inverse: Vector
    is_small: bool
    def __init__(self, hessian: ClassSums, diagonal: Vector, least: float, most: int) -> None: ...
    def product(self, v: Vector) -> Vector: ...
