"""LIBLINEAR's stopping rules, of a task and a tolerance."""

from __future__ import annotations

from typing import Any

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
from rrmlinear.solvers.loop.task import Task

#: LIBLINEAR changes from the ascent on a smooth loss to Newton's method after 300 passes. The rule
#: of Newton's method then has this fraction of the tolerance: for classes, and for values. Our
#: ascents are accelerated. With a change of the rule after this number of passes they end at
#: objectives below LIBLINEAR's; with a change after 50 passes, dna with -s 1 ends above it.
MOST_PASSES, CLASSES_FRACTION, VALUES_FRACTION = 100, 0.1, 0.001


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
    """Of descent over features."""
    return FeatureSum(_risk(task), tolerance, True, bool(task.choices.free_bias))
