import numpy as np
from numpy.typing import NDArray

class FlipCounts:
    n: int
    cap: int
    rows: int
    def __init__(self, x: NDArray[np.float64], cap: int) -> None: ...
    def logs(self) -> NDArray[np.float64]: ...
    def marginals(self, law: NDArray[np.float64]) -> NDArray[np.float64]: ...
