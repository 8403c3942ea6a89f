import numpy as np
from numpy.typing import NDArray

def products(A: NDArray[np.float64], v: NDArray[np.float64], out: NDArray[np.float64]) -> None: ...
def add_combination(
    A: NDArray[np.float64], weights: NDArray[np.float64], out: NDArray[np.float64]
) -> None: ...
def pack(
    array: NDArray[np.float64],
) -> tuple[NDArray[np.uint8], NDArray[np.float64]] | None: ...
