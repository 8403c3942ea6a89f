"""Losses of the order of all examples: of pairs within a query, and of times to an event.

``told_by`` says what gives the value: "pairs" of examples, or "risk sets".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

PAIRS, RISK_SETS = "pairs", "risk-sets"


@dataclass(frozen=True)
class PairLoss:
    """Σ over pairs i, j of a query with y_i > y_j of φ(s_i − s_j); ``name`` is that of φ."""

    name: str
    differentiable: bool
    #: The largest φ''; with a kink, that of φ smoothed by 1.
    steepness: float = 1.0
    told_by = PAIRS
    ranks = True
    smoothing = 0.0
    has_box = False


@dataclass(frozen=True)
class PartialLikelihood:
    """Minus the log partial likelihood of Cox, with the ties of Efron or those of Breslow."""

    efron: bool = False
    told_by = RISK_SETS
    ranks = True
    differentiable = True
    smoothing = 0.0
    has_box = False


#: What rows of the catalog build: the losses of differences, and minus the log partial likelihood.
rank_hinge = partial(PairLoss, "hinge", False)
rank_squared_hinge = partial(PairLoss, "squared-hinge", True, 2.0)
rank_logistic = partial(PairLoss, "logistic", True, 0.25)
cox_breslow, cox_efron = PartialLikelihood, partial(PartialLikelihood, True)
