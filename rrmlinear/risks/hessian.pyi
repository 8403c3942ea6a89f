from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows

class Hessian:
    rows: Rows
    active: NDArray[np.intp]
    def __init__(
        self, rows: Rows, h: NDArray[np.float64], free: Sequence[NDArray[np.float64]] = ()
    ) -> None: ...
    def matrix(self) -> NDArray[np.float64]: ...
    def product(self, p: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def diagonal(self) -> NDArray[np.float64]: ...
