from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.dual.blocks._block_state import BlockState

def this_processor() -> int: ...

class BlockDescent(BlockState):
    together: int
    def begin_pass(
        self,
        number: int,
        seed: int,
        face: bool,
        quiet: float,
        spans: Sequence[tuple[int, int]] | None = None,
        least: float = -1.0,
    ) -> NDArray[np.int64]: ...
    def since_begin(self) -> tuple[float, int]: ...
    def sweep(
        self,
        order: NDArray[np.int64],
        begin: int,
        end: int,
        number: int,
        face: bool,
        quiet: float,
        calm: float,
        team: int,
        thread: int,
    ) -> None: ...
    def wake_above(self, quiet: float) -> None: ...
