import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows

Vector = NDArray[np.float64]

def pair_work(
    rows: Rows, k: int, row_of: NDArray[np.int64], begin: NDArray[np.int64]
) -> tuple[float, float]: ...
def pair_parts(
    rows: Rows,
    k: int,
    row_of: NDArray[np.int64],
    begin: NDArray[np.int64],
    classes: NDArray[np.int32],
    rate: Vector,
    share: Vector,
) -> Vector: ...
