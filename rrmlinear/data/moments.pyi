from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows

def moments(lines: NDArray[Any], errors: NDArray[np.float64]) -> NDArray[np.float64]: ...
def products_and_moments(
    rows: Rows, costs: NDArray[np.float64], errors: NDArray[np.float64], centred: bool
) -> NDArray[np.float64]: ...
