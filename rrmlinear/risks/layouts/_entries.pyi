import numpy as np
from numpy.typing import NDArray

def entries_of_product(
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
) -> NDArray[np.float64]: ...
