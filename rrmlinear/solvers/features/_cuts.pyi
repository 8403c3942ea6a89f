import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows

def cut_rows(rows: Rows, features: NDArray[np.int64]) -> Rows: ...
def scaled_columns(rows: Rows, factors: NDArray[np.float64]) -> Rows: ...
