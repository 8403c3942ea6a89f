from typing import Any

import numpy as np
from numpy.typing import NDArray

def moments(lines: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
