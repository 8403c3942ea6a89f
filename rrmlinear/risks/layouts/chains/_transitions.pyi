import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows

Array = NDArray[np.float64]

class Transitions:
    k: int
    scale: float
    logarithms: bool
    def __init__(self, weights: Array, scale: float = 1.0, best: bool = False) -> None: ...

class SequenceTransitions(Transitions):
    def __init__(
        self, weights: Array, edges: Rows | None = None, scale: float = 1.0, best: bool = False
    ) -> None: ...
