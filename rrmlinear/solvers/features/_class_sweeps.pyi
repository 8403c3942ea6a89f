import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.block_base import BlockLoss

Matrix = NDArray[np.float64]

class ClassFeatureSweeps:
    def __init__(
        self,
        columns: Rows,
        loss: BlockLoss,
        label: NDArray[np.int32],
        costs: Matrix,
        k: int,
        modulus: float,
    ) -> None: ...
    def sweep(
        self,
        features: NDArray[np.int64],
        w: Matrix,
        scores: Matrix,
        derivatives: Matrix,
        promises: Matrix,
        least: float,
    ) -> float: ...
