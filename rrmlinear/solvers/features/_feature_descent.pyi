import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows

class FeatureSweeps:
    columns: Rows
    weights: NDArray[np.float64]
    residual: NDArray[np.float64]
    moved: int
    shift: float
    def __init__(
        self,
        columns: Rows,
        curvature: NDArray[np.float64],
        unit: NDArray[np.float64],
        means: NDArray[np.float64],
        totals: NDArray[np.float64],
        linear: NDArray[np.float64],
        l1: float,
        modulus: float,
    ) -> None: ...
    def sweep(self, features: NDArray[np.int64]) -> float: ...
    def move(self, features: NDArray[np.int64], weights: NDArray[np.float64]) -> None: ...
    def products(self, features: NDArray[np.int64]) -> NDArray[np.float64]: ...
    def lengths(self, target: NDArray[np.float64]) -> tuple[float, float]: ...
    def penalty(self, features: NDArray[np.int64]) -> float: ...

def residual_lengths(
    residual: NDArray[np.float64],
    shift: float,
    unit: NDArray[np.float64],
    target: NDArray[np.float64],
) -> tuple[float, float]: ...
def elastic_net(
    weights: NDArray[np.float64], features: NDArray[np.int64], l1: float, modulus: float
) -> float: ...
def products_and_spreads(
    columns: Rows, unit: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def residual_products(
    rows: Rows,
    w: NDArray[np.float64],
    y: NDArray[np.float64],
    level: float,
    costs: NDArray[np.float64],
    residual: NDArray[np.float64],
) -> NDArray[np.float64]: ...
