import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows

Vector = NDArray[np.float64]

class BlockHessian:
    rows: Rows
    active: NDArray[np.int64]
    def __init__(
        self,
        rows: Rows,
        k: int,
        active: NDArray[np.int64],
        begin: NDArray[np.int64],
        classes: NDArray[np.int32],
        rates: Vector,
    ) -> None: ...
    @property
    def size(self) -> int: ...
    def matrix(self) -> Vector: ...
    def gram(self, inverse: Vector) -> Vector: ...
    def times(self, p: Vector) -> Vector: ...
    def adjoint(self, y: Vector) -> Vector: ...
    def product(self, p: Vector) -> Vector: ...
    def diagonal(self) -> Vector: ...
