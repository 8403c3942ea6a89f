import numpy as np
from numpy.typing import ArrayLike, NDArray

from rrmlinear.regularizers.base import Regularizer

class Unpenalized(Regularizer):
    inner: Regularizer
    columns: NDArray[np.intp]
    indices: NDArray[np.intp]
    limit: float
    def __init__(self, inner: Regularizer, columns: ArrayLike, limit: float = 1000.0) -> None: ...
