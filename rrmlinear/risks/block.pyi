from collections.abc import Hashable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.block_base import BlockLoss
from rrmlinear.risks._class_rates import ClassRates
from rrmlinear.risks.base import Evaluation
from rrmlinear.risks.block_hessian import BlockHessian
from rrmlinear.risks.class_products import ClassProducts

Array = NDArray[np.float64]

class BlockRisk:
    labels: NDArray[np.int32]
    condition: Any
    products: ClassProducts
    rates_of_classes: ClassRates
    terms: BlockRisk
    rows: Rows
    loss: BlockLoss
    costs: Array
    threads: int
    smoothing: float
    def __new__(
        cls,
        rows: Rows,
        loss: BlockLoss,
        label: NDArray[np.int32],
        k: int,
        costs: Array,
        threads: int = 1,
        smoothing: float = 0.0,
        condition: Any = None,
    ) -> Self: ...
    @property
    def offers(self) -> frozenset[Hashable]: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def separate(self) -> tuple[int, int]: ...
    @property
    def lipschitz(self) -> float: ...
    def smoothed(self, smoothing: float) -> BlockRisk: ...
    def scores(self, w: Array) -> Array: ...
    def at(self, scores: Array, warm: Any = None) -> Evaluation: ...
    def total(self, scores: Array) -> float: ...
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
    def hessian(self, derivatives: Array) -> BlockHessian: ...
    def gram(self) -> Array: ...
    def gradient(self, derivatives: Array) -> Array: ...
    def conjugate(self, alphas: Array) -> float: ...
    def dual_steps(
        self, scores: Array, alphas: Array | float, curvatures: Array | float, warm: Any = None
    ) -> tuple[Array, Any]: ...
    def sweep(
        self,
        w: Array,
        alphas: Array | float,
        curvature: float,
        value: bool = True,
        warm: Any = None,
    ) -> tuple[Array, Array, float, Any]: ...
    def duals(self, alphas: Array) -> Array: ...
    def complete(self, w: Array, at: Evaluation | None = None) -> Array: ...
