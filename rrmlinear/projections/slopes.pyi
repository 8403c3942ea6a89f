from collections.abc import Callable

class Slope: ...

def nearly_lowest(
    derivative: Callable[[float], float],
    part: float,
    rose: Callable[[float], bool] | None = None,
) -> float: ...
