import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

def few_column_products(
    values: Array,
    indices: NDArray[np.int32],
    starts: NDArray[np.int64],
    matrix: Array,
    first: Array,
    out: Array,
    part: int,
    begin: int,
    end: int,
) -> None: ...
def observed_scores(
    values: Array,
    indices: NDArray[np.int32],
    starts: NDArray[np.int64],
    begins: NDArray[np.int64],
    label: NDArray[np.int32],
    weights: Array,
    out: Array,
    part: int,
    begin: int,
    end: int,
) -> None: ...
def observed_gradient(
    values: Array,
    indices: NDArray[np.int32],
    starts: NDArray[np.int64],
    begins: NDArray[np.int64],
    label: NDArray[np.int32],
    derivatives: Array,
    out: Array,
    part: int,
    begin: int,
    end: int,
) -> None: ...
