"""Training and prediction by LIBLINEAR's options, from Python."""

from __future__ import annotations

import math
import shlex
from os import PathLike
from typing import Any

import numpy as np

from rrmlinear.catalog.selection import Selection
from rrmlinear.cli.summary import (
    accuracy,
    best_line,
    cross_validation_lines,
    mean_squared_error,
    measure_line,
    squared_correlation,
    summary,
    trial_line,
)
from rrmlinear.data.problem import Problem
from rrmlinear.liblinearutil.data import matrix_of, problem
from rrmlinear.liblinearutil.models import model
from rrmlinear.liblinearutil.options import USUAL_FOLDS, parameter
from rrmlinear.training.cross_validation import cross_validate
from rrmlinear.training.fit import fit_selection
from rrmlinear.training.model import Model
from rrmlinear.training.model_files.header import ModelFileError
from rrmlinear.training.search import Trial, search


def train(arg1: Any, arg2: Any = None, arg3: Any = None) -> Any:
    """A model of labels and examples, ``train(y, x [, options])``, or of a problem.

    The second form is ``train(prob [, options])`` or ``train(prob, param)``. ``y`` and ``x`` are as
    in `problem`, options as in `parameter`. With ``-v`` the result is the accuracy of cross
    validation in percent, or the mean squared error of a regression; with ``-C`` it is (best C,
    best p or −1, their rate). A summary is printed unless ``-q`` is given; the results of ``-v``
    and ``-C`` are always printed.

    Raises TypeError for other arguments, and ValueError for wrong options or data.
    """
    if isinstance(arg1, problem):
        prob, options = arg1, arg2
    elif isinstance(arg1, list | tuple | np.ndarray):
        prob, options = problem(arg1, arg2), arg3
    else:
        raise TypeError(f"the first argument is a problem or labels, not {type(arg1).__name__}")
    param = options if isinstance(options, parameter) else parameter(options)
    prob.set_bias(param.bias)
    chosen = param.selection()
    if param.flag_find_parameters:
        return _searched(prob.examples, chosen, param)
    if param.nr_fold:
        return _cross_validated(prob.examples, chosen, param.nr_fold)
    fitted = fit_selection(prob.examples, chosen)
    if not param.quiet and fitted.result is not None:
        print(summary(fitted, chosen.solver))
    return model(fitted)


def predict(
    y: Any, x: Any, m: model, options: str = ""
) -> tuple[list[float], tuple[float, float, float], list[list[float]]]:
    """(labels, (accuracy, mean squared error, squared correlation), values) of examples ``x``.

    ``y`` are the true labels, or empty where they are not known. Values are the scores of each
    example, one for two classes, for a regression and for a one-class model; with ``-b 1`` the
    probabilities of the classes, in the order of ``m.get_labels()``. Accuracy or errors are
    printed, and the measure of a model that was trained for one; ``-q`` prints nothing.

    Raises TypeError for m that is no model, as `load_model` returns for a file that is not there,
    and for probabilities of a model without them; ValueError for other options.
    """
    _check_model(m)
    probabilities, quiet = _options_of_prediction(options)
    rows = Problem.from_arrays(matrix_of(x), np.zeros(len(y) or _length(x)))
    if probabilities and not m.is_probability_model():
        raise TypeError("probability output is only supported for logistic regression")
    found = m.fitted.predict(rows).astype(np.float64)
    if probabilities:
        values = m.fitted.predict_proba(rows)
    else:
        values = m.fitted.decision_function(rows).reshape(len(found), -1)
    truth = np.zeros(len(found)) if len(y) == 0 else np.asarray(y, dtype=np.float64)
    scores = evaluations(truth, found)
    if not quiet:
        _say(m, scores, int(np.count_nonzero(truth == found)), len(found))
        measured = m.fitted.measured(rows, truth) if len(y) else None
        if measured is not None:
            print(measure_line(*measured))
    return found.tolist(), scores, values.tolist()


def load_model(model_file_name: str | PathLike[str]) -> model | None:
    """The model of a file, LIBLINEAR's too; None, with a line printed, where there is none."""
    try:
        found = Model.load(model_file_name)
        if found.levels is not None:
            told = f"{model_file_name} holds a model {found.structure}; Model.load reads it"
            raise ModelFileError(told)
        return model(found)
    except OSError:
        print(f"can't open model file {model_file_name}")
        return None


def save_model(model_file_name: str | PathLike[str], m: model) -> None:
    """Write a model, as LIBLINEAR does for its own types; TypeError for m that is no model."""
    _check_model(m)
    m.fitted.save(model_file_name)


def _check_model(m: Any) -> None:
    if not isinstance(m, model):
        raise TypeError(f"m is a model of train or load_model, not {type(m).__name__}")


def _length(x: Any) -> int:
    return int(x.shape[0]) if hasattr(x, "shape") else len(x)


def _searched(examples: Problem, chosen: Selection, param: parameter) -> tuple[float, float, float]:
    regression = chosen.kind == "regression"

    def on_trial(trial: Trial) -> None:
        if not param.quiet:
            print(trial_line(trial, regression))

    first = param.C if param.flag_C_specified else None
    best = search(examples, chosen, param.nr_fold or USUAL_FOLDS, first, param.p, on_trial)
    print(best_line(best, regression))
    return best.cost, -1.0 if best.epsilon is None else best.epsilon, best.score


def _cross_validated(examples: Problem, chosen: Selection, folds: int) -> float:
    predicted = cross_validate(examples, chosen, min(folds, examples.n_examples))
    regression = chosen.kind == "regression"
    print(cross_validation_lines(predicted, examples.labels, regression))
    accuracy, error, _ = evaluations(examples.labels, predicted)
    return error if regression else accuracy


def _options_of_prediction(options: str) -> tuple[bool, bool]:
    arguments = shlex.split(options)
    probabilities = quiet = False
    while arguments:
        option = arguments.pop(0)
        if option == "-q":
            quiet = True
        elif option == "-b" and arguments and arguments[0] in ("0", "1"):
            probabilities = arguments.pop(0) == "1"
        else:
            raise ValueError(f"unknown option {option!r}; there are -q and -b, with 0 or 1")
    return probabilities, quiet


def _say(m: model, scores: tuple[float, float, float], correct: int, n: int) -> None:
    accuracy, error, correlation = scores
    if m.is_regression_model():
        print(f"Mean squared error = {error:g} (regression)")
        print(f"Squared correlation coefficient = {correlation:g} (regression)")
    else:
        print(f"Accuracy = {accuracy:g}% ({correct}/{n}) (classification)")


def evaluations(ty: Any, pv: Any, useScipy: bool = True) -> tuple[float, float, float]:
    """(accuracy in percent, mean squared error, squared correlation) of predictions ``pv``.

    ``ty`` holds the true values, as many; both are lists, tuples or arrays. NaN stands for a
    correlation with constant values, and for all three where there are none. ``useScipy`` changes
    nothing: NumPy is always used. Raises ValueError for lengths that differ.
    """
    truth, predicted = np.asarray(ty, dtype=np.float64), np.asarray(pv, dtype=np.float64)
    if len(truth) != len(predicted):
        raise ValueError(
            f"len(ty) must be equal to len(pv): they are {len(truth)} and {len(predicted)}"
        )
    if len(truth) == 0:
        return math.nan, math.nan, math.nan
    return (
        accuracy(predicted, truth),
        mean_squared_error(predicted, truth),
        squared_correlation(predicted, truth),
    )
