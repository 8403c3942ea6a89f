import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.scalar import ScalarRisk

Vector = NDArray[np.float64]

class ShortTangents:
    centre: Vector
    lengths: Vector
    def __init__(self, risk: ScalarRisk, centre: Vector, lengths: Vector) -> None: ...
    def taken(self, chosen: NDArray[np.int64]) -> NDArray[np.float32]: ...
    def gram(self, chosen: NDArray[np.int64], roots: Vector) -> tuple[Vector, Vector] | None: ...
    def sizes(self) -> tuple[Vector, Vector, Vector]: ...
    def tangent(
        self, w: Vector, b: float, rates: bool
    ) -> tuple[float, Vector, Vector, Vector | None, Vector, Vector | None]: ...
