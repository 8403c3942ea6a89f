import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer

def look(
    problem: Regularizer,
    inner: Regularizer,
    V: NDArray[np.float64],
    y: NDArray[np.float64],
    p: NDArray[np.float64],
    kappa: float,
) -> tuple[float, float, float, float, float]: ...
def step(
    inner: Regularizer,
    V: NDArray[np.float64],
    y: NDArray[np.float64],
    p: NDArray[np.float64],
    kappa: float,
    next_kappa: float,
    beta: float,
) -> None: ...
