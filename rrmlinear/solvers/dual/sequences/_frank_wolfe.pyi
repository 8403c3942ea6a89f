import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.solvers.dual.sequences.mixtures import Mixtures

Array = NDArray[np.float64]
Places = NDArray[np.int64]
Labels = NDArray[np.int32]

class FrankWolfe:
    rows: Rows
    m: int
    k: int
    gaps: Array
    nodes: Array
    pairs: Array
    moved: int
    risen: float
    mixtures: Mixtures
    out_of_memory: bool
    def __init__(
        self,
        rows: Rows,
        label: Labels,
        starts: Places,
        k: int,
        cost: Array,
        modulus: float,
        edges: Rows | None = None,
    ) -> None: ...
    def begin_pass(self, number: int, seed: int) -> Places: ...
    def wake_above(self, quiet: float) -> None: ...
    def sweep(
        self,
        order: Places,
        begin: int,
        end: int,
        least: float,
        number: int,
        quiet: float,
        calm: float,
    ) -> None: ...
    def resweep(self, order: Places, begin: int, end: int) -> None: ...
    def measure(self, begin: int, end: int) -> float: ...
    def minus_conjugate(self) -> float: ...
    def combination(self) -> tuple[Array, Array]: ...
