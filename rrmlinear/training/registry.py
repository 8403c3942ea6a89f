"""Solver types by LIBLINEAR's numbers, and losses by name.

The one place that names concrete losses; `regularizer_types` names regularizers, and the builders
beside it name the solvers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rrmlinear.losses.base import BlockLoss
from rrmlinear.losses.margin import (
    GeneralizedHinge,
    Hinge,
    Logistic,
    SmoothHinge,
    SquaredHinge,
)
from rrmlinear.losses.multiclass import (
    CrammerSinger,
    SmoothCrammerSinger,
    Softmax,
    SoftmaxOfHinge,
)
from rrmlinear.losses.regression import (
    Absolute,
    EpsilonInsensitive,
    Huber,
    Quantile,
    Squared,
    SquaredEpsilonInsensitive,
)
from rrmlinear.losses.weston_watkins import (
    WestonWatkins,
    WestonWatkinsShark,
    WestonWatkinsWalrus,
)
from rrmlinear.solvers.dual import accelerated, prox_sdca
from rrmlinear.training import batch_solvers, dual_solvers
from rrmlinear.training.entries import LossType, RegularizerType, SolverType
from rrmlinear.training.regularizer_types import BOUNDS, REGULARIZERS

if TYPE_CHECKING:
    from rrmlinear.training.parameter import Parameter

# Shark's tolerance is its authors' 1e-6, too coarse for a small gap: of that it gets so much.
SHARK_SHARE = 0.01


def _shark(parameter: Parameter) -> WestonWatkinsShark:
    asked = np.inf if parameter.gap_tol is None else SHARK_SHARE * parameter.gap_tol
    return WestonWatkinsShark(min(1e-6, asked))


BLOCKS: dict[str, Callable[[Parameter], BlockLoss]] = {
    "knapsack": lambda parameter: WestonWatkins(),
    "walrus": lambda parameter: WestonWatkinsWalrus(),
    "shark": _shark,
}


def _weston_watkins(parameter: Parameter) -> BlockLoss:
    blocks = find_solver(parameter.solver).blocks
    if not blocks:
        return WestonWatkins(_or(parameter.smoothing, 0))
    return BLOCKS[parameter.block or blocks[0]](parameter)


def _or(value: float | None, default: float) -> float:
    return default if value is None else value


LOSSES = {
    loss.name: loss
    for loss in (
        LossType("squared", "regression", lambda p: Squared()),
        LossType("absolute", "regression", lambda p: Absolute(_or(p.smoothing, 0)), ("smoothing",)),
        LossType(
            "epsilon-insensitive",
            "regression",
            lambda p: EpsilonInsensitive(_or(p.epsilon, 0.1), _or(p.smoothing, 0)),
            ("epsilon", "smoothing"),
        ),
        LossType(
            "squared-epsilon-insensitive",
            "regression",
            lambda p: SquaredEpsilonInsensitive(_or(p.epsilon, 0.1)),
            ("epsilon",),
        ),
        LossType("huber", "regression", lambda p: Huber(_or(p.huber, 1)), ("huber",)),
        LossType(
            "quantile",
            "regression",
            lambda p: Quantile(_or(p.quantile, 0.5), _or(p.smoothing, 0)),
            ("quantile", "smoothing"),
        ),
        LossType(
            "hinge",
            "binary",
            lambda p: SmoothHinge(p.smoothing) if p.smoothing else Hinge(),
            ("smoothing",),
        ),
        LossType(
            "smooth-hinge", "binary", lambda p: SmoothHinge(_or(p.smoothing, 1)), ("smoothing",)
        ),
        LossType("squared-hinge", "binary", lambda p: SquaredHinge()),
        LossType(
            "generalized-hinge",
            "binary",
            lambda p: GeneralizedHinge(_or(p.slope, 2), _or(p.smoothing, 0)),
            ("slope", "smoothing"),
        ),
        LossType("logistic", "binary", lambda p: Logistic(), (), "sigmoid"),
        LossType(
            "crammer-singer",
            "multiclass",
            lambda p: SmoothCrammerSinger(p.smoothing) if p.smoothing else CrammerSinger(),
            ("smoothing",),
        ),
        LossType(
            "smooth-crammer-singer",
            "multiclass",
            lambda p: SmoothCrammerSinger(_or(p.smoothing, 1)),
            ("smoothing",),
        ),
        LossType(
            "softmax-of-hinge",
            "multiclass",
            lambda p: SoftmaxOfHinge(_or(p.smoothing, 1)),
            ("smoothing",),
        ),
        LossType("softmax", "multiclass", lambda p: Softmax(), (), "softmax"),
        LossType("weston-watkins", "multiclass", _weston_watkins, ("smoothing",)),
    )
}

OBJECTIVE = ("loss", "regularizer")
#: Choices of every solver of gradient steps over all examples.
BATCH = (*OBJECTIVE, "free_bias", "budget")
#: Choices of those whose steps are proximal.
PROXIMAL = (*BATCH, "radius", *BOUNDS, "unpenalized", "limit")
#: Choices of figure 1 of the paper, the default first.
OPTIONS = tuple(prox_sdca.OPTIONS)
SAMPLINGS = prox_sdca.SAMPLINGS
PACES = accelerated.PACES
LINE_SEARCHES = batch_solvers.LINE_SEARCHES
GRADIENT_CHOICES = batch_solvers.GRADIENT_CHOICES


ASCENT_LOSSES = ("hinge", *(name for name in LOSSES if name != "hinge"))
SCORE_LOSSES = tuple(name for name in ASCENT_LOSSES if LOSSES[name].kind != "multiclass")
SOLVER_TYPES = {
    kind.number: kind
    for kind in (
        SolverType(
            30,
            "MCSVM_WW",
            "Weston-Watkins multi-class support vector classification (exact blocks)",
            ("weston-watkins",),
            ("block", "accelerate", "inner"),
            dual_solvers.ascent,
            blocks=("knapsack", "walrus", "shark"),
        ),
        SolverType(
            31,
            "MCSVM_WW_Shark",
            "the same by Shark's greedy block solver",
            ("weston-watkins",),
            ("block",),
            dual_solvers.ascent,
            blocks=("shark",),
        ),
        SolverType(
            32,
            "SDCA",
            "any loss and regularizer by proximal stochastic dual coordinate ascent",
            ASCENT_LOSSES,
            (*OBJECTIVE, "free_bias", "option", "sampling", "averaging"),
            dual_solvers.ascent,
        ),
        SolverType(
            33,
            "SDCA_ACC",
            "the same, accelerated",
            ASCENT_LOSSES,
            (*OBJECTIVE, "inner"),
            dual_solvers.ascent,
        ),
        SolverType(
            34,
            "PRAGAM",
            "any loss by the excessive gap of weights and duals",
            ASCENT_LOSSES,
            (*BATCH, "lipschitz"),
            batch_solvers.pragam,
        ),
        SolverType(
            35,
            "AGM_EF",
            "any loss by accelerated gradients with estimate functions of all steps",
            ASCENT_LOSSES,
            (*PROXIMAL, "route", "lipschitz", "prox"),
            batch_solvers.agm,
            regularizers=tuple(REGULARIZERS),
        ),
        SolverType(
            36,
            "AGM_EF_1",
            "the same with those of one step",
            ASCENT_LOSSES,
            (*PROXIMAL, "route", "lipschitz", "prox"),
            batch_solvers.agm,
            regularizers=tuple(REGULARIZERS),
        ),
        SolverType(
            37,
            "PDPROX_DUAL",
            "any loss by prox steps of weights and duals in turn, an extra one of the duals",
            ASCENT_LOSSES,
            (*PROXIMAL, "ratio", "storage", "averaging"),
            batch_solvers.pdprox,
            regularizers=tuple(REGULARIZERS),
        ),
        SolverType(
            38,
            "PDPROX_PRIMAL",
            "the same with an extra one of the weights",
            ASCENT_LOSSES,
            (*PROXIMAL, "ratio", "storage", "averaging"),
            batch_solvers.pdprox,
            regularizers=tuple(REGULARIZERS),
        ),
        SolverType(
            39,
            "BMRM",
            "any loss by cutting planes of the whole risk",
            ASCENT_LOSSES,
            (*BATCH, "line_search"),
            batch_solvers.bmrm,
            starts=False,
        ),
        SolverType(
            40,
            "LS_BMRM",
            "the same with the mean of all planes and a new one at a time",
            ASCENT_LOSSES,
            (*BATCH, "line_search"),
            batch_solvers.bmrm,
            starts=False,
        ),
        SolverType(
            41,
            "PEGASOS",
            "any loss of one score by stochastic subgradient steps, with l2",
            SCORE_LOSSES,
            (*OBJECTIVE, "batch", "averaging"),
            batch_solvers.pegasos,
            regularizers=("l2",),
            starts=False,
        ),
        SolverType(
            42,
            "FISTA",
            "any smooth loss by accelerated gradient steps over all examples",
            ("smooth-hinge", *(name for name in ASCENT_LOSSES if name != "smooth-hinge")),
            PROXIMAL,
            batch_solvers.fista,
            regularizers=tuple(REGULARIZERS),
            smooth=True,
            starts=False,
        ),
        SolverType(
            "newton",
            "NEWTON",
            "any loss of one score by Newton's method over all examples, with l2",
            SCORE_LOSSES,
            BATCH,
            batch_solvers.newton,
            regularizers=("l2",),
            starts=False,
        ),
        SolverType(
            "batch",
            "BATCH",
            "newton or 35, whichever suits the problem",
            ASCENT_LOSSES,
            PROXIMAL,
            batch_solvers.automatic,
            regularizers=tuple(REGULARIZERS),
        ),
        SolverType(
            "sdca",
            "SDCA",
            "32, 33, newton or coordinate descent over features, whichever suits the problem",
            ASCENT_LOSSES,
            (*OBJECTIVE, "free_bias", "inner"),
            dual_solvers.automatic,
            regularizers=("l2", "elastic-net", "l1"),
        ),
    )
}

#: The losses of LIBLINEAR's own solver types, whose models are read.
LIBLINEAR_LOSSES = {
    "L2R_LR": "logistic",
    "L2R_LR_DUAL": "logistic",
    "L1R_LR": "logistic",
    "L2R_L1LOSS_SVC_DUAL": "hinge",
    "L2R_L2LOSS_SVC_DUAL": "squared-hinge",
    "L2R_L2LOSS_SVC": "squared-hinge",
    "L1R_L2LOSS_SVC": "squared-hinge",
    "L2R_L1LOSS_SVR_DUAL": "epsilon-insensitive",
    "L2R_L2LOSS_SVR_DUAL": "squared-epsilon-insensitive",
    "L2R_L2LOSS_SVR": "squared-epsilon-insensitive",
    "MCSVM_CS": "crammer-singer",
}


def find_solver(number: int | str) -> SolverType:
    """The type of this number, or a ValueError that lists those that exist."""
    if number not in SOLVER_TYPES:
        known = ", ".join(
            str(kind.number) if isinstance(kind.number, str) else f"{kind.number} ({kind.name})"
            for kind in SOLVER_TYPES.values()
        )
        raise ValueError(f"unknown solver type {number}; there are {known}")
    return SOLVER_TYPES[number]


def losses_of_model(name: str) -> tuple[str, ...]:
    """The losses that a model file with this solver type may be of.

    Raises ValueError with the names that exist.
    """
    types = {kind.name: kind.losses for kind in SOLVER_TYPES.values()}
    types |= {other: (loss,) for other, loss in LIBLINEAR_LOSSES.items()}
    if name not in types:
        raise ValueError(f"unknown solver type {name!r}; there are {', '.join(types)}")
    return types[name]


def loss_of(parameter: Parameter) -> LossType:
    """The loss that is chosen, by default the solver type's first."""
    kind = find_solver(parameter.solver)
    name = kind.losses[0] if parameter.loss is None else parameter.loss
    _one_of("loss", name, LOSSES)
    if name not in kind.losses:
        raise ValueError(f"-s {kind.number} has no loss {name}; it has {', '.join(kind.losses)}")
    return LOSSES[name]


def regularizer_of(parameter: Parameter) -> RegularizerType:
    """The regularizer that is chosen."""
    name = "l2" if parameter.regularizer is None else parameter.regularizer
    _one_of("regularizer", name, REGULARIZERS)
    return REGULARIZERS[name]


def _one_of(what: str, name: str, known: Mapping[str, Any]) -> None:
    if name not in known:
        raise ValueError(f"unknown {what} {name!r}; there are {', '.join(known)}")
