"""Builders of boosting by linear programs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.boosting.edges import Edges, WeightBox
from rrmlinear.solvers.boosting.generation import ColumnGeneration, EdgeStopping
from rrmlinear.solvers.boosting.hypotheses import Column, Columns, Found, Hypotheses
from rrmlinear.solvers.boosting.linear_program import LinearProgram
from rrmlinear.solvers.boosting.master import AcceleratedMaster
from rrmlinear.solvers.boosting.stumps import Stump, Stumps

__all__ = [
    "Column",
    "ColumnGeneration",
    "Columns",
    "EdgeStopping",
    "Found",
    "Hypotheses",
    "Stump",
    "Stumps",
    "WeightBox",
    "boosting_solver",
]

Array = NDArray[np.float64]


def boosting_solver(
    hypotheses: Hypotheses,
    signs: Array,
    start: Array,
    caps: Any,
    lam: float,
    *,
    by_highs: bool = False,
) -> ColumnGeneration:
    """minimize λ Δ(w, start) + max_h Σ_i w_i y_i h(x_i) over 0 ≤ w_i ≤ cap_i, Σ w_i = 1.

    ``signs`` are y_i = ±1. ``by_highs`` solves the problem over the hypotheses found as a linear
    program, for λ = 0.
    """
    box = WeightBox(start, caps)
    master: Edges = LinearProgram(box, lam) if by_highs else AcceleratedMaster(box, lam)
    return ColumnGeneration(hypotheses, signs, master)
