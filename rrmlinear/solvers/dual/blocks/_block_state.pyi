import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.losses.block_base import BlockLoss
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.dual.blocks._block_duals import BlockDuals

class BlockState:
    rows: Rows
    loss: BlockLoss
    regularizer: Regularizer
    panels: NDArray[np.float64]
    primal_panels: NDArray[np.float64]
    scale: float
    duals: BlockDuals
    conjugates: NDArray[np.float64]
    @property
    def weights(self) -> NDArray[np.float64]: ...
    @property
    def vector(self) -> NDArray[np.float64]: ...
    gaps: NDArray[np.float64]
    wakes: NDArray[np.int32]
    rises: NDArray[np.float64]
    n_threads: int
    out_of_memory: bool
    def __init__(
        self,
        rows: Rows,
        loss: BlockLoss,
        regularizer: Regularizer,
        label: NDArray[np.int32],
        n_classes: int,
        cost: NDArray[np.float64],
        curvature: NDArray[np.float64],
        n_threads: int,
    ) -> None: ...
    def measure(
        self,
        begin: int,
        end: int,
        thread: int,
        sums: NDArray[np.float64] | None = None,
        ranges: NDArray[np.float64] | None = None,
    ) -> float: ...
    def conjugate_of_regularizer(self) -> float: ...
    def retune(self, regularizer: Regularizer) -> None: ...
    def rebuild(self, z: NDArray[np.float64]) -> None: ...
    def in_order(self, vector: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def replace(
        self, indptr: NDArray[np.int64], classes: NDArray[np.int32], values: NDArray[np.float64]
    ) -> None: ...
    def start_from(
        self, indptr: NDArray[np.int64], classes: NDArray[np.int32], values: NDArray[np.float64]
    ) -> None: ...
