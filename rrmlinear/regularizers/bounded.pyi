import numpy as np
from numpy.typing import ArrayLike, NDArray

from rrmlinear.regularizers.base import Regularizer

class Bounded(Regularizer):
    inner: Regularizer
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    factors: NDArray[np.float64]
    limit: float
    def __init__(
        self,
        inner: Regularizer,
        lower: ArrayLike = ...,
        upper: ArrayLike = ...,
        factors: ArrayLike = ...,
        limit: float = 1000.0,
    ) -> None: ...

def checked_factors(factors: ArrayLike, name: str = ...) -> NDArray[np.float64]: ...

class Unpenalized(Regularizer):
    inner: Regularizer
    columns: NDArray[np.intp]
    indices: NDArray[np.intp]
    limit: float
    def __init__(self, inner: Regularizer, columns: ArrayLike, limit: float = 1000.0) -> None: ...

class ElasticBall(Regularizer):
    gamma: float
    radius: float
    def __init__(self, gamma: float, radius: float) -> None: ...
