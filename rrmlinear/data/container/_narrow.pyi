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
