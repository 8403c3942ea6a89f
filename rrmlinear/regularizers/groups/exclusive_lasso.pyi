from typing import Any

from numpy.typing import ArrayLike

from rrmlinear.regularizers.groups.over_groups import GroupNorm

class ExclusiveLasso(GroupNorm):
    def __init__(self, groups: Any = None, factors: ArrayLike | None = 1.0) -> None: ...
