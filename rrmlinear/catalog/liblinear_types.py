"""LIBLINEAR's solver types: their problems, tolerances and stopping rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rrmlinear.catalog.stages import automatic as stages
from rrmlinear.catalog.stages.samples import task_of_sample
from rrmlinear.catalog.task import SolverRow, Task
from rrmlinear.core.loading import loading
from rrmlinear.solvers.loop.rules.of_duals import (
    ClassRange,
    DualRange,
    DualSum,
    FreeRange,
    LogisticDual,
)
from rrmlinear.solvers.loop.rules.of_gradients import FeatureSum, GradientNorm
from rrmlinear.solvers.loop.rules.rule import Either, Rule
from rrmlinear.solvers.loop.solver import Solver

#: LIBLINEAR changes from the ascent on a smooth loss to Newton's method after 300 passes. The rule
#: of Newton's method then has this fraction of the tolerance: for classes, and for values. Our
#: ascents are accelerated. With a change of the rule after this number of passes they end at
#: objectives below LIBLINEAR's; with a change after 50 passes, dna with -s 1 ends above it.
MOST_PASSES, CLASSES_FRACTION, VALUES_FRACTION = 100, 0.1, 0.001
#: So many examples tell what the first sweep over features sees; it varies as much with its order.
SWEPT_EXAMPLES = 1000


def _risk(task: Task) -> Any:
    """The sum of losses, a bias column being one like any other."""
    with loading:
        from rrmlinear.risks.scalar import ScalarRisk

    return ScalarRisk(task.rows, task.loss, task.targets, task.costs, task.choices.threads)


def _or_gradient(task: Task, rule: Rule) -> Rule:
    """The rule of an ascent, and that of the primal type where passes are many."""
    if "smooth" not in task.features:
        return rule
    fraction = CLASSES_FRACTION if "classes" in task.features else VALUES_FRACTION
    return Either(rule, gradient_norm(task, fraction * rule.tolerance), MOST_PASSES)


def dual_range(task: Task, tolerance: float) -> Rule:
    """Of coordinate ascent for classification."""
    return _or_gradient(task, DualRange(_risk(task), tolerance))


def dual_sum(task: Task, tolerance: float) -> Rule:
    """Of coordinate ascent for regression."""
    return _or_gradient(task, DualSum(_risk(task), tolerance))


def logistic_dual(task: Task, tolerance: float) -> Rule:
    """Of coordinate ascent for logistic regression."""
    return _or_gradient(task, LogisticDual(_risk(task), tolerance))


def class_range(task: Task, tolerance: float) -> Rule:
    """Of Crammer and Singer's machine."""
    return ClassRange(task.rows, task.targets, task.costs, tolerance)


def free_range(task: Task, tolerance: float) -> Rule:
    """Of the one-class machine."""
    return FreeRange(_risk(task), tolerance)


def gradient_norm(task: Task, tolerance: float) -> Rule:
    """Of Newton's method; with classes, relative to the part of the smaller one."""
    balanced = "classes" in task.features
    return GradientNorm(_risk(task), tolerance, balanced, bool(task.choices.free_bias))


def feature_sum(task: Task, tolerance: float) -> Rule:
    """Of Newton's method over features."""
    return FeatureSum(_risk(task), tolerance, True, bool(task.choices.free_bias))


def swept_sum(task: Task, tolerance: float) -> Rule:
    """Of coordinate descent over features, whose first sum is over a sweep of some examples."""

    def share() -> float:
        with loading:
            from rrmlinear.solvers.features.models.first_sweep import share_of_first_sweep

        fraction = max(1, task.rows.shape[0] // SWEPT_EXAMPLES)
        some = task if fraction == 1 else task_of_sample(task, fraction)
        return share_of_first_sweep(_risk(some), 1.0, task.choices.seed)

    return FeatureSum(_risk(task), tolerance, True, bool(task.choices.free_bias), share)


def _liblinear(
    number: int,
    name: str,
    summary: str,
    loss: str,
    tolerance: float,
    rule: Callable[[Task, float], Rule],
    *choices: str,
    build: Callable[[Task], Solver] = stages.automatic,
    **more: Any,
) -> SolverRow:
    """A type of LIBLINEAR: its problem by the automatic solver, ended by its rule."""
    return SolverRow(
        number,
        name,
        summary,
        (frozenset({"prox"}),),
        ("tolerance", *choices),
        build,
        loss=loss,
        tolerance=tolerance,
        rule=rule,
        **more,
    )


def _over_features(
    number: int, name: str, summary: str, loss: str, rule: Callable[[Task, float], Rule]
) -> SolverRow:
    """A type with the 1-norm, ended by a rule of descent over features."""
    return _liblinear(
        number,
        name,
        summary,
        loss,
        0.01,
        rule,
        "free_bias",
        regularizer="l1",
        starts=False,
        form="primal",
        build=stages.by_columns,
        proves=False,
    )


TYPES = (
    _liblinear(
        0,
        "L2R_LR",
        "L2-regularized logistic regression (primal)",
        "logistic",
        0.01,
        gradient_norm,
        "free_bias",
        form="primal",
    ),
    _liblinear(
        1,
        "L2R_L2LOSS_SVC_DUAL",
        "L2-regularized L2-loss support vector classification (dual)",
        "squared-hinge",
        0.1,
        dual_range,
    ),
    _liblinear(
        2,
        "L2R_L2LOSS_SVC",
        "L2-regularized L2-loss support vector classification (primal)",
        "squared-hinge",
        0.01,
        gradient_norm,
        "free_bias",
        form="primal",
    ),
    _liblinear(
        3,
        "L2R_L1LOSS_SVC_DUAL",
        "L2-regularized L1-loss support vector classification (dual)",
        "hinge",
        0.1,
        dual_range,
    ),
    _liblinear(
        4,
        "MCSVM_CS",
        "support vector classification by Crammer and Singer",
        "crammer-singer",
        0.1,
        class_range,
        build=stages.by_blocks,
    ),
    _over_features(
        5,
        "L1R_L2LOSS_SVC",
        "L1-regularized L2-loss support vector classification",
        "squared-hinge",
        swept_sum,
    ),
    _over_features(6, "L1R_LR", "L1-regularized logistic regression", "logistic", feature_sum),
    _liblinear(
        7,
        "L2R_LR_DUAL",
        "L2-regularized logistic regression (dual)",
        "logistic",
        0.1,
        logistic_dual,
    ),
    _liblinear(
        11,
        "L2R_L2LOSS_SVR",
        "L2-regularized L2-loss support vector regression (primal)",
        "squared-epsilon-insensitive",
        0.0001,
        gradient_norm,
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
        dual_sum,
        numbers=("epsilon",),
    ),
    _liblinear(
        13,
        "L2R_L1LOSS_SVR_DUAL",
        "L2-regularized L1-loss support vector regression (dual)",
        "epsilon-insensitive",
        0.1,
        dual_sum,
        numbers=("epsilon",),
    ),
    _liblinear(
        21,
        "ONECLASS_SVM",
        "one-class support vector machine (dual)",
        "one-class",
        0.01,
        free_range,
        "nu",
        build=stages.one_class,
    ),
)
