import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer

def metric_step(
    regularizer: Regularizer,
    G: NDArray[np.float64],
    w: NDArray[np.float64],
    vector: NDArray[np.float64],
    largest: float,
    length: float,
    accuracy: float,
    trials: int,
) -> NDArray[np.float64]: ...
