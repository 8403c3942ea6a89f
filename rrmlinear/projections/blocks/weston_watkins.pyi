from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

METHODS: tuple[str, ...]

def weston_watkins_block(
    v: ArrayLike,
    upper: float,
    method: Literal["knapsack", "walrus", "shark", "median"] = "knapsack",
    guess: float | None = None,
) -> NDArray[np.float64]: ...
