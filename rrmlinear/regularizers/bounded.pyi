import numpy as np
from numpy.typing import ArrayLike, NDArray

from rrmlinear.regularizers.base import Regularizer

class Bounded(Regularizer):
    inner: Regularizer
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    def __init__(
        self, inner: Regularizer, lower: ArrayLike = ..., upper: ArrayLike = ...
    ) -> None: ...
