import numpy as np
from numpy.typing import ArrayLike, NDArray

class BlockLoss:
    cost: float
    smoothing: float
    def lipschitz(self, k: int) -> float: ...
    def smoothed(self, smoothing: float) -> BlockLoss: ...
    def values(self, scores: ArrayLike, labels: ArrayLike) -> NDArray[np.float64]: ...
    def derivatives(self, scores: ArrayLike, labels: ArrayLike) -> NDArray[np.float64]: ...
    def conjugates(
        self, blocks: ArrayLike, labels: ArrayLike, weights: ArrayLike = 1.0
    ) -> NDArray[np.float64]: ...
    def gaps(
        self, scores: ArrayLike, labels: ArrayLike, blocks: ArrayLike, weights: ArrayLike = 1.0
    ) -> NDArray[np.float64]: ...
    def confined(
        self, blocks: ArrayLike, labels: ArrayLike, weights: ArrayLike = 1.0
    ) -> NDArray[np.float64]: ...
    def solve_blocks(
        self,
        scores: ArrayLike,
        labels: ArrayLike,
        blocks: ArrayLike,
        curvatures: ArrayLike,
        weights: ArrayLike = 1.0,
    ) -> NDArray[np.float64]: ...
