import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.layouts.chains._chain_sums import ChainSums
from rrmlinear.risks.layouts.chains._transitions import Transitions

Array = NDArray[np.float64]

def marginal_changes(
    sums: ChainSums,
    nodes: Array,
    T: Transitions,
    moves: Array,
    pair_moves: Transitions,
    begin: int,
    end: int,
    out: Array,
    pairs: Array,
) -> bool: ...
