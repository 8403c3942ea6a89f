"""Choices that go together: unknown names and choices without effect are refused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from rrmlinear.training.entries import RegularizerType, SolverType
from rrmlinear.training.registry import (
    GRADIENT_CHOICES,
    LINE_SEARCHES,
    LOSSES,
    OPTIONS,
    PACES,
    REGULARIZERS,
    SAMPLINGS,
    SOLVER_TYPES,
    find_solver,
    loss_of,
    regularizer_of,
)

if TYPE_CHECKING:
    from rrmlinear.training.parameter import Parameter

#: Choices that only some solver types, losses or regularizers have, and their options.
SPELLINGS = {
    "loss": "--loss",
    "regularizer": "--regularizer",
    "l1": "--l1",
    "radius": "--radius",
    "groups": "--groups",
    "lower": "--lower",
    "upper": "--upper",
    "unpenalized": "--unpenalized",
    "limit": "--limit",
    "smoothing": "--smoothing",
    "epsilon": "-p (epsilon)",
    "huber": "--huber",
    "quantile": "--quantile",
    "slope": "--slope",
    "budget": "--budget",
    "free_bias": "-R",
    "block": "--block",
    "option": "--option",
    "sampling": "--sampling",
    "averaging": "--averaging",
    "line_search": "--line-search",
    "route": "--route",
    "lipschitz": "--lipschitz",
    "prox": "--prox",
    "ratio": "--ratio",
    "storage": "--storage",
    "accelerate": "--accelerate",
    "inner": "--inner",
    "batch": "--batch",
}
#: Choices of regularizers, and what they mean.
OF_REGULARIZERS = {
    "l1": "the factor of the 1-norm",
    "radius": "what its constraint allows",
    "groups": "the group of each column",
    "lower": "the least that weights may be",
    "upper": "the most that weights may be",
}
#: Numbers of losses.
NUMBERS_OF_LOSSES = ("smoothing", "epsilon", "huber", "quantile", "slope")
#: Choices that only losses of one score have.
OF_ONE_SCORE = ("budget", "free_bias", "option", "sampling", "averaging")
#: Choices that only some solver types have.
CHOICES_OF_TYPES = (
    *("loss", "regularizer", "block", "batch", "line_search", "accelerate", "inner"),
    *("route", "lipschitz", "prox", "ratio", "storage"),
    *("radius", "lower", "upper", "unpenalized", "limit"),
    *OF_ONE_SCORE,
)


def check_choices(parameter: Parameter) -> None:
    """Raise ValueError for names that do not exist and for choices without effect."""
    kind = find_solver(parameter.solver)
    for name in CHOICES_OF_TYPES:
        if name not in kind.takes:
            _refuse(parameter, (name,), f"-s {kind.number}", _types_with(name))
    if parameter.block is not None and parameter.block not in kind.blocks:
        raise ValueError(
            f"block is {parameter.block!r}; solver type {kind.number} ({kind.name}) has "
            + ", ".join(kind.blocks)
        )
    loss, regularizer = loss_of(parameter), regularizer_of(parameter)
    fixed = "loss" not in kind.takes
    for name in NUMBERS_OF_LOSSES:
        if fixed or name not in loss.takes:
            others = [other.name for other in LOSSES.values() if name in other.takes]
            place = f"-s {kind.number}" if fixed else f"loss {loss.name}"
            _refuse(parameter, (name,), place, f"loss {' or '.join(others)}")
    if loss.kind == "multiclass":
        _refuse(parameter, OF_ONE_SCORE, f"loss {loss.name}", "losses of one score")
    if parameter.option not in (None, *OPTIONS):
        raise ValueError(f"unknown option {parameter.option!r}; there are {', '.join(OPTIONS)}")
    if "accelerate" in kind.takes and not parameter.accelerate:
        _refuse(parameter, ("inner",), f"-s {kind.number} without --accelerate", "accelerated ones")
    if parameter.free_bias:
        _refuse(parameter, ("inner",), "-R", "solvers of a regularized bias")
    inner = parameter.inner
    if inner not in (None, *PACES) and (isinstance(inner, str) or inner < 1):
        known = ", ".join(PACES)
        raise ValueError(f"inner is {inner!r}; it must be {known} or a number of passes")
    if parameter.budget is not None and loss.build(parameter).pieces(np.ones(1)) is None:
        raise ValueError(
            f"--budget has no effect with loss {loss.name}: it is for losses whose duals are sums "
            "of clipped lines, as those of the hinge and of absolute residuals"
        )
    if parameter.averaging and parameter.free_bias and "sampling" in kind.takes:
        raise ValueError(f"--averaging is not offered with -R and -s {kind.number}")
    if parameter.line_search not in (None, *LINE_SEARCHES):
        known = ", ".join(LINE_SEARCHES)
        raise ValueError(f"unknown line_search {parameter.line_search!r}; there are {known}")
    if parameter.sampling not in (None, *SAMPLINGS):
        known = ", ".join(SAMPLINGS)
        raise ValueError(f"unknown sampling {parameter.sampling!r}; there are {known}")
    for name, known_names in GRADIENT_CHOICES.items():
        value = getattr(parameter, name)
        if value not in (None, *known_names):
            raise ValueError(f"unknown {name} {value!r}; there are {', '.join(known_names)}")
    _check_regularizer(parameter, kind, regularizer)
    if regularizer.name not in kind.regularizers:
        types = SOLVER_TYPES.values()
        having = [other for other in types if regularizer.name in _offered(other)]
        raise ValueError(
            f"-s {kind.number} has no regularizer {regularizer.name}, which is for "
            f"{_numbers(having)}; it has {', '.join(kind.regularizers)}"
        )
    if regularizer.name == "l1" and kind.number == "sdca" and loss.name != "squared":
        raise ValueError(
            "-s sdca has regularizer l1 with loss squared alone: others need some of the squared "
            "norm there, as elastic-net has"
        )
    if regularizer.single and loss.kind != "multiclass":
        raise ValueError(
            f"regularizer {regularizer.name} is for several columns of weights, and loss "
            f"{loss.name} has one, where it would be {regularizer.single}"
        )
    if parameter.smoothing == 0 and loss.name.startswith(("smooth-", "softmax-")):
        raise ValueError(f"smoothing is 0; loss {loss.name} needs it positive")
    omega = regularizer.build(parameter)
    if parameter.route in ("dual", "smoothed-dual") and not omega.modulus > 0:
        raise ValueError(
            f"--route {parameter.route} needs a strongly convex regularizer, and "
            f"{regularizer.name} is not: take primal"
        )
    in_weights = parameter.route in (None, "primal")
    if parameter.prox == "optimized" and in_weights and loss.build(parameter).smoothing > 0:
        raise ValueError(
            "--prox optimized has no effect with --route primal and loss "
            f"{loss.name}, which is smooth"
        )
    if parameter.class_weights and loss.kind == "regression":
        raise ValueError(f"-wi has no effect with loss {loss.name}: it weighs classes")
    if kind.smooth and not loss.build(parameter).smoothing > 0:
        raise ValueError(
            f"-s {kind.number} needs a smooth loss, and {loss.name} has a kink: give it a "
            "smoothing (--smoothing) above 0"
        )


def _check_regularizer(
    parameter: Parameter, kind: SolverType, regularizer: RegularizerType
) -> None:
    """Its choices, those that it needs and those without effect."""
    for name, meaning in OF_REGULARIZERS.items():
        if name not in regularizer.takes:
            others = [other.name for other in REGULARIZERS.values() if name in other.takes]
            place = f"regularizer {regularizer.name}"
            place = place if "regularizer" in kind.takes else f"-s {kind.number}"
            _refuse(parameter, (name,), place, f"regularizer {' or '.join(others)}")
        elif name in regularizer.needs and getattr(parameter, name) is None:
            spelling = SPELLINGS[name]
            raise ValueError(f"regularizer {regularizer.name} needs {name} ({spelling}), {meaning}")
    if regularizer.name == "l1":
        if parameter.l1 == 0:
            raise ValueError("l1 is 0; regularizer l1 needs it positive")
        if parameter.radius is not None:
            instead = "regularizer l1 without a radius, and elastic-ball"
            _refuse(parameter, ("l1",), "--radius", instead)
            _refuse(parameter, ("lower", "upper"), "--radius", "regularizer l1 without a radius")
    if parameter.unpenalized is None:
        _refuse(parameter, ("limit",), "all columns penalized", "--unpenalized")
    else:
        _refuse(parameter, ("lower", "upper"), "--unpenalized", "weights that all have a penalty")


def _refuse(parameter: Parameter, names: Iterable[str], place: str, instead: str) -> None:
    for name in names:
        if getattr(parameter, name) is not None:
            raise ValueError(f"{SPELLINGS[name]} has no effect with {place}: it is for {instead}")


def _offered(kind: SolverType) -> tuple[str, ...]:
    return kind.regularizers if "regularizer" in kind.takes else ()


def _types_with(choice: str) -> str:
    return _numbers(kind for kind in SOLVER_TYPES.values() if choice in kind.takes)


def _numbers(kinds: Iterable[SolverType]) -> str:
    return "-s " + " or ".join(str(kind.number) for kind in kinds)
