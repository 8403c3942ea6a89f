import numpy as np
from numpy.typing import NDArray

FAULTS: tuple[str, ...]

def text_bound(rows: int, lines: int, columns: int) -> int: ...
def format_alike(
    text: bytearray,
    weights: NDArray[np.float64],
    rows: NDArray[np.int64],
    begins: NDArray[np.int64],
) -> int: ...
def parse_alike(
    text: bytearray, end: int, weights: NDArray[np.float64], seen: NDArray[np.uint8]
) -> tuple[int, str, int]: ...
