"""LIBLINEAR's solver types: their problems, tolerances and stopping rules."""

from __future__ import annotations

from typing import Any

from rrmlinear.catalog.rows import SolverRow

SVC, SVR = "support vector classification", "support vector regression"
EPSILON = ("epsilon",)


def _type(number: int, name: str, summary: str, loss: str, rule: str, **more: Any) -> SolverRow:
    """A type of LIBLINEAR: its problem by the automatic solver, ended by its rule."""
    given: dict[str, Any] = {
        "tolerance": 0.1,
        "builder": "catalog.auto:automatic",
        "choices": (),
    } | more
    given["choices"] = ("tolerance", *given["choices"])
    needs = (frozenset({"prox"}),)
    rule = f"solvers.loop.rules.{rule}"
    return SolverRow(number, name, summary, needs, loss=loss, rule=rule, **given)


def _dual(number: int, name: str, what: str, loss: str, rule: str, **more: Any) -> SolverRow:
    """A type that LIBLINEAR trains by ascent on the dual."""
    return _type(number, name, f"L2-regularized {what} (dual)", loss, f"of_duals:{rule}", **more)


def _primal(number: int, name: str, what: str, loss: str, **more: Any) -> SolverRow:
    """A type that LIBLINEAR trains by Newton's method."""
    given: dict[str, Any] = {"tolerance": 0.01, "choices": ("free_bias",), "form": "primal"} | more
    summary = f"L2-regularized {what} (primal)"
    return _type(number, name, summary, loss, "of_gradients:GradientNorm", **given)


def _sparse(number: int, name: str, what: str, loss: str, rule: str) -> SolverRow:
    """A type with the 1-norm, which LIBLINEAR trains by descent over features."""
    given: dict[str, Any] = {"tolerance": 0.01, "choices": ("free_bias",), "form": "primal"}
    given |= {"regularizer": "l1", "starts": False, "proves": False}
    return _type(number, name, f"L1-regularized {what}", loss, f"of_gradients:{rule}", **given)


TYPES = (
    _primal(0, "L2R_LR", "logistic regression", "logistic"),
    _dual(1, "L2R_L2LOSS_SVC_DUAL", f"L2-loss {SVC}", "squared-hinge", "DualRange"),
    _primal(2, "L2R_L2LOSS_SVC", f"L2-loss {SVC}", "squared-hinge"),
    _dual(3, "L2R_L1LOSS_SVC_DUAL", f"L1-loss {SVC}", "hinge", "DualRange"),
    _type(
        *(4, "MCSVM_CS", f"{SVC} by Crammer and Singer", "crammer-singer", "of_duals:ClassRange"),
        builder="catalog.auto:by_blocks",
    ),
    _sparse(5, "L1R_L2LOSS_SVC", f"L2-loss {SVC}", "squared-hinge", "SweptSum"),
    _sparse(6, "L1R_LR", "logistic regression", "logistic", "FeatureSum"),
    _dual(7, "L2R_LR_DUAL", "logistic regression", "logistic", "LogisticDual"),
    _primal(
        *(11, "L2R_L2LOSS_SVR", f"L2-loss {SVR}", "squared-epsilon-insensitive"),
        tolerance=0.0001,
        numbers=EPSILON,
    ),
    _dual(
        *(12, "L2R_L2LOSS_SVR_DUAL", f"L2-loss {SVR}", "squared-epsilon-insensitive", "DualSum"),
        numbers=EPSILON,
    ),
    _dual(
        *(13, "L2R_L1LOSS_SVR_DUAL", f"L1-loss {SVR}", "epsilon-insensitive", "DualSum"),
        numbers=EPSILON,
    ),
    _type(
        *(21, "ONECLASS_SVM", "one-class support vector machine (dual)", "one-class"),
        rule="of_duals:FreeRange",
        tolerance=0.01,
        choices=("nu",),
    ),
)
