import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss

Array = NDArray[np.float64]

def columns_of(rows: Rows) -> Array | None: ...

class FewWeights:
    def __init__(
        self, y: Array, costs: Array, rows: Rows | None = None, columns: Array | None = None
    ) -> None: ...
    def least(
        self,
        loss: ScalarLoss,
        modulus: float,
        far: Array,
        w: Array,
        shift: Array,
        solved: float,
        most: int,
    ) -> tuple[Array, Array, Array, int]: ...
