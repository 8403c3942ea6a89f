import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss

Array = NDArray[np.float64]

class JointAscent:
    duals: Array
    together: int
    def __init__(
        self,
        rows: Rows,
        loss: ScalarLoss,
        label: NDArray[np.int32],
        first: int,
        costs: Array,
        factors: Array,
        squares: Array,
    ) -> None: ...
    @property
    def vectors(self) -> Array: ...
    def scores(self) -> Array: ...
    def run_pass(self, number: int, seed: int) -> None: ...
