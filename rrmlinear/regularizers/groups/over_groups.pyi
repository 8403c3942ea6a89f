from typing import Any

from numpy.typing import ArrayLike

from rrmlinear.regularizers.groups.norm import Norm
from rrmlinear.regularizers.groups.partition import Partition

class GroupNorm(Norm):
    groups: Any
    factors: ArrayLike | None
    partition: Partition
    def __init__(self, groups: Any = None, factors: ArrayLike | None = None) -> None: ...
    def on(self, partition: Partition) -> GroupNorm: ...
