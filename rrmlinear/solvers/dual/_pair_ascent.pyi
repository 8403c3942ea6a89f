from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

def add_rows(store: Vector, slots: NDArray[np.int64], weights: Vector, out: Vector) -> None: ...

class PairSteps:
    betas: Vector
    slopes: Vector
    ups: Vector
    downs: Vector
    lowers: Vector
    uppers: Vector
    steps: int
    def __init__(
        self,
        y: Vector,
        lower: Vector,
        upper: Vector,
        epsilon: float,
        extra: Vector,
        diagonal: Vector,
        store: Vector,
        slot: NDArray[np.int32],
        used: NDArray[np.int64],
        balanced: bool,
        shift: float = 0.0,
    ) -> None: ...
    def restart(self, betas: Any, slopes: Any) -> None: ...
    def ascend(self, limit: int) -> tuple[int, int]: ...
