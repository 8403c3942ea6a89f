import numpy as np
from numpy.typing import ArrayLike, NDArray

from rrmlinear.losses.base import ScalarLoss

class ResidualLoss(ScalarLoss): ...
class Squared(ResidualLoss): ...

class Absolute(ResidualLoss):
    def __init__(self, smoothing: float = 0.0) -> None: ...

class EpsilonInsensitive(ResidualLoss):
    def __init__(self, epsilon: float = 0.1, smoothing: float = 0.0) -> None: ...

class SquaredEpsilonInsensitive(ResidualLoss):
    def __init__(self, epsilon: float = 0.1) -> None: ...

class Huber(ResidualLoss):
    def __init__(self, delta: float = 1.0, smoothing: float = 1.0) -> None: ...

class Quantile(ResidualLoss):
    def __init__(self, quantile: float = 0.5, smoothing: float = 0.0) -> None: ...

class OrdinalHinge(ScalarLoss):
    thresholds: NDArray[np.float64]
    def __init__(self, thresholds: ArrayLike, smoothing: float = 0.0) -> None: ...

class Deviance(ScalarLoss):
    power: float
    def __init__(self, power: float) -> None: ...
