"""Builders of the risk of sequences and of its solvers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.builders import batch
from rrmlinear.catalog.errors import ChoiceError, Named
from rrmlinear.catalog.task import Task
from rrmlinear.core.loading import loading
from rrmlinear.data.rows import Rows
from rrmlinear.solvers.loop.solver import Solver

if TYPE_CHECKING:
    from rrmlinear.risks.layouts.chains.chain_loss import ChainLoss
    from rrmlinear.risks.layouts.chains.chain_risk import ChainRisk

# Cutting planes take sequences of at least LONG positions on average, if there are at most
# MOST_WEIGHTS weights for each position of the mean sequence: they need about a plane a weight.
LONG, MOST_WEIGHTS = 50, 5


def graph_risk(
    rows: Rows,
    label: NDArray[np.int32],
    cliques: Any,
    costs: NDArray[np.float64],
    loss: ChainLoss,
    threads: int,
) -> ChainRisk:
    """F of graphs over their `Cliques` with these costs."""
    with loading:
        from rrmlinear.risks.layouts.graphs.graph_risk import GraphRisk

    return GraphRisk(rows, label, cliques, costs, threads, loss)


def chain_risk(
    rows: Rows,
    label: NDArray[np.int32],
    starts: NDArray[np.int64],
    k: int,
    costs: NDArray[np.float64],
    loss: ChainLoss,
    threads: int,
    observed: bool = False,
    edges: Rows | None = None,
) -> ChainRisk:
    """F of sequences with these costs; ``observed``: with weights of pairs that occur alone."""
    with loading:
        from rrmlinear.risks.layouts.chains.chain_risk import ChainRisk
        from rrmlinear.risks.layouts.chains.observed_pairs import ObservedChainRisk

    made = ObservedChainRisk if observed else ChainRisk
    return made(rows, label, starts, k, costs, threads, loss, edges=edges)


def _need_chains(task: Task) -> None:
    """Raise ChoiceError for graphs."""
    if not task.risk.is_chain:
        value = task.choices.solver
        raise ChoiceError(
            Named("solver", value), " is for sequences, not for graphs", field="solver", value=value
        )


def frank_wolfe(task: Task) -> Solver:
    """Frank–Wolfe steps of one sequence after the other, from labellings if there are some."""
    _need_chains(task)
    with loading:
        from rrmlinear.solvers.dual.sequences.frank_wolfe import BlockFrankWolfe

    solver = BlockFrankWolfe(task.risk, task.regularizer, task.choices.seed, start=task.start)
    if task.choices.threads > 1:
        solver.notes.append(f"it uses one thread, not {task.choices.threads}")
    return solver


def marginals(task: Task) -> Solver:
    """Steps on the marginals of one sequence after the other."""
    _need_chains(task)
    with loading:
        from rrmlinear.solvers.dual.sequences.marginals import SequenceMarginals

    solver = SequenceMarginals(task.risk, task.regularizer, task.choices.seed)
    if task.choices.threads > 1:
        solver.notes.append(f"it uses one thread, not {task.choices.threads}")
    return solver


def pragam(task: Task) -> Solver:
    """Pragam; its dual steps of sequences are projections on the marginals of their edges."""
    if "chain" not in task.features:
        return batch.pragam(task)
    _need_chains(task)
    with loading:
        from rrmlinear.risks.layouts.chains.edge_marginals import EdgeMarginalsRisk

    return batch.pragam(replace(task, risk=EdgeMarginalsRisk(task.risk)))


def lbfgs(task: Task) -> Solver:
    """L-BFGS over all sequences."""
    with loading:
        from rrmlinear.solvers.lbfgs.lbfgs import LBFGS

    return LBFGS(task.risk, task.regularizer, task.weights)


def newton_cg(task: Task) -> Solver:
    """Newton's method over all sequences, its systems solved by conjugate gradients."""
    _need_chains(task)
    with loading:
        from rrmlinear.solvers.lbfgs.lbfgs import NewtonCG

    return NewtonCG(task.risk, task.regularizer, task.weights)


def automatic(task: Task) -> Solver:
    """The solver for sequences or graphs that suits loss and regularizer."""
    by_visits = task.risk.is_chain and not task.choices.observed and not _is_long(task.risk)
    if by_visits and {"labellings", "linear"} <= task.features:
        return frank_wolfe(task)
    if {"smooth", "linear"} <= task.features:
        return lbfgs(task)
    if "strongly-convex" in task.features:
        return batch.bmrm(task, "qp")
    return batch.agm(task)


def _is_long(risk: Any) -> bool:
    """Whether the mean sequence is so long that cutting planes are ahead of Frank–Wolfe.

    A visit adds one labelling of the whole sequence, which says little of a long one.
    """
    length = risk.n / (len(risk.starts) - 1)
    return length >= LONG and risk.shape[0] <= MOST_WEIGHTS * length
