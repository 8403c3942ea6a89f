"""The first weights and duals of a solver: those of another run, as the loss allows, or zero."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rrmlinear.losses.base import ScalarLoss
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.risks.base import Evaluation, Unconditioned
from rrmlinear.solvers.loop.inner import Array

# The curvature of the dual step that moves duals into their domain: so large that they move little.
REPAIR_CURVATURE = 1e9


def first_weights(
    risk: Any, regularizer: Regularizer, weights: Array | None, alphas: Array | None = None
) -> tuple[Array, Evaluation]:
    """(w, F(w)) at the weights given, at those that duals give, ∇Ω*(Σ c_i α_i x_i), or at 0.

    The first two are taken if their primal is below that at 0; the lower of them wins. Duals give
    weights where Ω is strongly convex.
    """
    w = np.zeros(risk.shape)
    at = risk.at(scores_at_zero(risk))
    if isinstance(at, Unconditioned):
        at.value = risk.terms.total_at_zero()
    best = at.value + regularizer.value_of(w.ravel())
    candidates = [] if weights is None else [np.array(weights, dtype=np.float64)]
    if alphas is not None and regularizer.modulus > 0:
        candidates.append(regularizer.primal_of(risk.gradient(alphas).ravel()))
    for candidate in candidates:
        other = candidate.reshape(risk.shape)
        there = risk.at(risk.scores(other))
        value = there.value + regularizer.value_of(other.ravel())
        if value < best:
            w, at, best = other, there, value
    return w, at


def scores_at_zero(risk: Any) -> Array:
    """The scores at w = 0; a risk without rows here makes them as others."""
    if getattr(risk, "rows", None) is None:
        scores: Array = risk.scores(np.zeros(risk.shape))
        return scores
    n = getattr(risk, "n_scores", len(risk.costs))
    return np.zeros(n if risk.costs.ndim == 1 else (n, risk.shape[-1]))


def loss_at_zero(risk: Any) -> float:
    """Σ c_i φ at w = 0 and intercepts of 0."""
    terms = getattr(risk, "terms", None)
    if terms is None:
        return float(risk.at(scores_at_zero(risk)).value)
    known = getattr(terms, "total_at_zero", None)
    loss: float = terms.total(scores_at_zero(risk)) if known is None else known()
    return loss


def nearest_duals(risk: Any, alphas: Array, scores: Array) -> Array:
    """Feasible duals near ``alphas``, which may be infeasible, as those of another problem."""
    if math.isfinite(risk.conjugate(alphas)):
        return alphas
    return risk.dual_steps(scores, alphas, REPAIR_CURVATURE)[0]


def checked_start(start: Array, loss: ScalarLoss, y: Array) -> Array:
    """The duals to begin from, the nearest allowed ones. ValueError for another shape than that of
    the labels, and for numbers that are not finite.
    """
    duals = np.asarray(start, dtype=np.float64)
    if duals.shape != (len(y),):
        raise ValueError(
            f"the duals to start from have shape {duals.shape}, but there are {len(y)} examples"
        )
    if not np.isfinite(duals).all():
        worst = int(np.flatnonzero(~np.isfinite(duals))[0])
        raise ValueError(f"start[{worst}] is {duals[worst]}; duals must be finite")
    return nearest_allowed(duals, loss, y)


def nearest_allowed(duals: Array, loss: ScalarLoss, y: Array) -> Array:
    """The duals, with the nearest allowed one for each that the loss does not allow."""
    beyond = np.isinf(loss.conjugates(y, duals))
    if not beyond.any():
        return duals
    duals = duals.copy()
    duals[beyond] = loss.dual_steps(y[beyond], 0.0, duals[beyond], REPAIR_CURVATURE)
    return duals
