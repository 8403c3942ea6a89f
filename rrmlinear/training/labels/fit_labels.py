"""`fit_labels`: a problem of many labels and a parameter give a model."""

from __future__ import annotations

import time
from collections.abc import Callable
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh64

from rrmlinear.catalog.errors import ChoiceError, Named
from rrmlinear.catalog.selection import Selection, select
from rrmlinear.core.deadline import ends_within
from rrmlinear.core.loading import loading
from rrmlinear.core.records import replace
from rrmlinear.core.warned import warn_caller
from rrmlinear.data.label_sets import MultilabelProblem
from rrmlinear.data.problem import check_kind
from rrmlinear.training.costs import checked_costs
from rrmlinear.training.fit import NotSolvedWarning
from rrmlinear.training.labels.journal import Journal
from rrmlinear.training.labels.label_model import LabelModel
from rrmlinear.training.labels.label_result import LabelResult
from rrmlinear.training.labels.problems import LabelProblems
from rrmlinear.training.labels.terms import DEFAULT_TERMS, LabelTerms
from rrmlinear.training.labels.work import Crew, LabelWork, Threads, bytes_of, gap_of, shares_rows
from rrmlinear.training.starts import check_starts
from rrmlinear.training.streaming import streamed

if TYPE_CHECKING:
    from rrmlinear.catalog.parameter import Parameter
    from rrmlinear.solvers.loop.label_ends import LabelEnd

#: A caller's look at a label that has ended, by its name; the run ends where it returns True.
OnLabel = Callable[[Any, "LabelEnd"], Any]


def fit_labels(
    problem: MultilabelProblem,
    parameter: Parameter,
    on_label: OnLabel | None = None,
    *,
    costs: Any = None,
    positive_weight: Any = 1.0,
    prune: float = 0.0,
    keeps_duals: bool = False,
    start: LabelModel | None = None,
    known: LabelModel | None = None,
    journal: str | PathLike[str] | None = None,
) -> LabelModel:
    """minimize Ω(w_l) + Σ_i C_il φ(x_i'w_l, y_il) for each label l, y_il = 1 where row i has it,
    else −1.

    C_il is C · weight of the example · ``costs``[l], and ``positive_weight`` (one number, or one
    for each label) times that where the row has the label. ``parameter`` names Ω and φ as for
    `fit`, of the losses of two classes. Labels are independent; each is solved to a gap of
    ``gap_tol`` · P, by default 1e-3. Labels of no row, or of all, have no problem: their score is
    −1 or 1, that of a probability of 0 or 1 where the loss has them, and a note gives their number.

    Under ½‖w‖², rows are read once for sixteen labels (`LabelAscent`); other regularizers, and
    solvers that are named, solve label after label. Weights are kept as nonzeros, in single
    precision from a tolerance of 1e-4 on. ``prune`` > 0 drops weights below it and fits the bias
    again; the certificate is that of the weights that are left. ``start`` is a model with the duals
    of the same examples, or, where labels are solved one after another, with weights of these
    features: labels of the same name begin there. ``known`` is a model whose labels are taken as
    they are, also those that the problem has not: only the others are trained. ``journal``
    names a file that grows by each label that ends. A run that was killed goes on from it; it is
    left to the caller to remove.

    ``on_label`` is called with a label and its `LabelEnd`; where it returns True the run stops, and
    labels that were not reached have weights of 0. Threads solve other labels at once, with the
    same bits for any number of them.

    Raises ChoiceError (a ValueError) for wrong parameters, TypeError for another kind of problem,
    ValueError for costs that are negative or of another length. Warns (NotSolvedWarning) where a
    label has not reached the tolerance.
    """
    check_kind("fit_labels", problem, MultilabelProblem, "MultilabelProblem.from_arrays(X, Y)")
    terms = LabelTerms(costs, positive_weight, prune, keeps_duals, start, known, journal)
    model = solve_labels(problem, select(parameter), terms, on_label)
    warn_unless_ended(model)
    return model


def warn_unless_ended(model: LabelModel) -> None:
    """Warn the caller of a function that fits where a label has not reached the tolerance."""
    assert model.result is not None
    if not model.result.solved:
        warn_caller(model.result.shortfall(), NotSolvedWarning)


def solve_labels(
    problem: MultilabelProblem,
    chosen: Selection,
    terms: LabelTerms = DEFAULT_TERMS,
    on_label: OnLabel | None = None,
    crew_of: Callable[..., Crew] | None = None,
) -> LabelModel:
    """`fit_labels` with a `Selection`, without the warning. ``crew_of`` makes what solves the
    problems, of the arguments of `LabelWork`; by default threads.
    """
    check_labels(problem, chosen)
    begun = time.perf_counter() - loading.seconds, time.process_time() - loading.cpu_seconds
    sides = terms.sides(problem.labels.n_labels)
    if terms.prune and not shares_rows(chosen):
        raise ValueError(
            f"prune is {terms.prune:g}; weights are dropped under the regularizer l2 alone, and by "
            "the automatic solver or one of LIBLINEAR's types"
        )
    if terms.start is not None and not shares_rows(chosen):
        check_starts(chosen)
    known = terms.known
    if known is not None:
        known.check_like(problem, chosen.loss_row.name)
        fresh = known.are_new(problem.labels.names)
        problem = replace(problem, labels=problem.labels.some(np.flatnonzero(fresh)))
        sides = sides[0][fresh], sides[1][fresh]
    if problem.container is not None or chosen.choices.memory is not None:
        problem = streamed(problem, chosen, bytes_of(problem, chosen, terms.prune))
    kept = None
    if terms.journal is not None:
        kept = Journal(terms.journal, _facts(problem, chosen, sides, terms))
    try:
        with ends_within(chosen.choices.time_limit):
            given = problem, chosen, _costs_of(problem, chosen), sides
            work = *given, terms.prune, terms.keeps_duals
            crew: Crew
            if crew_of is None:
                crew = Threads(LabelWork(*work), chosen.choices.threads)
            else:
                crew = crew_of(*work)
            problems = LabelProblems(*given, crew)
            found = problems.solve(on_label, terms.keeps_duals, terms.start, kept)
    finally:
        if kept is not None:
            kept.close()
        if problem.rows.blocks is not None:
            problem.rows.blocks.release()
    spent = (
        time.perf_counter() - loading.seconds - begun[0],
        time.process_time() - loading.cpu_seconds - begun[1],
    )
    notes = found.notes
    if problem.rows.blocks is not None:
        notes = [problem.rows.blocks.reason, *notes]
    result = LabelResult(
        found.status,
        found.primal,
        found.dual,
        found.proven,
        found.ended,
        found.passes,
        gap_of(chosen),
        *spent,
        found.duals(problem.n_examples) if terms.keeps_duals else None,
        tuple(notes),
    )
    model = LabelModel(
        names=problem.labels.names,
        weights=found.weights(problem.n_features),
        intercepts=found.intercept,
        bias=problem.bias,
        loss=chosen.loss_row.name,
        solver_name=chosen.solver.name,
        counts=problem.labels.counts,
        parameter=chosen.choices,
        result=result,
        feature_names=problem.feature_names,
    )
    return model if known is None else known.joined(model)


def check_labels(problem: MultilabelProblem, chosen: Selection) -> None:
    """Raise ValueError for choices and problems that many labels do not take."""
    if chosen.kind != "binary":
        raise ChoiceError(
            Named("loss", chosen.loss_row.name),
            " is no loss of two classes: with many labels each is trained against the rest",
            field="loss",
            value=chosen.loss_row.name,
        )
    chosen.check_problem(problem)
    if problem.labels.n_labels == 0:
        raise ValueError("the problem has no labels")
    if chosen.choices.class_weights:
        raise ChoiceError(
            Named("class_weights"),
            " are of classes; the factor of rows with a label is positive_weight",
            field="class_weights",
            value=chosen.choices.class_weights,
        )


def _facts(
    problem: MultilabelProblem,
    chosen: Selection,
    sides: tuple[NDArray[np.float64], NDArray[np.float64]],
    terms: LabelTerms,
) -> dict[str, Any]:
    """What a journal is of: data by their checksums, and choices."""
    labels, rows, container = problem.labels, problem.rows, problem.container
    data = [problem.weights, labels.begins, labels.members]
    data += [rows.values, rows.indices, rows.indptr] if container is None else [container.table]
    every = [np.ascontiguousarray(each) for each in (*data, *sides) if each is not None]
    digest = xxh64()
    for array in every:
        digest.update(array.data)
    digest.update(repr(labels.names.tolist()).encode())
    choices = replace(chosen.choices, threads=1, time_limit=None)
    return {
        "format": "rrmlinear journal 2",
        "data": digest.hexdigest(),
        "shape": [*rows.shape, labels.n_labels],
        "choices": repr(choices),
        "prune": terms.prune,
        "duals": terms.keeps_duals,
        "bias": problem.bias,
    }


def _costs_of(problem: MultilabelProblem, chosen: Selection) -> NDArray[np.float64]:
    weights = np.ones(problem.n_examples) if problem.weights is None else problem.weights
    with np.errstate(over="ignore"):
        return checked_costs(chosen.choices.C * weights)
