"""What a summary of an estimator is computed from: derivatives of its loss at its weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.exports.exported import INTERCEPT
from rrmlinear.exports.scorer import Scorer
from rrmlinear.exports.summary import Setting

Array = NDArray[np.float64]
#: Regularizers with a second derivative, that of ½‖w‖², and those that hold weights at 0.
CURVATURES = {"l2": 1.0, "elastic-net": 1.0, "l1": 0.0}
KINKED = ("elastic-net", "l1")
#: Choices that leave weights at a border, where second derivatives do not tell their errors.
BORDERS = ("lower", "upper", "budget", "radius", "penalty_factors", "unpenalized")


def setting_of(model: Any, X: Any, y: Any, prepared: Any, offset: Any = None) -> Setting:
    """That of a fitted estimator on its rows X with labels y, whose scores have an offset each;
    ``prepared`` are their problem and choices.

    Raises ValueError for a loss with kinks, and for other regularizers.
    """
    from scipy.sparse import csr_array, hstack, issparse

    scorer, (problem, chosen) = model._scorer(), prepared
    _check(chosen)
    choices, weights = chosen.choices, scorer.dense
    name = chosen.loss_row.name
    costs = np.ones(len(y)) if problem.weights is None else np.asarray(problem.weights)
    scores = np.asarray(X @ weights.T) + scorer.intercepts
    if offset is not None:  # −∞ for an exposure of 0
        scores += np.maximum(offset, -600.0)[:, np.newaxis]
    first, second, matrix = np.empty((len(y), 0)), np.empty((len(y), 0, 0)), None
    if chosen.has_order:
        matrix = _of_order(problem, chosen, weights[0])
    else:
        first, second = _derivatives(chosen, scorer, y, scores)
    if choices.class_weights:
        each = np.array([choices.class_weights[j] for j in range(len(scorer.classes))])
        index = np.searchsorted(scorer.classes, y)
        if chosen.kind == "binary" and weights.shape[0] > 1:
            raise ValueError("a summary of each class against the rest takes no class_weight")
        costs = costs * each[index]
    kind = choices.regularizer or "l2"
    curvature = 0.0 if model._unregularized else CURVATURES[kind] / float(choices.C)
    if chosen.kind == "multiclass" and weights.shape[0] == 1:
        curvature /= 2  # of w_1 − w_0, each half of it
    penalty = np.full(weights.shape[1], curvature)
    has_kink = np.full(len(penalty), kind in KINKED and not model._unregularized)
    names = scorer.features
    if model._intercept:
        is_penalized = model._intercept == "regularized"
        ones = np.ones((X.shape[0], 1))
        X = csr_array(hstack([X, ones], format="csr")) if issparse(X) else np.hstack([X, ones])
        weights = np.column_stack([weights, scorer.intercepts])
        scale = float(getattr(model, "intercept_scaling", 1.0))
        penalty = np.append(penalty, curvature / scale**2 if is_penalized else 0.0)
        has_kink = np.append(has_kink, is_penalized and has_kink[0])
        names = [*names, INTERCEPT]
    title = f"{type(model).__name__}, {name} loss"
    columns, penalized = scorer.columns, not model._unregularized
    given = title, name, X, costs, weights, names, columns, penalty, has_kink, penalized
    return Setting(*given, first, second, matrix)


def _check(chosen: Any) -> None:
    name, kind = chosen.loss_row.name, chosen.choices.regularizer or "l2"
    if chosen.has_order and chosen.loss.told_by == "pairs":
        raise ValueError(
            f"loss {name} sums over pairs that share examples: it is no likelihood, and has no "
            "standard errors"
        )
    if "smooth" not in chosen.features or chosen.kind == "measure":
        raise ValueError(f"loss {name} has kinks: standard errors need a smooth loss")
    if chosen.kind == "multiclass" and name != "softmax":
        raise ValueError(f"loss {name} of all classes has no standard errors; softmax has")
    if kind not in CURVATURES:
        raise ValueError(f"regularizer {kind} has no standard errors; {', '.join(CURVATURES)} have")
    for border in BORDERS:
        if getattr(chosen.choices, border, None) is not None:
            raise ValueError(f"standard errors do not hold with {border}")


def _of_order(problem: Any, chosen: Any, w: Array) -> Array:
    """The second derivatives of the partial likelihood."""
    C = float(chosen.choices.C)
    weights = np.ones(problem.n_examples) if problem.weights is None else problem.weights
    risk = chosen.order_risk(problem, C * weights)
    matrix: Array = risk.at(risk.scores(np.ascontiguousarray(w))).hessian().matrix() / C
    return matrix


def _derivatives(chosen: Any, scorer: Scorer, y: Any, scores: Array) -> tuple[Array, Array]:
    """φ' and φ'' of the examples: n × m and n × m × m."""
    from scipy.special import expit, softmax

    n, m = scores.shape
    if chosen.kind == "multiclass":
        assert scorer.classes is not None
        is_class = (np.asarray(y)[:, np.newaxis] == scorer.classes).astype(np.float64)
        if m == 1:
            p = expit(scores)
            return p - is_class[:, 1:], (p * (1 - p))[:, :, np.newaxis]
        p = softmax(scores, axis=1)
        second = -p[:, :, np.newaxis] * p[:, np.newaxis, :]
        second[:, np.arange(m), np.arange(m)] += p
        return p - is_class, second
    first, second = np.empty((n, m)), np.zeros((n, m, m))
    for j in range(m):
        labels = np.asarray(y, dtype=np.float64) if scorer.classes is None else None
        if labels is None:
            assert scorer.classes is not None
            labels = np.where(np.asarray(y) == scorer.classes[1 if m == 1 else j], 1.0, -1.0)
        at = np.ascontiguousarray(scores[:, j])
        first[:, j] = chosen.loss.derivatives(labels, at)
        second[:, j, j] = chosen.loss.second_derivatives(labels, at)
    return first, second
