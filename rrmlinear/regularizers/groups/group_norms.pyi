from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rrmlinear.regularizers.base import Norm
from rrmlinear.regularizers.groups.partition import Partition

class GroupNorm(Norm):
    groups: Any
    factors: ArrayLike | None
    partition: Partition
    factor_array: NDArray[np.float64]
    def __init__(self, groups: Any = None, factors: ArrayLike | None = None) -> None: ...
    def on(self, partition: Partition) -> GroupNorm: ...

class L2Groups(GroupNorm): ...
class LinfGroups(GroupNorm): ...

class SparseGroups(GroupNorm):
    l1: float
    def __init__(
        self, groups: Any = None, factors: ArrayLike | None = None, l1: float = 1.0
    ) -> None: ...

class ExclusiveLasso(GroupNorm):
    def __init__(self, groups: Any = None, factors: ArrayLike | None = 1.0) -> None: ...
