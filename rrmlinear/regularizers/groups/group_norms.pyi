from typing import Any

from numpy.typing import ArrayLike

from rrmlinear.regularizers.groups.over_groups import GroupNorm

class L2Groups(GroupNorm): ...
class LinfGroups(GroupNorm): ...

class SparseGroups(GroupNorm):
    l1: float
    def __init__(
        self, groups: Any = None, factors: ArrayLike | None = None, l1: float = 1.0
    ) -> None: ...
