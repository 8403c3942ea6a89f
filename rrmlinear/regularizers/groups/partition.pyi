import numpy as np
from numpy.typing import ArrayLike, NDArray

class Partition:
    starts: NDArray[np.intp] | None
    indices: NDArray[np.intp] | None
    length: int
    given: int
    sizes: NDArray[np.intp] | None
    def __init__(
        self,
        starts: ArrayLike | None = None,
        indices: ArrayLike | None = None,
        size: int = 0,
        length: int = 0,
        given: int | None = None,
    ) -> None: ...
    def members(self, n: int) -> list[NDArray[np.intp]]: ...
