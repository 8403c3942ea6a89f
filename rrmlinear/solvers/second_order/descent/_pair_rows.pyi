import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

class PairRows:
    n: int
    count: int
    block: int
    n_blocks: int
    def __init__(self, inverse: Array, count: int) -> None: ...
    def store(
        self,
        row: int,
        s: Array,
        t: float,
        factor: float,
        after: Array,
        before: Array,
        begin: int,
        end: int,
    ) -> Array: ...
    def products(self, known: int, g: Array, begin: int, end: int) -> Array: ...
    def combine(
        self, factors: Array, scale: float, g: Array, out: Array, begin: int, end: int
    ) -> None: ...

def regularize(g: Array, w: Array, modulus: float, begin: int, end: int) -> Array: ...
def products_of_two(w: Array, d: Array, begin: int, end: int) -> Array: ...
def move_along(w: Array, d: Array, t: float, out: Array, begin: int, end: int) -> None: ...
