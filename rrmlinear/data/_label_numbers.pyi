import numpy as np
from numpy.typing import NDArray

def numbered_labels(
    labels: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.int32], int]: ...
