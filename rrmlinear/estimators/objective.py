"""From the objective as scikit-learn's callers write it to that of a Parameter."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from rrmlinear.catalog.choices import CHOICES
from rrmlinear.catalog.losses import LOSSES
from rrmlinear.catalog.rows import LossRow
from rrmlinear.catalog.solvers import find_solver
from rrmlinear.catalog.task import SolverRow
from rrmlinear.estimators.arguments import check_positive

INTERCEPTS = ("regularized", "unregularized")


def own_choices(estimator: BaseEstimator, *owners: str) -> dict[str, Any]:
    """The parameters of an estimator that are choices of these owners by the same name."""
    own = estimator.get_params(deep=False)
    return {n: own[n] for n, row in CHOICES.items() if row.owner in owners and n in own}


def find_loss(name: Any, kinds: tuple[str, ...]) -> LossRow:
    """The loss of this name, or a ValueError that lists those of these kinds."""
    known = [loss.name for loss in LOSSES.values() if loss.kind in kinds]
    if name not in known:
        raise ValueError(f"loss is {name!r}; it must be one of {', '.join(known)}")
    return LOSSES[name]


def find_solver_type(name: Any, solvers: Mapping[str, int | str]) -> SolverRow:
    """The solver type of this name, or a ValueError that lists the names."""
    if name not in solvers:
        raise ValueError(f"solver is {name!r}; it must be one of {', '.join(solvers)}")
    return find_solver(solvers[name])


def check_warm_start(name: str, kind: SolverRow) -> None:
    """Raise ValueError unless this solver can begin from duals."""
    if not kind.starts:
        raise ValueError(
            f"warm_start has no effect with solver {name!r}, which begins at weights of zero"
        )


def intercept_choice(
    fit_intercept: Any, meaning_of_true: str, loss: LossRow, kind: SolverRow
) -> dict[str, Any]:
    """The choice of a Parameter for an intercept, or a ValueError for one that is not offered.

    True stands for "regularized" with a loss of all classes.
    """
    if isinstance(fit_intercept, bool | np.bool_):
        several = loss.kind == "multiclass"
        asked = meaning_of_true if fit_intercept and not several else "regularized"
    elif isinstance(fit_intercept, str) and fit_intercept in INTERCEPTS:
        asked = fit_intercept
    else:
        names = {name: f"{name!r}" for name in INTERCEPTS}
        names[meaning_of_true] += " or True"
        raise ValueError(
            f"fit_intercept is {fit_intercept!r}; it must be {names['regularized']}, for an "
            f"intercept that is regularized like every weight, {names['unregularized']}, or False"
        )
    if asked == "regularized":
        return {}
    without = f"loss {loss.name}" if loss.kind == "multiclass" else None
    if "free_bias" not in kind.choices:
        without = "this solver"
    if without is not None:
        raise ValueError(
            f"fit_intercept is {fit_intercept!r}, for one that is unregularized, which is not "
            f"offered with {without}; take 'regularized' with a large intercept_scaling, or False"
        )
    return {"free_bias": True}


def cost_of(C: Any, alpha: Any, weights: NDArray[np.float64] | None, n: int) -> float:
    """C, or 1/(alpha n) with n counting the weights, or 1; a ValueError where both are given."""
    if C is not None and alpha is not None:
        raise ValueError(f"C is {C!r} and alpha is {alpha!r}; only one of them may be given")
    if alpha is not None:
        check_positive("alpha", alpha)
        C = 1 / (float(alpha) * (n if weights is None else float(weights.sum())))
    C = 1.0 if C is None else C
    check_positive("C", C)
    return float(C)


def scaled(
    C: Any,
    alpha: Any,
    l1: Any,
    l1_ratio: Any,
    weights: NDArray[np.float64] | None,
    n: int,
    radius: Any = None,
) -> dict[str, Any]:
    """C, regularizer, l1 and radius of a Parameter.

    ``alpha`` is λ of (1/n) Σ φ_i + λ Ω, n counting the sample weights; ``l1_ratio`` r makes Ω
    r ‖w‖₁ + (1 − r)/2 ‖w‖², by which C is divided by 1 − r and l1 is r/(1 − r); for r = 1 there is
    ‖w‖₁ alone. A ``radius`` makes Ω the constraint l1 ‖w‖₁ + ½‖w‖² ≤ radius, which no factor
    weighs. Raises ValueError for both of a pair, and for numbers out of range.
    """
    if l1 is not None and l1_ratio is not None:
        raise ValueError(f"l1 is {l1!r} and l1_ratio is {l1_ratio!r}; only one may be given")
    for name, given in (("alpha", alpha), ("l1_ratio", l1_ratio)):
        if radius is not None and given is not None:
            raise ValueError(
                f"radius is {radius!r} and {name} is {given!r}; only one may be given: "
                "a constraint has no factor"
            )
    C = cost_of(C, alpha, weights, n)
    if l1_ratio is not None:
        if not (isinstance(l1_ratio, Real) and 0 <= float(l1_ratio) <= 1):
            raise ValueError(f"l1_ratio is {l1_ratio!r}; it must lie in [0, 1]")
        if float(l1_ratio) == 1:
            return {"C": C, "regularizer": "l1", "l1": 1.0}
        C, l1 = C / (1 - float(l1_ratio)), float(l1_ratio) / (1 - float(l1_ratio))
    l1 = 0 if l1 is None else l1
    if not (isinstance(l1, Real) and 0 <= float(l1) < math.inf):
        raise ValueError(f"l1 is {l1!r}; it must be a finite number of at least 0")
    if radius is not None:
        check_positive("radius", radius)
        ball = {"regularizer": "elastic-ball", "radius": float(radius)}
        return {"C": C, "l1": float(l1), **ball}
    if l1 == 0:
        return {"C": C}
    return {"C": C, "regularizer": "elastic-net", "l1": float(l1)}
