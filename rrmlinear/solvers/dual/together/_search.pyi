import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.scalar import ScalarRisk

Vector = NDArray[np.float64]

def best_multiples(
    risk: ScalarRisk, alphas: Vector, moves: Vector, gram: Vector, slope: Vector, size: float
) -> Vector: ...
