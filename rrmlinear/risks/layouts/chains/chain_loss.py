"""Losses of labellings: the log-loss of CRFs and the structured hinge of M³N, and all between."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial


@dataclass(frozen=True)
class ChainLoss:
    """φ(s) = τ log Σ_y exp((s(y) + δ · Hamming distance of y) / τ) − s(true labels).

    δ is ``distance``, τ ``temperature``; for τ = 0 it is the largest score, with the distance.
    """

    distance: float
    temperature: float

    @property
    def smoothing(self) -> float:
        """τ: the modulus of φ*, in the entropy of labellings; 0 for a loss with a kink."""
        return self.temperature

    @property
    def differentiable(self) -> bool:
        """Whether the loss has no kink."""
        return self.temperature > 0

    def smoothed(self, smoothing: float) -> ChainLoss:
        """The loss with ``smoothing`` times the entropy of the labelling added."""
        return replace(self, temperature=self.temperature + smoothing)


#: The negative log-likelihood of a linear-chain conditional random field, as the catalog builds it.
log_loss = partial(ChainLoss, 0.0, 1.0)
LOG_LOSS = log_loss()
#: The structured hinge of max-margin Markov networks, with Hamming distance, of a smoothing.
structured_hinge = partial(ChainLoss, 1.0)
STRUCTURED_HINGE = structured_hinge(0.0)
