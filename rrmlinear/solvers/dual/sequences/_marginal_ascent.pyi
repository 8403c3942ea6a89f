import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows

Array = NDArray[np.float64]

class MarginalAscent:
    rows: Rows
    m: int
    k: int
    gaps: Array
    nodes: Array
    pairs: Array
    moved: int
    too_far: bool
    def __init__(
        self,
        rows: Rows,
        label: NDArray[np.int32],
        starts: NDArray[np.int64],
        k: int,
        cost: Array,
        modulus: float,
        distance: float,
        temperature: float,
        doubt: float,
        edges: Rows | None = None,
    ) -> None: ...
    def begin_pass(self) -> None: ...
    def sweep(self, order: NDArray[np.int64], begin: int, end: int, least: float) -> None: ...
    def measure(self, begin: int, end: int) -> float: ...
    def minus_conjugate(self) -> float: ...
    def combination(self) -> tuple[Array, Array]: ...
