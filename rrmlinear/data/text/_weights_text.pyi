import numpy as np
from numpy.typing import NDArray

FAULTS: tuple[str, ...]

def text_bound(rows: int, columns: int) -> int: ...
def format_weights(text: bytearray, weights: NDArray[np.float64]) -> int: ...
def parse_weights(
    text: bytearray, end: int, weights: NDArray[np.float64], row: int
) -> tuple[int, str, int, int]: ...
