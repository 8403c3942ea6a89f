from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows

def narrow(
    rows: Rows,
    begin: int,
    end: int,
    decimals: int,
    room: float,
    values: NDArray[Any],
    indices: NDArray[Any],
    norms: NDArray[np.float64],
) -> float: ...
def shorten(
    rows: Rows,
    begin: int,
    end: int,
    values: NDArray[np.uint16],
    indices: NDArray[np.uint16],
    units: NDArray[np.float32],
    errors: NDArray[np.float32],
    norms: NDArray[np.float64],
) -> bool: ...
