import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

def pair_hinges(positive: Vector, negative: Vector) -> tuple[float, Vector]: ...
def smooth_pairs(positive: Vector, negative: Vector, mu: float) -> tuple[float, Vector]: ...
