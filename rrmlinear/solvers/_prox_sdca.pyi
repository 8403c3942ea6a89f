import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.regularizers.base import Regularizer

class DualAscent:
    rows: Rows
    loss: ScalarLoss
    regularizer: Regularizer
    dual_vector: NDArray[np.float64]
    alphas: NDArray[np.float64]
    gaps: NDArray[np.float64]
    moved: int
    def __init__(
        self,
        rows: Rows,
        loss: ScalarLoss,
        regularizer: Regularizer,
        y: NDArray[np.float64],
        cost: NDArray[np.float64],
        curvature: NDArray[np.float64],
    ) -> None: ...
    def begin_pass(self, number: int, seed: int) -> NDArray[np.int64]: ...
    def sweep(
        self,
        order: NDArray[np.int64],
        begin: int,
        end: int,
        number: int,
        quiet: float,
        calm: float,
    ) -> None: ...
    def conjugates(self) -> float: ...
    def measure(self, w: NDArray[np.float64]) -> float: ...
    def retune(self, regularizer: Regularizer) -> None: ...
    def wake_above(self, quiet: float) -> None: ...
