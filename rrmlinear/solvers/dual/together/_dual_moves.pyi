import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.scalar import ScalarRisk

Vector = NDArray[np.float64]

def dual_moves(
    risk: ScalarRisk, w: Vector, b: float, alphas: Vector, curvatures: Vector
) -> tuple[Vector, Vector, Vector, Vector, Vector]: ...
def scores_and_sum(risk: ScalarRisk, w: Vector, alphas: Vector) -> tuple[Vector, Vector]: ...

class ShortMoves:
    squares: Vector
    def __init__(self, risk: ScalarRisk) -> None: ...
    def moves(
        self, w: Vector, around: Vector, b: float, alphas: Vector, curvatures: Vector
    ) -> tuple[Vector, Vector, Vector, Vector, Vector]: ...
