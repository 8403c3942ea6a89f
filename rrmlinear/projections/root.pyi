from numpy.typing import ArrayLike

def knapsack_root(
    p: ArrayLike,
    slope: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    e: float = 0.0,
    z: float = 0.0,
) -> float: ...
