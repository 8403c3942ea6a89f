from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]

def scaled_to_unit(matrix: Array) -> NDArray[np.float64] | None: ...
def solved_by_factor(
    factor: Array, b: Array, scale: Array | None = None
) -> NDArray[np.float64]: ...
