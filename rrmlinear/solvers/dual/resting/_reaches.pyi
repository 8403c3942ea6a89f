import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.dual._dual_state import DualState

class Reaches:
    scores: NDArray[np.float64]
    reaches: NDArray[np.float64]
    def __init__(
        self, state: DualState, y: NDArray[np.float64], scores: NDArray[np.float64]
    ) -> None: ...
    def away(self) -> float: ...
    def settle(self, scores: NDArray[np.float64], away: float = ...) -> None: ...
    def leave_out(self, order: NDArray[np.int64], number: int) -> NDArray[np.int64]: ...
