import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.layouts._chain_sums import ChainSums, Transitions

Array = NDArray[np.float64]

def marginal_changes(
    sums: ChainSums,
    nodes: Array,
    T: Transitions,
    moves: Array,
    pair_moves: Array,
    begin: int,
    end: int,
    out: Array,
    pairs: Array,
) -> None: ...
