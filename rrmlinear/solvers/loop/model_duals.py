"""Duals of a quadratic model of F, which are as good as those of the next Newton step."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.base import Conditioned, Evaluation, Unconditioned
from rrmlinear.solvers.loop.inner import inner

Array = NDArray[np.float64]

# Duals beyond the bounds of the loss, as a fraction of all, from which the model is far from F.
MAX_OUTSIDE = 0.01


def duals_of_model(risk: Any, at: Evaluation, moves: Array, after: Evaluation) -> Array | None:
    """α_i = −φ'(s_i) − φ''(s_i) d_i at the minimizer of a model of F at the scores s of ``at``.

    ``moves`` are the changes d of the scores to the minimizer; duals beyond the bounds of the loss
    are those of F ``after`` the step. Σ c_i α_i x_i is that of the model's optimum, so that the
    dual value lacks what the model does; the duals of F after the step have another Σ, and lack
    more. With a free intercept d is that at the model's best one, and no dual may be beyond the
    bounds. None for several scores and several conditions, and where the model is far off.
    """
    if risk.costs.ndim > 1:
        return None
    most = MAX_OUTSIDE * len(risk.costs)
    if not isinstance(at, Unconditioned):
        if "balance" not in risk.offers or not isinstance(at, Conditioned):
            return None
        directions = at.condition.directions(at.best)
        if len(directions) != 1:
            return None
        free, h = directions[0], at.curvatures
        size = inner(h * free, free)
        moves, most = moves - free * (inner(h * free, moves) / size) if size > 0 else moves, 0.0
    given = at.derivatives, at.curvatures, moves, after.derivatives
    alphas, beyond = at.terms.model_duals(*given)
    return None if beyond > most else alphas
