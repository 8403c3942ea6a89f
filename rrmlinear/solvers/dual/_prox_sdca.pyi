from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.dual._dual_state import DualState

class DualAscent(DualState):
    together: int
    def begin_pass(
        self,
        number: int,
        seed: int,
        uniform: bool,
        spans: Sequence[tuple[int, int]] | None = None,
        least: float = -1.0,
    ) -> NDArray[np.int64]: ...
    def sweep(
        self,
        order: NDArray[np.int64],
        begin: int,
        end: int,
        least: float = 0.0,
        number: int = -1,
        quiet: float = 0.0,
        calm: float = 0.0,
        copies: int = 1,
        length: int = 0,
        rounds: int = 0,
        team: int = 1,
        thread: int = 0,
    ) -> None: ...
    def undo(self, order: NDArray[np.int64], v: NDArray[np.float64]) -> None: ...
