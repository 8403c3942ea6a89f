"""The methods of bench_pdprox.py: the package's solvers, the paper's rivals, other packages."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from contest import Contestant, Files, Worker
from nonsmooth_peers import Spec
from pdprox_baselines import BASELINES, Baseline, Scales
from pdprox_curves import Curve, follow, tuned
from pdprox_tasks import THRESHOLDS, Task, problem_of

from rrmlinear import Parameter, Problem
from rrmlinear.catalog.builders.matrices import (
    Entries,
    Tasks,
    completion_solver,
    levels_loss,
    scaled_tasks,
    tasks_solver,
)
from rrmlinear.catalog.selection import select
from rrmlinear.solvers.loop import run as outer_loop
from rrmlinear.solvers.loop.result import Result, Stopping, TraceRow
from rrmlinear.solvers.loop.solver import Solver

#: Step ratios that are tried by hand, as in figure 8.
RATIOS = (10.0, 1.0, 0.1, 0.01, 1e-3, 1e-4, 1e-5)


@dataclass(frozen=True)
class Aim:
    """The optimum and its norm, the levels above it, and the CPU seconds of a run.

    ``factors`` of steps are known from before, or noted when they have been tuned.
    """

    optimum: float
    distance: float
    levels: tuple[float, ...]
    limit: float
    factors: dict[str, float]

    @property
    def targets(self) -> list[float]:
        return [self.optimum * (1 + level) for level in self.levels]


@dataclass(frozen=True)
class Timing:
    """Passes, CPU and wall seconds to each level; infinite where it was not reached."""

    cells: list[tuple[float, float, float]]
    curve: Curve | None = None


Run = Callable[[], Timing]


def solver_of(task: Task, number: int | str, **choices: Any) -> Solver:
    """A solver type, made as the command line makes it."""
    if task.matrix is not None:
        return _solver_of_entries(task)
    problem = problem_of(task)
    names = {"quantile": task.quantile, "epsilon": task.epsilon}
    chosen = {name: value for name, value in names.items() if value is not None}
    chosen["regularizer"] = task.regularizer
    if task.groups is not None:
        chosen["groups"] = np.repeat(np.arange(len(task.groups)), task.groups)
    if task.intercept:
        chosen["free_bias"] = True
    if task.tasks is not None:
        return _solver_of_tasks(task, Parameter(solver=number, loss=task.loss, C=task.C, **chosen))
    parameter = Parameter(solver=number, loss=task.loss, C=task.C, **chosen, **choices)
    selection = select(parameter)
    selection.check_problem(problem)
    y, costs = np.asarray(task.y, dtype=np.float64), np.full(len(task.y), task.C)
    regularizer = selection.regularizer.over((task.X.shape[1],))
    return selection.solver_for(problem.rows, y, None, costs, regularizer)


def _solver_of_tasks(task: Task, parameter: Parameter) -> Solver:
    """The solver that `MultiTaskRegressor` runs: its columns are divided by `_lengths`."""
    chosen = select(parameter, layout=frozenset({"several-columns"}))
    given, omega, _ = scaled_tasks(_examples_of_tasks(task), chosen.regularizer)
    return tasks_solver(given, chosen, omega)


def _examples_of_tasks(task: Task) -> Tasks:
    examples, costs = np.arange(len(task.y)), np.full(len(task.y), task.C)
    rows = Problem.from_arrays(task.X, task.y).rows
    return Tasks(rows, examples, np.asarray(task.tasks), task.y, costs, task.n_tasks)


def _lengths(task: Task) -> Any:
    """What the solver's weights are to be divided by, one for each."""
    if task.tasks is None:
        return 1.0
    parameter = Parameter(solver=37, loss=task.loss, C=task.C, regularizer=task.regularizer)
    chosen = select(parameter, layout=frozenset({"several-columns"}))
    _, _, lengths = scaled_tasks(_examples_of_tasks(task), chosen.regularizer)
    return np.repeat(lengths, task.n_tasks)


def _solver_of_entries(task: Task) -> Solver:
    """The solver that `MatrixCompletion` runs."""
    levels = task.loss == "levels"
    loss = levels_loss(THRESHOLDS) if levels else select(Parameter(solver=37, loss=task.loss)).loss
    assert task.matrix is not None
    places = np.divmod(task.X.indices.astype(np.int64), task.matrix[1])
    costs = np.full(len(task.y), task.C)
    return completion_solver(Entries(*places, task.y, costs, task.matrix), loss)


def weights_of(task: Task, solver: Solver) -> Any:
    """The weights of the certificate, flat; those of a matrix are kept as two factors."""
    w = solver.final_weights()
    if task.matrix is None:
        return w.ravel()
    return (w[: task.matrix[0]] @ w[task.matrix[0] :].T).ravel()


def run_of(
    task: Task,
    solver: Solver,
    target: float = -math.inf,
    limit: float = math.inf,
    gap_tol: float = 1e-9,
) -> tuple[Curve, Result]:
    """A curve of a solver of ours to the target, a gap or the end of its CPU seconds."""
    curve, lengths = Curve(task.objective()), _lengths(task)
    begun = time.process_time()

    def note(row: TraceRow) -> bool:
        spent = time.process_time() - begun - whole.outside_cpu_seconds
        curve.see(row.number, spent, row.seconds, weights, spent > limit)
        return spent > limit or curve.least <= target

    def weights() -> Any:
        return weights_of(task, solver) / lengths

    whole = outer_loop.Run(solver, Stopping(gap_tol=gap_tol, max_passes=2**62), note)
    result = whole.result()
    curve.see(result.passes, result.cpu_seconds, result.seconds, weights, True)
    return curve, result


def timing_of(curve: Curve, aim: Aim) -> Timing:
    return Timing([curve.first(target) for target in aim.targets], curve)


def ours(task: Task, number: int | str, aim: Aim, **choices: Any) -> Run:
    def run() -> Timing:
        solver = solver_of(task, number, **choices)
        curve, _ = run_of(task, solver, aim.targets[-1], aim.limit)
        return timing_of(curve, aim)

    return run


def by_hand(task: Task, number: int, aim: Aim, **choices: Any) -> Run:
    """A run with the best of a few step ratios; the choice is not counted."""

    def merit(ratio: float) -> tuple[float, float]:
        solver = solver_of(task, number, ratio=ratio, **choices)
        curve, _ = run_of(task, solver, aim.targets[-1], aim.limit / 4)
        return max(curve.least, aim.targets[-1]), curve.rows[-1][1]

    name = " ".join([f"ratio of {number}", *choices])
    if name not in aim.factors:
        aim.factors[name] = min(RATIOS, key=merit)
    return ours(task, number, aim, ratio=aim.factors[name], **choices)


def proved(task: Task, number: int | str, aim: Aim) -> Run:
    """A run to a gap of each level, with the time of measuring."""

    def run() -> Timing:
        cells = []
        for level in aim.levels:
            solver = solver_of(task, number)
            limits = {"max_passes": 2**62, "time_limit": 4 * aim.limit}
            result = solver.solve(Stopping(gap_tol=level, **limits))
            seconds = result.measuring_seconds
            spent = result.passes, result.cpu_seconds + seconds, result.seconds + seconds
            cells.append(spent if result.solved else (math.inf,) * 3)
        return Timing(cells)

    return run


def baseline(task: Task, method: Baseline, aim: Aim) -> Run:
    """One of the paper's, with the best of 21 steps."""
    objective, name = task.objective(), method.__name__
    scales = Scales.of(objective, aim.distance)

    def start(factor: float) -> Iterator[Any]:
        return method(objective, scales, factor)

    if name not in aim.factors:
        aim.factors[name] = tuned(objective, start, aim.limit, aim.targets[-1])

    def run() -> Timing:
        with np.errstate(over="ignore", invalid="ignore"):
            begin = partial(start, aim.factors[name])
            curve = follow(objective, begin, aim.limit, aim.targets[-1])
        return timing_of(curve, aim)

    return run


def worker_of(task: Task, name: str, python: str, folder: Path) -> Worker:
    """Another package in a process of its own; raises UnfitError where it takes no part."""
    spec = Spec(
        name=task.name,
        loss=task.loss,
        regularizer=task.regularizer,
        lam=task.lam,
        quantile=task.quantile or 0.5,
        epsilon=task.epsilon or 0.0,
        intercept=task.intercept,
        sizes=() if task.groups is None else tuple(int(size) for size in task.groups),
        tasks=0 if task.tasks is None else task.n_tasks,
    )
    data = task.X if task.tasks is None else task.columns
    return Worker(python, name, Files.write(folder, data, task.y), spec)


def peer(task: Task, name: str, python: str, folder: Path, aim: Aim) -> Run:
    """Another package, with the least effort that reaches each level."""
    objective = task.objective()
    one = Contestant(
        name,
        partial(worker_of, task, name, python, folder),
        lambda w: objective.value(np.asarray(w)),
        aim.limit,
    )
    one.worker = one.start()
    efforts = [one.least_effort(target) for target in aim.targets]
    one.close()

    def run() -> Timing:
        cells = []
        for effort in efforts:
            found = None if effort is None else one.train(effort)
            cells.append((math.nan, math.inf if found is None else found[0], math.nan))
        one.close()
        return Timing(cells)

    return run


PDPROX = {"Pdprox-dual (-s 37)": 37, "Pdprox-primal (-s 38)": 38}
# The paper's methods, without restarts: of one step size or two, and what they keep (figure 7).
AVERAGING = {"averaging": True}
STORAGES = {
    "Pdprox-dual, double-dual": (37, "double-dual"),
    "Pdprox-dual, double-primal": (37, "double-primal"),
    "Pdprox-primal, double-dual": (38, "double-dual"),
}
# More columns than this for a row, and the ways of storing are compared.
WIDE = 1000


def entrants(task: Task) -> dict[str, Callable[[Aim], Run]]:
    """The methods of a task, without other packages, each prepared for an aim."""
    if task.regularizer == "l2" and task.X.shape[1] > WIDE * task.X.shape[0]:
        return {
            name: partial(ours, task, number, storage=kept, **AVERAGING)
            for name, (number, kept) in STORAGES.items()
        }
    found: dict[str, Callable[[Aim], Run]] = {
        name: partial(ours, task, number)
        for name, number in PDPROX.items()
        if number == 37 or task.matrix is None
    }
    found["Pdprox-dual, gap proved"] = partial(proved, task, 37)
    if task.regularizer == "l2":
        found["Pdprox-dual, one step size"] = partial(ours, task, 37, ratio=1.0, **AVERAGING)
        found["Pdprox-dual, two step sizes"] = partial(by_hand, task, 37, **AVERAGING)
        found["Pdprox-dual, ratio by hand"] = partial(by_hand, task, 37)
        found["Pegasos (-s 41)"] = partial(ours, task, 41)
    else:
        found |= {name: partial(baseline, task, one) for name, one in BASELINES.items()}
    return found
