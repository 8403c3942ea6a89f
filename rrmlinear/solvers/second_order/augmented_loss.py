"""The augmented Lagrangian of a sum of losses, which is smooth, about known duals."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class AugmentedLoss:
    """max over α' of Σ c_i [−φ*(−α_i') − s_i α_i' − ½ q (α_i' − α_i)²] in place of Σ c_i φ(s_i).

    With several scores the square is that of all numbers of α_i. The maximum is the loss smoothed
    by q at scores s − q α, less a constant. A smooth loss is taken as it is.
    """

    def __init__(self, risk: Any, alphas: Any) -> None:
        self.risk, self.alphas = risk, alphas
        #: q, the risk of losses smoothed by it, and q α; None without an augmented Lagrangian.
        self.smoothing, self.smooth = 0.0, risk
        self.shift: Any = None
        self.has_kinks = not risk.loss.differentiable

    @property
    def is_augmented(self) -> bool:
        """Whether the loss is replaced by its augmented Lagrangian."""
        return self.shift is not None

    def at(self, scores: Array, warm: Any) -> Any:
        """The losses at scores X w."""
        return self.smooth.at(scores if self.shift is None else scores - self.shift, warm)

    def scores_of(self, at: Any) -> Array:
        """X w where the losses are known."""
        scores: Array = at.scores if self.shift is None else at.scores + self.shift
        return scores

    def distance(self, at: Any) -> float:
        """How much of the value is due to the duals being wrong: Σ c_i ½ q (α_i' − α_i)²."""
        if not self.is_augmented:
            return 0.0
        return self.smoothing / 2 * float(at.square(at.derivatives + self.alphas))

    def smooth_by(self, smoothing: float) -> None:
        """Set q. A smooth loss is taken as it is once q is small compared with its own."""
        if not self.has_kinks and smoothing < self.risk.loss.smoothing:
            self.smoothing, self.smooth, self.shift = 0.0, self.risk, None
            return
        self.smoothing, self.smooth = smoothing, self.risk.smoothed(smoothing)
        self.shift = smoothing * self.alphas
