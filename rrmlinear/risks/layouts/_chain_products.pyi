import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows

Array = NDArray[np.float64]

def row_products(
    rows: Rows, matrix: Array, out: Array, part: int, begin: int, end: int
) -> None: ...
