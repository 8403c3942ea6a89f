from typing import Any

import numpy as np
from numpy.typing import NDArray

def bytes_of(array: NDArray[Any]) -> NDArray[np.uint8]: ...
def nonzeros(values: NDArray[np.float64]) -> NDArray[np.intp]: ...
def gathered(
    array: NDArray[Any], begins: NDArray[np.int64], lengths: NDArray[np.int64]
) -> NDArray[Any]: ...
