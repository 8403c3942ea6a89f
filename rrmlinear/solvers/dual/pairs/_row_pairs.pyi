import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows

Vector = NDArray[np.float64]

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
    def look(self, weights: Vector | None = None) -> None: ...
    def renew(self, betas: Vector | None = None) -> None: ...
    def ascend(self, violation: float, gap: float, most: int) -> None: ...
