import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.dual._running_average import RunningAverage

class DualState:
    rows: Rows
    loss: ScalarLoss
    regularizer: Regularizer
    dual_vector: NDArray[np.float64]
    alphas: NDArray[np.float64]
    gaps: NDArray[np.float64]
    curvatures: NDArray[np.float64]
    first: NDArray[np.float64]
    wakes: NDArray[np.int32]
    average: RunningAverage | None
    n_copies: int
    def __init__(
        self,
        rows: Rows,
        loss: ScalarLoss,
        regularizer: Regularizer,
        y: NDArray[np.float64],
        cost: NDArray[np.float64],
        curvature: NDArray[np.float64],
        option: str = "maximum",
        average: RunningAverage | None = None,
        n_copies: int = 1,
    ) -> None: ...
    def start_from(
        self, alphas: NDArray[np.float64], vector: NDArray[np.float64] | None = None
    ) -> None: ...
    def combination(self, alphas: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def resume(self) -> None: ...
    @property
    def moved(self) -> int: ...
    @property
    def gap_sum(self) -> float: ...
    @property
    def conjugate_sum(self) -> float: ...
    def conjugates(self) -> float: ...
    def measure(
        self,
        w: NDArray[np.float64],
        scores: NDArray[np.float64] | None = None,
        begin: int = 0,
        end: int = -1,
        sums: NDArray[np.float64] | None = None,
        knows: bool = False,
        reach: NDArray[np.float64] | None = None,
        away: float = ...,
    ) -> float: ...
    def retune(self, regularizer: Regularizer) -> None: ...
    def sizes(self, bound: float) -> tuple[float, int, int]: ...
    def add_up(self) -> None: ...
    def wake_above(self, quiet: float) -> None: ...
    def rest_below(self, quiet: float, number: int) -> None: ...
