from collections.abc import Hashable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import BlockLoss
from rrmlinear.risks.base import Evaluation

Array = NDArray[np.float64]

class BlockRisk:
    offers: frozenset[Hashable]
    rows: Rows
    loss: BlockLoss
    costs: Array
    threads: int
    def __new__(
        cls,
        rows: Rows,
        loss: BlockLoss,
        label: NDArray[np.int32],
        k: int,
        costs: Array,
        threads: int = 1,
    ) -> Self: ...
    @property
    def terms(self) -> BlockRisk: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def separate(self) -> tuple[int, int]: ...
    def scores(self, w: Array) -> Array: ...
    def at(self, scores: Array, warm: Any = None) -> Evaluation: ...
    def total(self, scores: Array) -> float: ...
    def derivatives(self, scores: Array) -> Array: ...
    def tangent(self, scores: Array) -> tuple[float, Array]: ...
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
