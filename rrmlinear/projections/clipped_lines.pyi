from numpy.typing import ArrayLike

def root(
    p: ArrayLike,
    rate: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    e: float = 0.0,
    z: float = 0.0,
) -> float: ...
