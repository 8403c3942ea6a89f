from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

def most_violated(low: Vector, high: Vector, ratio: Any) -> tuple[float, int, int]: ...
def loss_at(ratio: Any, n: int, b: int, c: int) -> float: ...
def law_of_counts(
    lost: Vector, gained: Vector, ratio: Any, P: int, N: int, mu: float
) -> tuple[Vector, Vector, float, float]: ...
