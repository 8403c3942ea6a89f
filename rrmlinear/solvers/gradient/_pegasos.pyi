import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.scalar import ScalarRisk

class SubgradientDescent:
    steps_made: int
    def __init__(
        self,
        risk: ScalarRisk,
        drawn: NDArray[np.int64],
        modulus: float,
        radius: float,
        batch: int,
        averaging: bool,
        seed: int,
    ) -> None: ...
    def steps(self, count: int, order: NDArray[np.int64] | None = None) -> None: ...
    def last(self) -> NDArray[np.float64]: ...
    def average(self) -> NDArray[np.float64]: ...
    def mean_derivatives(self, others: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def forget_derivatives(self) -> None: ...
