from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows

Array = NDArray[np.float64]

def product(rows: Rows, weights: NDArray[Any], n_features: int) -> Array: ...
def product_of_part(
    rows: Rows, W: Array, out: Array, part: int, begin: int, end: int, n_features: int = -1
) -> None: ...
