from collections.abc import Hashable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.risks.base import Evaluation
from rrmlinear.risks.terms import ScalarTerms

Vector = NDArray[np.float64]

class ScalarRisk:
    rows: Rows
    loss: ScalarLoss
    terms: ScalarTerms
    labels: Vector
    costs: Vector
    threads: int
    spec: Any
    condition: Any
    bias: float
    def __new__(
        cls,
        rows: Rows,
        loss: ScalarLoss,
        y: Vector,
        costs: Vector,
        threads: int = 1,
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
    def smoothed(self, smoothing: float) -> ScalarRisk: ...
    def of_loss(self, loss: ScalarLoss) -> ScalarRisk: ...
    def scores(self, w: Vector) -> Vector: ...
    def at(self, scores: Vector, warm: Any = None) -> Evaluation: ...
    def gram(self, costs: Vector | None = None) -> Vector: ...
    def gradient(self, derivatives: Vector) -> Vector: ...
    def conjugate(self, alphas: Vector) -> float: ...
    def dual_steps(
        self,
        scores: Vector,
        alphas: Vector | float,
        curvatures: Vector | float,
        warm: Any = None,
    ) -> tuple[Vector, Any]: ...
    def sweep(
        self,
        w: Vector,
        alphas: Vector | float,
        curvature: float,
        value: bool = True,
        warm: Any = None,
    ) -> tuple[Vector, Vector, float, Any]: ...
    def duals(self, alphas: Vector) -> Vector: ...
    def complete(self, w: Vector, at: Evaluation | None = None) -> Vector: ...
