from typing import Any

from numpy import float64
from numpy.typing import NDArray

class PieceDuals:
    n: int
    def __init__(
        self,
        pieces: list[tuple[Any, Any, Any, Any]],
        costs: NDArray[float64],
        smoothing: float,
        scales: list[Any] | None = None,
        z: float = 0.0,
    ) -> None: ...
    def lines(
        self,
        scores: NDArray[float64],
        alphas: NDArray[float64] | float,
        curvatures: NDArray[float64] | float,
        guess: float,
        at_most: bool = False,
    ) -> tuple[NDArray[float64], float]: ...
    def steps(
        self, scores: NDArray[float64], guess: float, move: float
    ) -> tuple[NDArray[float64], float]: ...
    def scaled_steps(
        self, scores: NDArray[float64], guess: float, move: float, at_most: bool = False
    ) -> tuple[NDArray[float64], float]: ...
