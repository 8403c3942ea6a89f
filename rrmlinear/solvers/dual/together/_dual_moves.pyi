import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.scalar import ScalarRisk

Vector = NDArray[np.float64]

def dual_moves(
    risk: ScalarRisk, w: Vector, b: float, alphas: Vector, curvatures: Vector
) -> tuple[Vector, Vector, Vector, Vector, Vector]: ...
