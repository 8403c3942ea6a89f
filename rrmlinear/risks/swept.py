"""Margins, dual steps and what they move, one after the other."""

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
    margins = risk.margins(w)
    steps = risk.dual_steps(margins, alphas, curvature)
    return steps, risk.gradient(steps), risk.value(margins) if value else math.nan
