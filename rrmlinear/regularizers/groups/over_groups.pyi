from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rrmlinear.regularizers.groups.norm import Norm
from rrmlinear.regularizers.groups.partition import Partition

class GroupNorm(Norm):
    groups: Any
    factors: ArrayLike | None
    partition: Partition
    factor_array: NDArray[np.float64]
    def __init__(self, groups: Any = None, factors: ArrayLike | None = None) -> None: ...
    def on(self, partition: Partition) -> GroupNorm: ...
