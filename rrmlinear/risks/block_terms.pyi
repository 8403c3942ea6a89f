import numpy as np
from numpy.typing import NDArray

from rrmlinear.losses.block_base import BlockLoss
from rrmlinear.risks._class_rates import ClassRates

Array = NDArray[np.float64]

class BlockTerms:
    loss: BlockLoss
    labels: NDArray[np.int32]
    costs: Array
    k: int
    smoothing: float
    rates_of_classes: ClassRates
    def __init__(
        self,
        loss: BlockLoss,
        label: NDArray[np.int32],
        k: int,
        costs: Array,
        smoothing: float = 0.0,
    ) -> None: ...
    def total(self, scores: Array) -> float: ...
    def total_at_zero(self) -> float: ...
    def derivatives(self, scores: Array) -> Array: ...
    def tangent(self, scores: Array) -> tuple[float, Array]: ...
    def along(
        self,
        scores: Array,
        moves: Array,
        x: float,
        value: bool,
        rates: Array | None = None,
    ) -> tuple[float, float, Array, Array]: ...
    def rates(
        self, scores: Array, moves: Array, x: float, some: NDArray[np.int64], rates: Array
    ) -> None: ...
    def conjugate(self, alphas: Array) -> float: ...
    def dual_steps(
        self, scores: Array, alphas: Array | float, curvatures: Array | float
    ) -> Array: ...
