import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows

def text_bound(rows: int, stored: int) -> int: ...
def write_rows(
    text: bytearray,
    rows: Rows,
    begin: int,
    end: int,
    labels: NDArray[np.float64],
    query_ids: NDArray[np.int64] | None,
) -> int: ...
