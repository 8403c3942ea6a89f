import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows

Vector = NDArray[np.float64]

def at_threshold(slopes: Vector, threshold: float, lower: Vector, upper: Vector) -> Vector: ...

class RowPairs:
    betas: Vector
    weights: Vector
    slopes: Vector
    violation: float
    gap: float
    loss: float
    middle: float
    steps: int
    visits: int
    def __init__(self, rows: Rows, y: Vector, lower: Vector, upper: Vector) -> None: ...
    def find_slopes(self, weights: Vector | None = None) -> None: ...
    def look(self, with_gap: bool = True) -> None: ...
    def set_betas(self, betas: Vector) -> None: ...
    def renew(self, betas: Vector) -> None: ...
    def ascend(self, violation: float, gap: float, most: int) -> None: ...
