import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows

Array = NDArray[np.float64]
Places = NDArray[np.int64]

class ClassSums:
    rows: Rows
    k: int
    active: Places
    begin: Places
    classes: NDArray[np.int32]
    rates: Array
    shares: Array
    def __init__(
        self,
        rows: Rows,
        k: int,
        active: Places,
        begin: Places,
        classes: NDArray[np.int32],
        rates: Array,
        shares: Array,
        root: Array,
        tilt: Array,
    ) -> None: ...
    @property
    def size(self) -> int: ...
    def padded(self) -> Array: ...
    def forward(self, p: Array, terms: Array | None = None, sums: Array | None = None) -> None: ...
    def backward(self, y: Array, sums: Array) -> None: ...
    def diagonal(self) -> Array: ...
    def of_ones(self) -> Array: ...
    def by_classes(self, begin: int, end: int) -> tuple[Array, Array]: ...
    def copied(self, begin: int, end: int) -> Array: ...
    def products(self, some: Places, g: Array) -> Array: ...
    def add_products(
        self, terms: Places, places: Places, signs: Array, products: Array, out: Array
    ) -> None: ...
    def bind(self, out: Array) -> None: ...
