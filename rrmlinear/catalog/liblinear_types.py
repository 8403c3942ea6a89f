"""LIBLINEAR's solver types: their problems, tolerances and stopping rules."""

from __future__ import annotations

from typing import Any

from rrmlinear.catalog.rows import SolverRow


def _liblinear(
    number: int,
    name: str,
    summary: str,
    loss: str,
    tolerance: float,
    rule: str,
    *choices: str,
    solver: str = "automatic",
    **more: Any,
) -> SolverRow:
    """A type of LIBLINEAR: its problem by the automatic solver, ended by its rule."""
    return SolverRow(
        number,
        name,
        summary,
        (frozenset({"prox"}),),
        ("tolerance", *choices),
        f"catalog.auto:{solver}",
        loss=loss,
        tolerance=tolerance,
        rule=f"solvers.loop.rules.{rule}",
        **more,
    )


def _over_features(number: int, name: str, summary: str, loss: str) -> SolverRow:
    """A type with the 1-norm, ended by the rule of descent over features."""
    return _liblinear(
        number,
        name,
        summary,
        loss,
        0.01,
        "of_gradients:FeatureSum",
        "free_bias",
        regularizer="l1",
        starts=False,
        form="primal",
        solver="automatic",
        proves=False,
    )


TYPES = (
    _liblinear(
        0,
        "L2R_LR",
        "L2-regularized logistic regression (primal)",
        "logistic",
        0.01,
        "of_gradients:GradientNorm",
        "free_bias",
        form="primal",
    ),
    _liblinear(
        1,
        "L2R_L2LOSS_SVC_DUAL",
        "L2-regularized L2-loss support vector classification (dual)",
        "squared-hinge",
        0.1,
        "of_duals:DualRange",
    ),
    _liblinear(
        2,
        "L2R_L2LOSS_SVC",
        "L2-regularized L2-loss support vector classification (primal)",
        "squared-hinge",
        0.01,
        "of_gradients:GradientNorm",
        "free_bias",
        form="primal",
    ),
    _liblinear(
        3,
        "L2R_L1LOSS_SVC_DUAL",
        "L2-regularized L1-loss support vector classification (dual)",
        "hinge",
        0.1,
        "of_duals:DualRange",
    ),
    _liblinear(
        4,
        "MCSVM_CS",
        "support vector classification by Crammer and Singer",
        "crammer-singer",
        0.1,
        "of_duals:ClassRange",
        solver="by_blocks",
    ),
    _over_features(
        5, "L1R_L2LOSS_SVC", "L1-regularized L2-loss support vector classification", "squared-hinge"
    ),
    _over_features(6, "L1R_LR", "L1-regularized logistic regression", "logistic"),
    _liblinear(
        7,
        "L2R_LR_DUAL",
        "L2-regularized logistic regression (dual)",
        "logistic",
        0.1,
        "of_duals:LogisticDual",
    ),
    _liblinear(
        11,
        "L2R_L2LOSS_SVR",
        "L2-regularized L2-loss support vector regression (primal)",
        "squared-epsilon-insensitive",
        0.0001,
        "of_gradients:GradientNorm",
        "free_bias",
        numbers=("epsilon",),
        form="primal",
    ),
    _liblinear(
        12,
        "L2R_L2LOSS_SVR_DUAL",
        "L2-regularized L2-loss support vector regression (dual)",
        "squared-epsilon-insensitive",
        0.1,
        "of_duals:DualSum",
        numbers=("epsilon",),
    ),
    _liblinear(
        13,
        "L2R_L1LOSS_SVR_DUAL",
        "L2-regularized L1-loss support vector regression (dual)",
        "epsilon-insensitive",
        0.1,
        "of_duals:DualSum",
        numbers=("epsilon",),
    ),
    _liblinear(
        21,
        "ONECLASS_SVM",
        "one-class support vector machine (dual)",
        "one-class",
        0.01,
        "of_duals:FreeRange",
        "nu",
        solver="one_class",
    ),
)
