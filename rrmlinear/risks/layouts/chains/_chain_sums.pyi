import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.layouts.chains._transitions import Transitions

Array = NDArray[np.float64]
Labels = NDArray[np.int32]

class ChainSums:
    k: int
    distance: float
    def __init__(
        self,
        label: Labels,
        starts: NDArray[np.int64],
        k: int,
        costs: Array,
        distance: float = 0.0,
    ) -> None: ...
    def log_sums(
        self,
        nodes: Array,
        T: Transitions,
        begin: int,
        end: int,
        out: Array,
        marginals: Array | None = None,
        pairs: Array | None = None,
    ) -> None: ...
    def best(
        self,
        nodes: Array,
        T: Transitions,
        begin: int,
        end: int,
        out: Array,
        labels: Labels,
    ) -> None: ...
    def scores_of(
        self, nodes: Array, T: Transitions, labels: Labels, begin: int, end: int, out: Array
    ) -> None: ...
    def subtract(
        self,
        labels: Labels,
        factor: float,
        T: Transitions,
        begin: int,
        end: int,
        nodes: Array,
        pairs: Array,
    ) -> None: ...
    def cost_times(self, nodes: Array, begin: int, end: int) -> None: ...

def best_labellings(nodes: Array, T: Array, most: int) -> tuple[Array, Labels]: ...
