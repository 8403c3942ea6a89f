"""Scores, dual steps and what they move, one after the other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def swept(
    risk: Any, w: Array, alphas: Array | float, curvature: float, value: bool = True
) -> tuple[Array, Array, float]:
    """What `ScalarRisk.sweep` returns, of any risk: it goes through the data twice."""
    scores = risk.scores(w)
    steps = risk.dual_steps(scores, alphas, curvature)
    return steps, risk.gradient(steps), risk.value(scores) if value else math.nan
