"""`fit`: a problem and a parameter give a model."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.regularizers import weight_at_limit
from rrmlinear.catalog.selection import LOOSE_GAP, Selection, select
from rrmlinear.catalog.solvers import AUTO
from rrmlinear.core.records import replace
from rrmlinear.core.warned import warn_caller
from rrmlinear.data.column_order import ColumnOrder
from rrmlinear.data.labels import group_labels
from rrmlinear.data.problem import Problem, check_kind
from rrmlinear.solvers.loop.result import OnPass, Result, Status
from rrmlinear.training.classes.blocks import solve_blocks
from rrmlinear.training.classes.class_problems import solve_as_hinge, solve_two
from rrmlinear.training.costs import base_costs, class_factors
from rrmlinear.training.model import Model
from rrmlinear.training.offsets import in_units, moved, units_of, with_room
from rrmlinear.training.single import solve_measure, solve_scalars
from rrmlinear.training.starts import Point, Start, check_starts, point_of
from rrmlinear.training.streaming import bytes_beside, streamed

if TYPE_CHECKING:
    from rrmlinear.catalog.parameter import Parameter

Vector = NDArray[np.float64]
MAX_WEIGHTS = sys.maxsize // 1024  # far beyond any memory, and products with it do not overflow
#: The labels of a regression, and their places.
NO_CLASSES = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
#: The warning for a measure whose bound is least at weights of zero.
ALL_ZERO = (
    "all weights are 0, and so are all scores: no other weights lower the loss of the worst "
    "labelling by more than the tolerance. Take a larger C. With f1 no C helps if the sum of the "
    "positive examples is also a sum of negative examples with factors of at most 1; in that case "
    "take other features, or take a loss of examples and tune its threshold"
)
#: The warning for a one-class machine whose objective is least at weights of zero.
NO_SIDE = (
    "all weights are 0 but for rounding, and so are all scores: no plane keeps enough examples on "
    "one side of the origin, as where the data are centred. Take data that are not centred, a "
    "larger nu, or features whose inner products are positive, such as those of an RBF kernel"
)


class NotSolvedWarning(UserWarning):
    """The solver stopped far from the minimum: it did not reach its tolerance, or the rule of types
    30 and 31 ended the run at a large gap. The message gives the gap.
    """


def fit(
    problem: Problem, parameter: Parameter, on_pass: OnPass | None = None, start: Start = None
) -> Model:
    """minimize Ω(W) + Σ_i C_i φ(W'x_i, y_i), C_i = C · class weight · sample weight.

    ``parameter`` names the regularizer Ω, by default ½‖W‖², and the loss φ. A loss of two classes
    has one column of weights, and a positive score means the first label. With k > 2 classes it
    solves k problems, each class against the rest; the weight of a class counts only in the problem
    of that class, as in LIBLINEAR. Regression takes labels as they are. Measures of all labels at
    once, such as F1, have two classes; the larger label is positive, and C times their risk takes
    the place of the sum. LIBLINEAR's types accept data of one class: all examples are positive.

    ``on_pass`` is called with a TraceRow after each pass; if it returns True the run stops. The
    model's ``result`` holds the certificate: primal, dual and gap in the scale of this objective,
    and the trace. ``start`` is where the solver begins: at the duals and weights of a model that
    was trained on the same examples, for instance with another C; at a `Point` of both; or at duals
    alone, their classes numbered in the order of `group_labels`.

    Raises ChoiceError (a ValueError) for wrong parameters; TypeError for arguments that are no
    Problem and no Parameter; ValueError for a start that does not fit, labels that are not whole
    numbers and data of one class (but for regression and LIBLINEAR's types); MemoryError for
    weights that no memory holds.
    Warns (NotSolvedWarning) where the tolerance was not reached, and (UserWarning) where all
    weights of a measure or of the one-class machine are 0.
    """
    check_kind("fit", problem, Problem, "Problem.from_arrays(X, y)")
    return fit_selection(problem, select(parameter), on_pass, start)


def fit_selection(
    problem: Problem, chosen: Selection, on_pass: OnPass | None = None, start: Start = None
) -> Model:
    """`fit` with a `Selection`."""
    model, result = solve(problem, chosen, on_pass, start)
    if not result.ended:
        warn_caller(result.shortfall(), NotSolvedWarning)
    elif _ruled(result, chosen) and result.last.relative_gap > LOOSE_GAP:
        warn_caller(loose_gap(result), NotSolvedWarning)
    return model


def _ruled(result: Result, chosen: Selection) -> bool:
    """Whether the type's own rule ended the run in place of the gap, and has to prove a gap too."""
    if not chosen.solver.proves:
        return False
    statuses = [each.status for each in getattr(result, "problems", (result,))]
    return Status.RULE in statuses or chosen.stopping.delta is not None


def loose_gap(result: Result) -> str:
    """A sentence for a wide gap at which the type's own rule holds."""
    return (
        f"the gap is {result.last.relative_gap:.2g} of the objective {result.primal:.6g}, where "
        "the solver type's own stopping rule holds; a smaller tolerance brings it nearer"
    )


def solve(
    problem: Problem, chosen: Selection, on_pass: OnPass | None = None, start: Start = None
) -> tuple[Model, Result]:
    """`fit_selection`, without the warning that the tolerance was not reached.

    Raises ChoiceError for a start that
    the solver does not take, and MemoryError for more weights than a process can address.
    """
    if problem.offset is not None:
        problem = moved(problem, chosen)
    chosen.check_problem(problem)
    if start is not None:
        check_starts(chosen)
    chosen = with_room(problem, chosen)
    kind, choices = chosen.kind, chosen.choices
    takes_columns = "least-squares" in chosen.features and choices.solver == AUTO
    if isinstance(problem.rows, ColumnOrder) and not takes_columns:
        problem = replace(problem, rows=problem.rows.by_rows)
    if (units := units_of(problem, chosen)) is not None:
        return _in_units(problem, chosen, units, on_pass, start)
    if kind == "one-class":
        problem = streamed(problem, chosen, bytes_beside(problem, 1))
        machine, found = _one_class(problem, chosen, on_pass, start)
        if found.solved and not found.primal < 0:  # −½‖w‖² at the minimum
            warn_caller(NO_SIDE)
        return machine, found
    if kind == "regression" and problem.label_names is not None:
        raise ValueError(
            f"the labels are words, such as {problem.label_names[0]!r}: loss "
            f"{chosen.loss_row.name} takes numbers"
        )
    labels, label = NO_CLASSES if kind == "regression" else _classes_of(problem, chosen)
    if problem.container is not None or choices.memory is not None:
        columns = len(labels) if kind == "multiclass" else 1
        problem = streamed(problem, chosen, bytes_beside(problem, columns))
    if problem.rows.width * max(1, len(labels)) > MAX_WEIGHTS:
        raise MemoryError(f"no process can address weights of {problem.rows.width} features")
    point = Point() if start is None else point_of(start, problem.rows.width, labels)
    costs = base_costs(problem, choices.C)
    factors = class_factors(choices.class_weights, labels)
    result: Result
    rho: float | None = None
    if kind == "measure":
        y = np.where(label == 0, 1.0, -1.0)
        result, rho = solve_measure(problem, chosen, y, point, on_pass)
        if not result.weights.any() and result.solved:
            warn_caller(ALL_ZERO)
    elif kind == "regression":
        result = solve_scalars(problem, chosen, problem.labels, costs, point, on_pass)
    elif kind == "multiclass":
        costs = costs * factors[label]
        if len(labels) == 2 and chosen.as_hinge is not None:
            result = solve_as_hinge(problem, chosen, label, costs, point, on_pass)
        else:
            result = solve_blocks(problem, chosen, label, len(labels), costs, point, on_pass)
    elif len(labels) > 2:
        from rrmlinear.training.classes.one_vs_rest import solve_one_vs_rest

        result = solve_one_vs_rest(problem, chosen, label, costs, factors, point, on_pass)
    else:
        if (factors != 1).any():
            costs = costs * factors[label]
        result = solve_two(problem, chosen, label, costs, point, on_pass)
    if problem.rows.blocks is not None:
        problem.rows.blocks.release()
    weights = result.weights if result.weights.ndim == 2 else result.weights[:, np.newaxis]
    if news := weight_at_limit(weights, choices):
        warn_caller(news)
    model = Model(
        solver_name=chosen.solver.name,
        labels=labels,
        weights=weights[: problem.rows.width],
        n_features=problem.n_features,
        bias=problem.bias,
        loss=chosen.loss_row.name,
        rho=rho,
        numbers=_numbers(chosen) if kind == "measure" else {},
        label_names=problem.label_names and tuple(problem.label_names[j - 1] for j in labels),
        feature_names=problem.feature_names,
        parameter=choices,
        result=result,
    )
    return model, result


def _in_units(
    problem: Problem,
    chosen: Selection,
    units: NDArray[np.float64],
    on_pass: OnPass | None,
    start: Start,
) -> tuple[Model, Result]:
    """`solve` with columns in units, without penalty factors."""
    own = chosen.choices
    plain = select(replace(own, penalty_factors=None, limit=None))
    each = np.append(units, np.ones(problem.rows.width - len(units)))[:, np.newaxis]
    if isinstance(start, Model | Point) and start.weights is not None:
        point = point_of(
            start, len(each), start.labels if isinstance(start, Model) else NO_CLASSES[0]
        )
        start = replace(point, weights=None if point.weights is None else point.weights / each)
    model, result = solve(in_units(problem, units), plain, on_pass, start)
    weights = result.weights
    result = replace(result, weights=weights * (each if weights.ndim == 2 else each[:, 0]))
    return replace(model, weights=model.weights * each, parameter=own, result=result), result


def _numbers(chosen: Selection) -> dict[str, float]:
    """The numbers chosen of a measure."""
    given = {name: getattr(chosen.choices, name) for name in chosen.loss_row.takes}
    return {name: value for name, value in given.items() if value is not None}


def _one_class(
    problem: Problem, chosen: Selection, on_pass: OnPass | None, start: Start
) -> tuple[Model, Result]:
    """The model of a one-class machine, whose labels are 1 within and -1 outside."""
    from rrmlinear.training.one_class import solve_one_class

    labels = np.array([1, -1])
    point = point_of(start, problem.rows.width, labels)
    result, rho = solve_one_class(problem, chosen, point, on_pass)
    model = Model(
        solver_name=chosen.solver.name,
        labels=labels,
        weights=result.weights[:, np.newaxis],
        n_features=problem.n_features,
        loss=chosen.loss_row.name,
        rho=rho,
        feature_names=problem.feature_names,
        parameter=chosen.choices,
        result=result,
    )
    return model, result


def _classes_of(problem: Problem, chosen: Selection) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The labels, and the index of each example's label."""
    labels, label = group_labels(problem.labels)
    if len(labels) < 2 and not chosen.solver.is_liblinear:
        raise ValueError(
            f"all {problem.n_examples} examples have label {labels[0]}: this solver type takes "
            "at least two classes"
        )
    if chosen.kind == "measure":
        if len(labels) > 2:
            raise ValueError(
                f"measures of all labels take two classes, and there are {len(labels)}: "
                f"{', '.join(map(str, labels[:5].tolist()))}{' …' if len(labels) > 5 else ''}"
            )
        if labels[0] < labels[1]:  # the larger one is positive
            return labels[::-1].copy(), 1 - label
    return labels, label
