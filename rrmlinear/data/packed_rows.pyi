from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.blocks import RowBlocks
from rrmlinear.data.rows import Rows

class PackedRows(Rows):
    decimals: int
    def __init__(
        self,
        values: NDArray[Any],
        indices: NDArray[Any],
        indptr: NDArray[Any],
        n_features: int,
        bias: float = -1.0,
        blocks: RowBlocks | None = None,
        *,
        decimals: int,
    ) -> None: ...

class ShortRows(Rows):
    units: NDArray[np.float32]
    def __init__(
        self,
        values: NDArray[Any],
        indices: NDArray[Any],
        indptr: NDArray[Any],
        n_features: int,
        bias: float = -1.0,
        blocks: RowBlocks | None = None,
        *,
        units: NDArray[np.float32],
    ) -> None: ...
