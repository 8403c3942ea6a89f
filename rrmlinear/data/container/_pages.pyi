import numpy as np
from numpy.typing import NDArray

def touch(memory: NDArray[np.uint8], page: int) -> int: ...
