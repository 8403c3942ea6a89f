import numpy as np
from numpy.typing import NDArray

def search_cuts(
    starts: NDArray[np.int64],
    middles: NDArray[np.int64],
    order: NDArray[np.int32],
    g: NDArray[np.float64],
    sums: NDArray[np.float64],
    cuts: NDArray[np.int64],
) -> None: ...
