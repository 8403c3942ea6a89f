import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows

Vector = NDArray[np.float64]

class ClassModelSweeps:
    weights: Vector
    curvatures: Vector
    moves: Vector
    def __init__(
        self,
        columns: Rows,
        feature: NDArray[np.int64],
        class_of: NDArray[np.int32],
        k: int,
        active: NDArray[np.int64],
        begin: NDArray[np.int64],
        classes: NDArray[np.int32],
        rates: Vector,
        terms: Vector,
        weights: Vector,
    ) -> None: ...
    def sweep(self) -> float: ...
    def set(self, weights: Vector) -> None: ...
    def pulls(self, some: NDArray[np.int64]) -> Vector: ...
    def product(self, some: NDArray[np.int64], x: Vector) -> Vector: ...
    def value(self) -> float: ...

def class_products(
    columns: Rows,
    feature: NDArray[np.int64],
    class_of: NDArray[np.int32],
    of_scores: Vector,
) -> Vector: ...
