"""Sequences trained: a risk of chains, and cross validation by sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.choices import Choices
from rrmlinear.catalog.errors import ChoiceError, Named
from rrmlinear.catalog.parameter import Parameter
from rrmlinear.catalog.regularizers import REGULARIZERS, build_regularizer
from rrmlinear.catalog.selection import Selection, select
from rrmlinear.core.warned import warn_caller
from rrmlinear.data.problem import check_kind
from rrmlinear.data.sequences import SequenceProblem
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.risks.layouts.chains.chain_risk import ChainRisk
from rrmlinear.risks.layouts.chains.observed_pairs import ObservedChainRisk
from rrmlinear.solvers.loop.result import OnPass, Result
from rrmlinear.training.chain_model import ChainModel
from rrmlinear.training.costs import checked_costs
from rrmlinear.training.cross_validation import parts_of
from rrmlinear.training.fit import MAX_WEIGHTS, NotSolvedWarning

Vector = NDArray[np.float64]

#: Choices that differ between columns.
COLUMNS = ("groups", "lower", "upper", "penalty_factors", "unpenalized")


def fit_sequences(
    problem: SequenceProblem,
    parameter: Parameter,
    on_pass: OnPass | None = None,
    start: ChainModel | None = None,
) -> ChainModel:
    """minimize Ω(W, T) + Σ_s C c_s φ_s(W, T) over sequences s with weights c_s.

    ``parameter`` names the loss φ, "crf" or "m3n", and the regularizer Ω, by default
    ½‖W‖² + ½‖T‖². W has a column of weights for each label, and T a weight for each pair of labels
    that follow each other; where the problem has features of edges, each has such weights too.
    Groups, bounds and columns without penalty are those of the rows of W.
    ``start`` is a model of the same features and labels, whose weights the solver begins from.

    ``on_pass``, the result and errors are as in `rrmlinear.fit`.
    """
    check_kind("fit_sequences", problem, SequenceProblem, "SequenceProblem.from_lists(X, y)")
    return fit_chains(problem, select(parameter), on_pass, start)


def fit_chains(
    problem: SequenceProblem,
    chosen: Selection,
    on_pass: OnPass | None = None,
    start: ChainModel | None = None,
) -> ChainModel:
    """`fit_sequences` with a `Selection`."""
    model, result = solve_chains(problem, chosen, on_pass, start)
    if not result.ended:
        warn_caller(result.shortfall(), NotSolvedWarning)
    return model


def solve_chains(
    problem: SequenceProblem,
    chosen: Selection,
    on_pass: OnPass | None = None,
    start: ChainModel | None = None,
) -> tuple[ChainModel, Result]:
    """`fit_chains`, without the warning that the tolerance was not reached.

    Raises MemoryError for more weights than a process can address.
    """
    check_sequences(problem, chosen, "positions")
    rows, k = problem.rows, problem.n_labels
    if (rows.width + k * (1 + problem.n_edge_features)) * k > MAX_WEIGHTS:
        raise MemoryError(f"no process can address weights of {rows.width} features")
    costs = sequence_costs(problem, chosen.choices.C)
    observed = bool(chosen.choices.observed)
    threads = chosen.choices.threads
    given = (rows, problem.label, problem.starts, k, costs, threads, chosen.loss)
    risk = (ObservedChainRisk if observed else ChainRisk)(*given, edges=problem.edges)
    omega = _regularizer(chosen, problem).over(risk.shape)
    weights, labellings = (None, None) if start is None else _first(start, problem)
    if weights is not None and isinstance(risk, ObservedChainRisk):
        weights = risk.chosen(weights)
    solver = chosen.solver_for(
        rows, problem.label, None, costs, omega, labellings, risk=risk, weights=weights
    )
    result = solver.solve(chosen.stopping, on_pass)
    nodes, pairs = risk.split(result.weights, rows.width)
    model = ChainModel(
        solver_name=chosen.solver.name,
        labels=problem.labels,
        weights=nodes,
        n_features=problem.n_features,
        bias=problem.bias,
        loss=chosen.loss_row.name,
        transitions=pairs[:k],
        edge_weights=None if problem.edges is None else pairs[k:].reshape(-1, k, k),
        feature_names=problem.feature_names,
        parameter=chosen.choices,
        result=result,
        labellings=solver.labellings() if hasattr(solver, "labellings") else None,
    )
    return model, result


def check_sequences(problem: SequenceProblem, chosen: Selection, positions: str) -> None:
    """Raise unless the loss is one of sequences and there are two labels; ``positions`` is what the
    error calls these.
    """
    if chosen.kind != "chain":
        raise ChoiceError(
            Named("loss", chosen.loss_row.name),
            " is of examples, and the problem has sequences",
            field="loss",
            value=chosen.loss_row.name,
        )
    if problem.n_labels < 2:
        raise ValueError(
            f"all {problem.n_positions} {positions} have label {problem.labels[0]}: training takes "
            "at least two"
        )


def sequence_costs(problem: SequenceProblem, C: float) -> Vector:
    """C times the weight of every sequence."""
    if problem.weights is None:
        return np.full(problem.n_sequences, float(C))
    with np.errstate(over="ignore"):
        return checked_costs(C * problem.weights)


def _first(start: ChainModel, problem: SequenceProblem) -> tuple[Vector, Any]:
    """The weights of another model as one array, and its labellings if it was trained with some.

    Raises ValueError where features or labels differ.
    """
    if not start.fits(problem):
        raise ValueError(
            f"the model to start from has {len(start.labels)} labels and {len(start.weights)} "
            f"columns, and the sequences have {problem.n_labels} and {problem.rows.width}: labels "
            "and features must be the same, those of edges too"
        )
    weights = np.concatenate([start.weights.ravel(), start.pairs.ravel()])
    kept, lengths = start.labellings, np.diff(problem.starts)
    if kept is None or len(kept.numbers) != len(lengths):
        return weights, None
    return weights, kept if int(kept.numbers @ lengths) == len(kept.labels) else None


def _regularizer(chosen: Selection, problem: SequenceProblem) -> Regularizer:
    """Ω with choices of columns spread over the weights of their labels."""
    choices = chosen.choices
    if all(getattr(choices, name) is None for name in COLUMNS):
        return chosen.regularizer
    row = REGULARIZERS[choices.regularizer or chosen.solver.regularizer]
    return build_regularizer(row, spread(choices, problem))


def spread(choices: Choices, problem: SequenceProblem) -> Choices:
    """Choices of columns as choices of weights, those of the labels of a column alike.

    The appended column, the transitions and each feature of edges have a group and no bounds.
    Raises ValueError for other numbers of columns than the problem has.
    """
    d, k = problem.n_features, problem.n_labels
    behind = 2 + problem.n_edge_features
    sizes = [k] * d + [(problem.rows.width - d) * k] + [k * k] * (behind - 1)

    def numbers(given: Any, other: float, name: str) -> Vector:
        array = np.asarray(given, dtype=np.float64)
        if array.ndim and array.shape != (d,):
            raise ValueError(f"{name} has {array.size} numbers, and there are {d} columns")
        return np.repeat(np.append(np.broadcast_to(array, (d,)), [other] * behind), sizes)

    new: dict[str, Any] = {}
    if choices.groups is not None:
        new["groups"] = _groups(choices.groups, d, sizes)
    if choices.lower is not None:
        new["lower"] = numbers(choices.lower, -np.inf, "lower")
    if choices.upper is not None:
        new["upper"] = numbers(choices.upper, np.inf, "upper")
    if choices.penalty_factors is not None:
        new["penalty_factors"] = numbers(choices.penalty_factors, 1.0, "penalty_factors")
    if choices.unpenalized is not None:
        places = np.asarray(choices.unpenalized, dtype=np.int64)
        wrong = places[(places < 0) | (places >= d)]
        if wrong.size:
            raise ValueError(f"unpenalized has column {wrong[0]}; the columns are 0 … {d - 1}")
        new["unpenalized"] = (places[:, np.newaxis] * k + np.arange(k)).ravel()
    return replace(choices, **new)


def _groups(groups: Any, d: int, sizes: Sequence[int]) -> NDArray[np.int64]:
    array = np.asarray(groups)
    if array.shape != (d,):
        raise ValueError(f"groups has shape {array.shape}; it must have {d} numbers, one a column")
    names, index = np.unique(array, return_inverse=True)
    return np.repeat(np.append(index, len(names) + np.arange(len(sizes) - d)), sizes)


def cross_validate_sequences(
    problem: SequenceProblem,
    chosen: Selection,
    folds: int,
    on_pass: OnPass | None = None,
    train: Callable[..., Any] = fit_chains,
) -> NDArray[Any]:
    """Predict the label of each position by a model trained on the other folds, by ``train``.

    The folds are of sequences; else as `cross_validate`. A ValueError names the fold.
    """
    predicted = np.empty(problem.n_positions, dtype=problem.labels.dtype)
    lengths = np.diff(problem.starts)
    for name, held_out, rest in parts_of(problem.n_sequences, folds, chosen.choices.seed):
        try:
            model = train(problem.take(rest), chosen, on_pass)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        found = model.predict(problem.take(held_out))
        in_order = np.concatenate(([0], np.cumsum(lengths[held_out])))
        places = np.arange(in_order[-1]) + np.repeat(
            problem.starts[held_out] - in_order[:-1], lengths[held_out]
        )
        predicted[places] = found
    return predicted
