"""The problem of an estimator as the choices of a Parameter, and the words of estimators."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from rrmlinear.catalog.choices import CHOICES
from rrmlinear.catalog.errors import ChoiceError, Named, alternatives, in_fields, nearest
from rrmlinear.catalog.losses import LOSSES
from rrmlinear.catalog.regularizers import REGULARIZERS
from rrmlinear.catalog.rows import NEEDED, LossRow, SolverRow
from rrmlinear.catalog.selection import Selection
from rrmlinear.catalog.solvers import find_solver
from rrmlinear.data.labels import group_labels
from rrmlinear.data.problem import Problem
from rrmlinear.solvers.loop.tolerances import LOSS_ROUNDING

#: Name of a solver → solver type of Parameter.
SOLVERS: dict[str, int | str] = {
    "auto": "auto",
    "prox-sdca": 32,
    "accelerated": 33,
    "pragam": 34,
    "agm": 35,
    "agm-1": 36,
    "pdprox-dual": 37,
    "pdprox-primal": 38,
    "bmrm": 39,
    "ls-bmrm": 40,
    "fista": 42,
    "newton": "newton",
}

#: Parameters that have another name than the choice.
PARAMETERS = {
    "class_weights": "class_weight",
    "free_bias": "fit_intercept='unregularized'",
    "gap_tol": "tol",
    "max_passes": "max_iter",
    "seed": "random_state",
    "threads": "n_jobs",
}


def unknown_name(parameter: str, name: Any, known: Collection[str]) -> ValueError:
    """The error for a parameter that is none of these names."""
    near = nearest(name, known)
    return ValueError(f"{parameter} is {name!r}{near}; it must be one of {', '.join(known)}")


def own_words(error: ChoiceError, solvers: Mapping[str, int | str], **renamed: str) -> ValueError:
    """A ChoiceError in the names of parameters, and of these solvers."""

    def spell(named: Named) -> str:
        if named.field == "solver" and named.values:
            first = {number: name for name, number in reversed([*solvers.items()])}
            known = [first[number] for number in named.values if number in first]
            return f"solver {alternatives(known)}" if known else "others"
        words = PARAMETERS | renamed
        return words[named.field] if named.field in words else in_fields(named)

    return ValueError(error.worded(spell))


CLASSIFYING, REGRESSING = ("binary", "multiclass"), ("regression",)
#: Stored values that tell how long rows are.
LOOK = 4096
#: The regularizers of estimators with an alpha.
NORMS = ("l2", "l1", "elastic-net")


@dataclass(frozen=True)
class ProblemRow:
    """How a class of estimators says its problem by its parameters.

    ``loss`` is ours by name, or a table from the values of the parameter loss to ours; None for any
    of ours. ``numbers`` are parameters that are choices of a loss by another name.
    ``regularizer`` is the name of one, unless the class has a parameter that says it. ``weighing``
    says what weighs the two: "C" for Ω + C Σ φ, "alpha" for Σ φ + alpha Ω, "mean" for the mean of
    φ + alpha Ω. The class's objective is ``times`` that. ``intercept`` is what
    ``fit_intercept=True`` stands for.
    """

    loss: str | Mapping[str, str] | None = None
    numbers: Mapping[str, str] = field(default_factory=dict)
    regularizer: str = "l2"
    weighing: str = "C"
    times: float = 1.0
    intercept: str = "unregularized"


def own_choices(estimator: BaseEstimator, *owners: str) -> dict[str, Any]:
    """The parameters of an estimator that are choices of these owners by the same name."""
    kind: Any = type(estimator)
    names = _own_names(kind, owners)
    return dict(zip(names, map(partial(getattr, estimator), names), strict=True))


@cache
def _own_names(kind: Any, owners: tuple[str, ...]) -> tuple[str, ...]:
    """Those of an estimator's own parameters that are choices of these owners."""
    own = kind._get_param_names()
    return tuple(n for n, row in CHOICES.items() if row.owner in owners and n in own)


def find_loss(name: Any, kinds: tuple[str, ...]) -> LossRow:
    """The loss of this name, or a ValueError that lists those of these kinds."""
    row = LOSSES.get(name) if isinstance(name, str) else None
    if row is None or row.kind not in kinds:
        known = [loss.name for loss in LOSSES.values() if loss.kind in kinds]
        raise unknown_name("loss", name, known)
    return row


def find_solver_type(name: Any, solvers: Mapping[str, int | str]) -> SolverRow:
    """The solver type of this name, or a ValueError that lists the names."""
    if name not in solvers:
        raise unknown_name("solver", name, solvers)
    return find_solver(solvers[name])


def objective_of(
    estimator: Any,
    row: ProblemRow,
    weights: NDArray[np.float64] | None,
    n: int,
    unregularized: bool = False,
) -> tuple[dict[str, Any], float]:
    """C, the regularizer and all numbers as choices, and the class's objective over ours.

    ``weights`` are those of examples, counted as repetitions by means. Raises ValueError for
    parameters that do not fit each other.
    """
    choices = own_choices(estimator, "loss", "regularizer")
    for name, choice in row.numbers.items():
        choices[choice] = getattr(estimator, name)
    total = float(n)
    if weights is not None:
        with np.errstate(over="ignore"):
            total = float(weights.sum())
    if not math.isfinite(total):
        raise ValueError("the sum of sample_weight overflows; use smaller weights")
    if unregularized:
        choices.pop("penalty_factors", None)  # of a penalty that is 0
        bounds = {"lower": 0.0} if getattr(estimator, "positive", False) else {}
        scale = row.times / (total if row.weighing == "mean" else 1.0)
        return {"C": 1.0, "regularizer": "l2"} | choices | bounds, scale
    name = estimator.regularizer_name()
    if name not in REGULARIZERS:
        raise unknown_name("regularizer", name, REGULARIZERS)
    ratio, share = estimator.ratio(), 1.0
    if ratio is not None:
        name, choices["l1"], share = _shared(estimator, float(ratio))
    elif choices.get("l1") is None and REGULARIZERS[name].takes.get("l1", 0.0) is NEEDED:
        choices["l1"] = 1.0
    if getattr(estimator, "positive", False):
        choices["lower"] = 0.0
    C = cost_of(estimator, total if row.weighing == "mean" else 1.0)
    alpha = getattr(estimator, "alpha", None)
    scale = share * row.times * (1.0 if alpha is None else float(alpha))
    return {"C": C / share, "regularizer": name} | choices, scale


def is_unregularized(estimator: Any) -> bool:
    """Whether the loss stands alone: alpha is 0, C infinite, or the penalty None."""
    alpha, C = getattr(estimator, "alpha", None), getattr(estimator, "C", None)
    return alpha == 0 or math.inf == C or getattr(estimator, "penalty", "") is None


def is_negligible(problem: Problem, chosen: Selection) -> bool:
    """Whether Ω/C may be rounding of the loss at scores of 0, with the automatic solver.

    Weights with scores as long as the labels, their length told by LOOK stored values, show where
    it cannot be.
    """
    choices, C = chosen.choices, float(chosen.choices.C)
    values: Any = getattr(problem.rows, "values", None)
    is_norm = choices.regularizer in (None, *NORMS) and choices.radius is None
    is_norm = is_norm and choices.penalty_factors is None
    if chosen.solver.number != SOLVERS["auto"] or values is None or not is_norm:
        return False
    some = values[: 1 + LOOK // math.prod(values.shape[1:])].ravel().astype(np.float64, copy=False)
    with np.errstate(over="ignore"):
        norm = float(some @ some) / max(len(some), 1) * problem.rows.n_stored
    has_classes, y, width = chosen.kind != "regression", problem.labels, problem.n_features
    omega, least = chosen.regularizer.over((width,), intercept=False), np.zeros(width)
    # Ω over the square falls where the square grows: that about the mean is at most as large
    for is_centred in (False,) if has_classes else (False, True):
        y = y - y.mean() if is_centred else y
        square = 1.0 if has_classes else float(y @ y)
        least[:1] = math.sqrt(square / norm) if norm > 0 else 0.0
        if omega.value_of(least) > LOSS_ROUNDING * C * square:
            return False
    return not has_classes or len(group_labels(y)[0]) == 2


def _shared(estimator: Any, ratio: float) -> tuple[str, float | None, float]:
    """The regularizer ratio ‖w‖₁ + (1 − ratio)/2 ‖w‖²: its name, l1, and its factor of ½‖w‖²."""
    if getattr(estimator, "l1", None) is not None:
        raise ValueError(f"l1 is {estimator.l1!r} and l1_ratio is {ratio!r}; only one may be given")
    asked = getattr(estimator, "regularizer", "elastic-net")
    if asked != "elastic-net":
        raise ValueError(
            f"l1_ratio has no effect with regularizer {asked!r}: it is for 'elastic-net'"
        )
    if ratio in (0, 1):
        return ("l1", None, 1.0) if ratio else ("l2", None, 1.0)
    return "elastic-net", ratio / (1 - ratio), 1 - ratio


def cost_of(estimator: Any, total: float) -> float:
    """C of Ω + C Σ φ: C, or 1/(alpha total), or 1; ``total`` is what the sum is divided by.

    Raises ValueError where both are given.
    """
    C, alpha = getattr(estimator, "C", None), getattr(estimator, "alpha", None)
    if alpha is None:
        return 1.0 if C is None else float(C)
    if C is not None:
        raise ValueError(f"C is {C!r} and alpha is {alpha!r}; only one of them may be given")
    return 1 / (float(alpha) * total)
