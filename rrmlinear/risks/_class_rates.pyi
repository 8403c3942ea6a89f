import numpy as np
from numpy.typing import NDArray

from rrmlinear.losses.block_base import BlockLoss

Array = NDArray[np.float64]

class ClassRates:
    def __init__(self, loss: BlockLoss, label: NDArray[np.int32], costs: Array, k: int) -> None: ...
    def active(
        self, derivatives: Array, smoothing: float
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], Array]: ...
    def moved(self, derivatives: Array, smoothing: float, moves: Array) -> Array: ...
    def steps(
        self,
        scores: Array,
        b: Array,
        out: Array,
        slopes: Array | None = None,
        stride: int = 1,
        alphas: Array | None = None,
        curvatures: Array | None = None,
    ) -> tuple[Array, Array, int]: ...
