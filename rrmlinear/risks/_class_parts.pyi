import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows

Vector = NDArray[np.float64]

def class_parts(
    rows: Rows,
    k: int,
    row_of: NDArray[np.int64],
    begin: NDArray[np.int64],
    classes: NDArray[np.int32],
    rate: Vector,
    share: Vector,
    scale: Vector,
    most: int,
) -> NDArray[np.float32]: ...
