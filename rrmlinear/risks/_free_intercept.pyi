from numpy import float64
from numpy.typing import NDArray

class BoxDuals:
    def __init__(
        self,
        y: NDArray[float64],
        costs: NDArray[float64],
        lower: NDArray[float64],
        upper: NDArray[float64],
        epsilon: float,
        smoothing: float,
    ) -> None: ...
    def lines(
        self,
        margins: NDArray[float64],
        alphas: NDArray[float64] | float,
        curvatures: NDArray[float64] | float,
        guess: float,
    ) -> tuple[NDArray[float64], float]: ...
    def steps(
        self, margins: NDArray[float64], guess: float, move: float
    ) -> tuple[NDArray[float64], float]: ...
