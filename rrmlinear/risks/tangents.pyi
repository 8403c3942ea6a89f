import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.scalar import ScalarRisk

Vector = NDArray[np.float64]

def tangent(
    risk: ScalarRisk, w: Vector, b: float, rates: bool
) -> tuple[float, Vector, Vector, Vector | None, Vector, Vector | None]: ...
