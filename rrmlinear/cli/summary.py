"""Measures of predictions, by LIBLINEAR's formulas, and the lines at the end of a training and of a
search: LIBLINEAR's first, then ours.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.rows import SolverRow
from rrmlinear.data.sequences import SequenceProblem
from rrmlinear.solvers.loop.result import Result, passes_told
from rrmlinear.training.model import Model

if TYPE_CHECKING:
    from rrmlinear.training.labelling_model import LabellingModel
    from rrmlinear.training.search import Trial


def accuracy(predicted: NDArray[Any], labels: NDArray[np.float64]) -> float:
    """Percent of the labels that are predicted."""
    return 100.0 * int(np.count_nonzero(predicted == labels)) / len(labels)


def mean_squared_error(predicted: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Σ (p_i − y_i)² / n."""
    with np.errstate(over="ignore"):
        return float(((predicted - y) ** 2).mean())


def squared_correlation(predicted: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """The square of Pearson's correlation; nan where predictions or values are all the same."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        p, y = predicted - predicted.mean(), y - y.mean()
        return float((p @ y) ** 2 / ((p @ p) * (y @ y)))


def sequence_lines(predicted: NDArray[Any], problem: SequenceProblem) -> str:
    """The shares of positions and of whole sequences with right labels, a line each."""
    right = predicted == problem.labels[problem.label]
    whole = np.logical_and.reduceat(right, problem.starts[:-1])
    shares = [
        f"{100 * np.mean(each):g}% ({np.count_nonzero(each)}/{len(each)})"
        for each in (right, whole)
    ]
    return f"Accuracy = {shares[0]}\nWhole sequences = {shares[1]}"


def summary(model: Model | LabellingModel, solver: SolverRow) -> str:
    """The end of a training; LIBLINEAR's dual solvers minimize −dual."""
    result = model.result
    assert result is not None
    outcome = "solved" if result.solved else "stopped"
    target = f" (target {result.target:.3e})" if result.target or not result.by_rule else ""
    return "\n".join(
        [
            *_of_liblinear(model, result, solver),
            f"{outcome} after {passes_told(result.passes)}, {result.seconds:.4f} seconds: "
            f"{result.status.value}",
            f"primal = {result.primal:.9g}, dual = {result.dual:.9g}, gap = {result.gap:.3e}"
            f"{target}, relative gap = {result.last.relative_gap:.3e}",
            *_support(result),
            *(f"note: {note}" for note in result.notes),
        ]
    )


def _of_liblinear(model: Model | LabellingModel, result: Result, solver: SolverRow) -> list[str]:
    in_primal = solver.form == "primal"
    lines = [
        f"optimization finished, #iter = {result.passes}",
        f"Objective value = {result.primal if in_primal else -result.dual:f}",
    ]
    if solver.regularizer == "l1":
        lines.append(
            f"#nonzeros/#features = {np.count_nonzero(model.weights)}/{len(model.weights)}"
        )
    elif "duals" in result.support and not in_primal:
        lines.append(f"nSV = {result.support['duals']}")
    if model.rho is not None:
        lines.append(f"rho = {model.rho:f}")
    return lines


def _support(result: Result) -> list[str]:
    support, lines = result.support, []
    if "duals" in support:
        lines.append(
            f"support: {support['examples']} examples, {support['duals']} duals, "
            f"{support['at_bound']} of them at the bound"
        )
    if "labellings" in support:
        lines.append(f"support: {support['labellings']} labellings")
    if "features in use" in support:
        lines.append(f"features in use: {support['features in use']}")
    return lines


def cross_validation_lines(
    predicted: NDArray[Any], labels: NDArray[np.float64], regression: bool
) -> str:
    """The scores of a cross validation, in LIBLINEAR's form."""
    if not regression:
        return f"Cross Validation Accuracy = {accuracy(predicted, labels):g}%"
    return (
        f"Cross Validation Mean squared error = {mean_squared_error(predicted, labels):g}\n"
        "Cross Validation Squared correlation coefficient = "
        f"{squared_correlation(predicted, labels):g}"
    )


def measure_line(name: str, value: float) -> str:
    """The value of a measure of all labels."""
    return f"{name} = {100 * value:g}%"


def trial_line(trial: Trial, regression: bool) -> str:
    """A value of C and its score, in LIBLINEAR's form; after the largest C its warning."""
    line = f"log2c={math.log2(trial.cost):7.2f}\t"
    if trial.epsilon is not None:
        line += f"p={trial.epsilon:7.2f}\t"
    score = f"Mean squared error={trial.score:g}" if regression else f"rate={100 * trial.score:g}"
    end = "\nWARNING: maximum C reached." if trial.at_limit else ""
    return f"{line}{score}{end}"


def best_line(best: Trial, regression: bool, name: str = "accuracy") -> str:
    """The end of a search, in LIBLINEAR's form; ``name`` is that of the score."""
    if not regression:
        return f"Best C = {best.cost:g}  CV {name} = {100 * best.score:g}%"
    epsilon = "" if best.epsilon is None else f" Best p = {best.epsilon:g} "
    return f"Best C = {best.cost:g}{epsilon} CV MSE = {best.score:g}"
