import numpy as np
from numpy.typing import ArrayLike, NDArray

from rrmlinear.losses.base import ScalarLoss

class OrdinalHinge(ScalarLoss):
    thresholds: NDArray[np.float64]
    def __init__(self, thresholds: ArrayLike, smoothing: float = 0.0) -> None: ...
