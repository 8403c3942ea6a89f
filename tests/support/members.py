"""Losses and regularizers over which tests state their laws, from the package's table."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from rrmlinear import Parameter, Problem
from rrmlinear.catalog.losses import LOSSES, MEASURE_LOSSES
from rrmlinear.catalog.selection import select
from rrmlinear.regularizers.separable import L2, ElasticNet

#: Numbers of losses, in place of defaults that may be special cases.
NUMBERS: dict[str, dict[str, float]] = {
    "smooth-hinge": {"smoothing": 0.5},
    "generalized-hinge": {"slope": 2.5},
    "epsilon-insensitive": {"epsilon": 0.2},
    "squared-epsilon-insensitive": {"epsilon": 0.2},
    "huber": {"huber": 0.8},
    "quantile": {"quantile": 0.8},
}


def loss_named(name: str, **numbers: float) -> Any:
    """A loss of the table with the numbers above, or those given."""
    chosen: dict[str, Any] = {**NUMBERS.get(name, {}), **numbers}
    return select(Parameter(solver=32, loss=name, **chosen)).loss


def _of(kind: str) -> dict[str, Any]:
    return {name: loss_named(name) for name, row in LOSSES.items() if row.kind == kind}


#: Losses by name: of one score with labels ±1, of one score with real labels, of all classes.
SIGN_LOSSES = _of("binary")
REAL_LOSSES = _of("regression")
CLASS_LOSSES = _of("multiclass")
#: Measures of all labels at once.
MEASURES = list(MEASURE_LOSSES)
SCALAR_LOSSES = SIGN_LOSSES | REAL_LOSSES
SMOOTH_LOSSES = {name: loss for name, loss in SCALAR_LOSSES.items() if loss.differentiable}
KINKED_LOSSES = {name: loss for name, loss in SCALAR_LOSSES.items() if not loss.differentiable}
#: Losses whose slopes or second derivatives have a bound.
BOUNDED_LOSSES = {
    name: loss for name, loss in SCALAR_LOSSES.items() if "bounded" in LOSSES[name].could_offer
}
#: Losses with a kink after smoothing, as "smoothed NAME".
SMOOTHED_LOSSES = {f"smoothed {name}": loss_named(name, smoothing=0.3) for name in KINKED_LOSSES}
#: Strongly convex regularizers.
STRONG_REGULARIZERS = {"l2": L2(), "elastic-net": ElasticNet(0.7), "scaled": ElasticNet(0.7, 3.0)}


def takes_signs(name: str) -> bool:
    """Whether labels are ±1, by the last word of a loss's name."""
    return name.rpartition(" ")[2] in SIGN_LOSSES


def labels_in_domain(name: str, numbers: np.ndarray) -> np.ndarray:
    """Real numbers as labels of the loss of this name: counts, amounts or shares where it asks."""
    row = LOSSES.get(name.rpartition(" ")[2])
    if row is None or row.labels is None:
        return numbers
    if row.link == "sigmoid":
        return np.clip(np.round(1 / (1 + np.exp(-numbers)), 1), 0, 1)
    amounts = np.exp(np.clip(numbers / 2, -3, 3))
    return amounts if row.labels.above == 0 else np.floor(amounts)


def scalar_problem(
    name: str,
    form: str = "sparse",
    dtype: Any = np.float64,
    *,
    n: int = 60,
    d: int = 12,
    bias: float = -1.0,
    scale: float = 1.0,
    shift: float = 0.4,
    centre: float = 0.0,
    noise: float = 0.5,
    seed: int = 5,
) -> tuple[Problem, np.ndarray, np.ndarray]:
    """(problem, X, y) of n examples for the loss of this name; row 3 of X is zero.

    Real labels are ``scale`` times a linear function of X plus ``shift`` and noise; ±1 is its sign.
    """
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((n, d)) + centre) * (rng.random((n, d)) < 0.6)
    X[3 % n] = 0
    truth = X @ rng.standard_normal(d) + noise * rng.standard_normal(n) + shift
    y = np.where(truth > 0, 1.0, -1.0) if takes_signs(name) else scale * truth
    y = labels_in_domain(name, y)
    X = X.astype(dtype)
    given = csr_array(X) if form == "sparse" else X
    return Problem.from_arrays(given, y, bias=bias), X.astype(np.float64), y
