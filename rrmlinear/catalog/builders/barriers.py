"""The stage of Newton's method on barriers: which tasks it takes, and how one becomes it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from rrmlinear.core.loading import loading
from rrmlinear.losses.base import ScalarLoss
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.second_order.limits import (
    MAX_CLASS_FEATURES,
    MAX_FACTORIZED,
    MAX_GRAM_FRACTION,
)


def _inside(loss: Any) -> Callable[[float], Any] | None:
    """The loss under a barrier of a given μ; None for a smooth loss.

    Raises TypeError for losses without a barrier.
    """
    if loss.smoothing > 0:
        return None
    with loading:
        from rrmlinear.losses.barrier import CrammerSingerInside, PiecesInside, WestonWatkinsInside
        from rrmlinear.losses.multiclass import CrammerSinger, WestonWatkins

    if isinstance(loss, ScalarLoss):
        return partial(PiecesInside, loss)
    if isinstance(loss, CrammerSinger):
        return CrammerSingerInside
    if isinstance(loss, WestonWatkins):
        return WestonWatkinsInside
    raise TypeError(f"no barrier of {type(loss).__name__} is known")


def interior_applies(task: Task) -> bool:
    """Whether Newton's method on barriers takes this task: a norm, whose matrix is factorized."""
    omega, loss = task.regularizer, task.loss
    if task.risk is not None or task.rows.blocks is not None or task.choices.budget is not None:
        return False
    if not loss.smoothing > 0:
        if task.n_classes is None and loss.pieces(np.ones(1)) is None:
            return False
        if task.n_classes is not None:
            with loading:
                from rrmlinear.losses.multiclass import CrammerSinger, WestonWatkins

            is_known = isinstance(loss, (CrammerSinger, WestonWatkins))
            if not is_known or task.choices.free_bias:
                return False
    if omega.quadratic_l1 == 0 or barred_unknowns(task) > MAX_CLASS_FEATURES:
        return False
    with loading:
        from rrmlinear.regularizers.barriers import has_barrier

    return has_barrier(omega)


def barred_unknowns(task: Task) -> int:
    """The rows of the matrix that a step of Newton's method on barriers factorizes: the weights, or
    the duals of the examples where these are few.
    """
    with loading:
        from rrmlinear.regularizers.spectral import Spectral

    weights = task.rows.width * (task.n_classes or 1)
    duals = task.rows.n * max(1, (task.n_classes or 1) - 1)
    few = duals <= MAX_GRAM_FRACTION * weights and weights <= MAX_FACTORIZED
    return duals if few and not isinstance(task.regularizer, Spectral) else weights


def interior(task: Task) -> Solver:
    """Newton's method on barriers."""
    with loading:
        from rrmlinear.solvers.second_order.interior import InteriorPoints

    return InteriorPoints(task.whole(0), task.regularizer, _inside(task.loss))
