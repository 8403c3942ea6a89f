import numpy as np
from numpy.typing import ArrayLike, NDArray

METHODS: tuple[str, ...]

class Plane:
    size: int
    least: float
    largest: float
    def __init__(
        self,
        m: ArrayLike,
        d: ArrayLike,
        lower: ArrayLike,
        upper: ArrayLike,
        s: ArrayLike,
        z: float,
        e: float = 0.0,
        *,
        rates: bool = False,
        absolute: bool = False,
        m_is_checked_later: bool = False,
        n: int | None = None,
        names: tuple[str, str, str, str, str] = ...,
    ) -> None: ...
    def reach(self) -> None: ...
    def sum_at(self, theta: float) -> float: ...
    def write(self, theta: float, out: NDArray[np.float64]) -> None: ...
    def root(self, method: str, low: float = ..., high: float = ...) -> float: ...
    def project(
        self, method: str, out: NDArray[np.float64], low: float = ..., high: float = ...
    ) -> float: ...

def clip_rows(x: ArrayLike, radius: float, method: str, out: NDArray[np.float64]) -> None: ...
def project_on_elastic_ball(
    x: NDArray[np.float64], gamma: float, radius: float, method: str, out: NDArray[np.float64]
) -> None: ...
