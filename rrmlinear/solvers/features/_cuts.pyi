from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows

def cut_rows(rows: Rows, features: NDArray[np.int64]) -> Rows: ...
def scaled_columns(rows: Rows, factors: NDArray[np.float64]) -> Rows: ...
def scaled_lines(
    columns: Rows,
    features: NDArray[np.int64],
    means: NDArray[np.float64],
    factors: NDArray[np.float64],
    unit: NDArray[np.float64],
    begin: int,
    out: NDArray[Any],
) -> None: ...
def scaled_rows(
    rows: Rows,
    features: NDArray[np.int64],
    means: NDArray[np.float64],
    factors: NDArray[np.float64],
    unit: NDArray[np.float64],
    begin: int,
    out: NDArray[Any],
) -> None: ...
