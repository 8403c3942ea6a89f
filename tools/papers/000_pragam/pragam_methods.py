"""The solvers that figures_pragam.py compares, and the curve of a run."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from effort import effort_of
from measuring import run_process
from numpy.typing import NDArray
from peers import SOLVERS as PEERS
from problem_sets import l2_tasks
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from rrmlinear import Model, Parameter, Problem, write_libsvm
from rrmlinear.catalog.selection import select
from rrmlinear.losses.margin import SmoothHinge
from rrmlinear.solvers.loop.result import Stopping, TraceRow
from rrmlinear.solvers.loop.run import Run
from rrmlinear.solvers.loop.solver import Solver

LEVELS = (1e-3, 1e-6)
# Passes that are all judged; after them passes judged are at least 1 + GROWTH times apart.
EACH, GROWTH = 40, 0.03
TOLERANCES = tuple(10.0**exponent for exponent in range(4, -9, -1))
#: Columns of a curve: the best objective so far, the accuracy of its weights on the test part, and
#: the least gap that the solver has proved.
COLUMNS = ("iterations", "seconds", "objective", "accuracy", "gap")


@dataclass(frozen=True, eq=False)
class Study:
    """½‖w‖² + C Σ hinge, C = 1/(λn), on a training and a test part.

    ``least`` is a lower bound on its minimum, ``floor`` the relative gap at which solvers end, or
    else after ``limit`` seconds: the processor's of one thread, or the wall clock's of several.
    """

    X: Any
    y: NDArray[np.float64]
    X_test: Any
    y_test: NDArray[np.float64]
    lam: float
    threads: int = 1
    limit: float = 30.0
    floor: float = 1e-7
    least: float = math.nan

    @property
    def C(self) -> float:
        return 1 / (self.lam * len(self.y))

    def clock(self) -> float:
        """Seconds since some moment."""
        return time.process_time() if self.threads == 1 else time.perf_counter()

    def smoothing(self, level: float) -> float:
        """The γ that moves the objective by at most ``level``/2, relative to its minimum."""
        return level * self.least / (self.C * len(self.y))

    def solver(self, number: int | str, **choices: Any) -> Solver:
        """A solver type, made as the command line makes it."""
        problem = Problem.from_arrays(self.X, self.y, bias=1.0 if "free_bias" in choices else -1.0)
        parameter = Parameter(
            solver=number, loss="hinge", C=self.C, threads=self.threads, **choices
        )
        chosen = select(parameter)
        chosen.check_problem(problem)
        costs = np.full(len(self.y), self.C)
        return chosen.solver_for(problem.rows, self.y, None, costs, chosen.regularizer)


@dataclass
class Curve:
    """A run so far. ``bound`` is the best lower bound on the minimum that it proved."""

    study: Study
    rows: list[tuple[float, ...]] = field(default_factory=list)
    bound: float = -math.inf
    next: float = 0.0
    judging: float = 0.0

    def see(
        self, iterations: float, seconds: float, weights: Callable[[], Any], gap: float
    ) -> bool:
        """Judge the weights when they are due; True where the run has used its time."""
        over = seconds > self.study.limit
        if over or not iterations < self.next:
            begin = self.study.clock()
            self._judge(iterations, seconds, weights().ravel(), gap)
            self.next = iterations + (max(1, GROWTH * iterations) if iterations >= EACH else 1)
            self.judging += self.study.clock() - begin
        return over

    def _judge(self, iterations: float, seconds: float, w: NDArray[Any], gap: float) -> None:
        study, d = self.study, self.study.X.shape[1]
        level = w[d] if len(w) > d else 0.0
        lacks = 1 - study.y * (study.X @ w[:d] + level)
        objective = study.C * float(np.maximum(lacks, 0).sum()) + float(w[:d] @ w[:d]) / 2
        last = self.rows[-1] if self.rows else (0.0, 0.0, math.inf, 0.0, math.inf)
        accuracy = last[3]
        if objective < last[2]:
            scores = study.X_test @ w[:d] + level
            accuracy = float(((scores > 0) == (study.y_test > 0)).mean())
        least = min(objective, last[2])
        self.rows.append((iterations, seconds, least, accuracy, min(gap, last[4])))

    @property
    def table(self) -> NDArray[np.float64]:
        """A row for each judgement, of `COLUMNS`."""
        return np.array(self.rows)


@dataclass(frozen=True)
class Method:
    """A solver by name; ``biased`` where its problem has an intercept, and so another minimum.

    ``run`` raises ImportError where what it needs is not installed.
    """

    name: str
    run: Callable[[Study], Curve]
    biased: bool = False


def ours(name: str, number: int | str, level: float | None = None, **choices: Any) -> Method:
    """A solver type of the registry, of a smoothed hinge where there is a ``level`` to reach."""

    def run(study: Study) -> Curve:
        smooth = {} if level is None else {"smoothing": study.smoothing(level)}
        solver, curve = study.solver(number, **choices, **smooth), Curve(study)

        def note(row: TraceRow) -> bool:
            spent = row.seconds
            if study.threads == 1:
                spent = study.clock() - begin - whole.outside_cpu_seconds
            return curve.see(row.number, spent, solver.final_weights, told(row.gap))

        def told(gap: float) -> float:  # of the hinge itself
            return math.inf if smooth else gap

        stopping = Stopping(gap_tol=study.floor, max_passes=2**62, time_limit=20 * study.limit)
        begin = study.clock()
        whole = Run(solver, stopping, note)
        result = whole.result()
        curve.next = 0
        spent = result.cpu_seconds if study.threads == 1 else result.seconds
        curve.see(result.passes, spent, lambda: result.weights, told(result.gap))
        if not smooth and "free_bias" not in choices:
            curve.bound = result.dual
        return curve

    return Method(name, run, "free_bias" in choices)


def lbfgs(name: str, level: float) -> Method:
    """scipy's, on a smoothed hinge; an iteration is a value and a gradient, by our products."""

    def run(study: Study) -> Curve:
        solver = study.solver(42, smoothing=study.smoothing(level))
        risk, curve, count = solver.risk, Curve(study), 0
        assert isinstance(risk.loss, SmoothHinge)
        begin = study.clock()

        def objective(w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            nonlocal count
            count += 1
            value, derivatives = risk.at(risk.scores(w)).tangent()
            return value + w @ w / 2, risk.gradient(derivatives) + w

        def note(intermediate_result: Any) -> None:
            seconds = study.clock() - begin - curve.judging
            if curve.see(count, seconds, lambda: intermediate_result.x, math.inf):
                raise StopIteration

        to_the_end = {"maxiter": 2**30, "maxfun": 2**30, "ftol": 0.0, "gtol": 0.0}
        how = {"method": "L-BFGS-B", "callback": note, "options": to_the_end}
        w, least = np.zeros(study.X.shape[1]), math.inf
        with threadpool_limits(1, user_api="blas"):
            while True:  # its line search gives up at times, where a fresh start goes on
                end = minimize(objective, w, jac=True, **how)
                if not end.fun < least or study.clock() - begin > study.limit:
                    return curve
                w, least = end.x, end.fun

    return Method(name, run)


def liblinear(name: str, program: str | None = None) -> Method:
    """LIBLINEAR's ``-s 3``: a whole training for each tolerance; iterations are not told.

    By its Python package, data converted beforehand, or by a program, reading and writing included,
    in wall seconds.
    """

    def run(study: Study) -> Curve:
        curve, clock = Curve(study), time.perf_counter if program else study.clock
        with tempfile.TemporaryDirectory() as folder:
            train = _by_program(program, study, Path(folder)) if program else _by_package(study)
            last = None
            for tolerance in TOLERANCES:
                begin = clock()
                w = train(tolerance)
                seconds = clock() - begin
                if curve.see(math.nan, seconds, lambda w=w: w, math.inf):
                    break
                if last is not None and np.array_equal(w, last) and tolerance < 1:
                    break  # it gives up after a number of iterations
                last = w
        return curve

    return Method(name, run)


def _by_package(study: Study) -> Callable[[float], NDArray[Any]]:
    make = PEERS["LIBLINEAR dual (-s 3, 1, 7)"]
    train = make(study.X, study.y, l2_tasks(["hinge"], study.C)[0])
    return lambda tolerance: train(effort_of(tolerance))


def _by_program(program: str, study: Study, folder: Path) -> Callable[[float], NDArray[Any]]:
    data, model = folder / "data", folder / "model"
    write_libsvm(data, Problem.from_arrays(study.X, study.y))

    def train(tolerance: float) -> NDArray[Any]:
        words = [program, "-s", "3", "-q", "-c", repr(study.C), "-e", repr(tolerance)]
        run_process([*words, str(data), str(model)])
        found = Model.load(model)
        return found.weights.ravel() * found.labels[0]

    return train


METHODS = {
    method.name: method
    for method in (
        ours("Pragam", 34),
        ours("Pragam-b", 34, free_bias=True),
        ours("AGM-EF-∞", 35),
        ours("AGM-EF-1", 36),
        ours("BMRM", 39, line_search="none"),
        ours("BMRM, line search", 39),
        ours("ls-BMRM", 40),
        *(ours(f"FISTA, smoothed for {level:g}", 42, level) for level in LEVELS),
        *(lbfgs(f"L-BFGS, smoothed for {level:g}", level) for level in LEVELS),
        ours("Newton", "newton"),
        ours("Pegasos-1", 41),
        ours("Pegasos-n", 41, batch=2**62),
        liblinear("LIBLINEAR -s 3"),
    )
}
