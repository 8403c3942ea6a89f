from typing import Self

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows

Array = NDArray[np.float64]

class ClassProducts:
    def __new__(cls, rows: Rows, costs: Array, k: int, threads: int) -> Self: ...
    def scores(self, w: Array) -> Array: ...
    def adjoint(self, factors: Array) -> Array: ...
