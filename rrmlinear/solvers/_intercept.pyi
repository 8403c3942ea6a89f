import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss

class Examples:
    rows: Rows
    loss: ScalarLoss
    def __init__(
        self,
        rows: Rows,
        y: NDArray[np.float64],
        cost: NDArray[np.float64],
        loss: ScalarLoss,
    ) -> None: ...
    def margins(self, w: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def combination(self, alpha: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def losses(self, margin: NDArray[np.float64], b: float) -> tuple[float, float]: ...
    def conjugates(self, alpha: NDArray[np.float64]) -> float: ...
    def responses(
        self,
        margin: NDArray[np.float64],
        b: float,
        alpha: NDArray[np.float64],
        curvature: NDArray[np.float64],
        out: NDArray[np.float64],
    ) -> float: ...
