"""Products with the second derivative of a smooth risk of chains."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.layouts.chains._chain_sums import marginal_changes

Array = NDArray[np.float64]


TOO_FAR = "no second derivatives: the transitions are too far apart"


class ChainHessian:
    """∇²F of a `ChainRisk` with τ > 0 at scores, as a function of the weights.

    A product changes the scores along w, the marginals with them by one more forward and backward
    way, and takes the gradient of these changes. Raises ValueError where transitions span more than
    the scaled recursions take, those with features of edges in a product.
    """

    def __init__(self, risk: Any, scores: Array) -> None:
        self.risk = risk
        self.nodes, pairs = risk.split(scores, risk.n)
        self.ready = risk.transitions(pairs, 1 / risk.loss.temperature)
        if self.ready.logarithms:
            raise ValueError(TOO_FAR)

    def product(self, v: Array) -> Array:
        """∇²F v."""
        risk, changes = self.risk, np.zeros(self.risk.n_scores)
        moves, pair_moves = risk.split(risk.scores(v), risk.n)
        out, pairs = risk.split(changes, risk.n)
        ready_moves = risk.transitions(pair_moves, 1.0, best=True)

        def some(part: int, begin: int, end: int) -> Array:
            more = np.zeros_like(pairs)
            given = (risk.sums, self.nodes, self.ready, moves, ready_moves)
            if not marginal_changes(*given, begin, end, out, more):
                raise ValueError(TOO_FAR)
            return more

        for more in risk.parts.run(some):
            pairs += more
        return np.asarray(risk.gradient(changes))
