from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Labels = NDArray[np.int32]

class Messages:
    def __init__(self, cliques: Any) -> None: ...
    def best(
        self, nodes: Array, tables: Array, labels: Labels, values: Array, begin: int, end: int
    ) -> None: ...
    def sums(
        self,
        nodes: Array,
        tables: Array,
        mu: float,
        costs: Array,
        of_nodes: Array,
        of_tables: Array,
        values: Array,
        begin: int,
        end: int,
    ) -> None: ...
    def add(
        self,
        labels: Labels,
        costs: Array,
        of_nodes: Array,
        of_tables: Array,
        begin: int,
        end: int,
    ) -> None: ...
