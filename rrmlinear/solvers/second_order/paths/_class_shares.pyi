import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

class ClassShares:
    loss: float
    size: float
    left: Array
    sums: Array
    def __init__(
        self,
        scores: Array,
        b: Array,
        label: NDArray[np.int64],
        costs: Array,
        p: Array,
        slopes: bool,
    ) -> None: ...
    def slopes(self) -> Array: ...
    def pulls(self, move: Array, out: Array) -> Array: ...

def conjugate(pulls: Array, label: NDArray[np.int64], costs: Array) -> tuple[float, float]: ...
