import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows

Array = NDArray[np.float64]

def times(rows: Rows, weights: Array) -> Array: ...
def sums(rows: Rows, pulls: Array) -> Array: ...
