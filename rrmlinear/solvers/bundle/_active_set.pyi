from typing import Any

from numpy.typing import ArrayLike, NDArray

class ActiveSet:
    def grow(self, capacity: int) -> None: ...

def grown(old: ArrayLike, shape: tuple[int, ...]) -> NDArray[Any]: ...
