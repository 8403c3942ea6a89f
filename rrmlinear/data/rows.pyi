from typing import Any

import numpy as np
from numpy.typing import NDArray

class Rows:
    bias: float
    values: NDArray[Any]
    indices: NDArray[Any] | None
    indptr: NDArray[Any] | None
    def __init__(
        self,
        values: NDArray[Any],
        indices: NDArray[Any] | None,
        indptr: NDArray[Any] | None,
        n_features: int,
        bias: float = -1.0,
    ) -> None: ...
    @property
    def is_dense(self) -> bool: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def width(self) -> int: ...
    @property
    def n_stored(self) -> int: ...
    def with_bias(self, bias: float) -> Rows: ...
    def lengths(self) -> NDArray[np.int64]: ...
    def squared_norms(self) -> NDArray[np.float64]: ...
    def find_fault(self) -> tuple[tuple[str, int, int] | None, bool]: ...
