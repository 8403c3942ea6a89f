"""Pragam, AGM-EF, BMRM and the house's own solvers on structured risks: F1, M3N and CRF.

    python tools/papers/structured.py m3n crf f1 --png figure.png

Papers 000 (appendix E) and 001 (examples 3 and 4) carry Pragam and AGM-EF to these risks. Neither
prints a figure for them: figures 6 to 9 of paper 000 are of the hinge (`figures_pragam.py` draws
them), and paper 001 leaves its experiments to a later version. So the picture shows the same curves
for each task: the objective above its minimum and the score of test data, against passes and
against CPU seconds. The tables have our passes and CPU seconds to relative gaps of 1e-2, 1e-3 and
1e-4. Above these stand the passes that the papers' bounds allow on these data. For BMRM the bound
is 8 G²/ε, where G is the length of the longest subgradient. For Pragam it is √(4 L D/ε) with L = Σ
c ‖x‖² and D = Σ c over edges, in the scale ½‖w‖² + C Σ φ.

Gaps are proved: the best objective less the best dual value, whatever the solver. Seconds leave out
the scores of test data. The words are those of ocr-letters, 6190 to train and 687 to test, 26
letters, or the first ones; F1 is that of ijcnn1, or of its first rows, tested on ijcnn1.t. Pragam
needs prox steps of duals. For sequences these are projections on marginals, milliseconds each, so
that it runs on a few words alone ("m3n-few"). RRMLINEAR_DATA names the folder of the sets.
"""

from __future__ import annotations

import argparse
import lzma
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench"))

from data_files import data_file
from measuring import BenchmarkError, check_outputs, write_whole

import rrmlinear
from rrmlinear import ChainModel, SequenceProblem
from rrmlinear.data.products import product
from rrmlinear.losses.measures import FBeta, measured
from rrmlinear.regularizers.separable import L2
from rrmlinear.risks.layouts.chains.chain_loss import LOG_LOSS, STRUCTURED_HINGE
from rrmlinear.risks.layouts.chains.chain_risk import ChainRisk
from rrmlinear.risks.layouts.chains.edge_marginals import EdgeMarginalsRisk
from rrmlinear.risks.layouts.measures import MeasureRisk
from rrmlinear.solvers.bundle.bmrm import BMRM
from rrmlinear.solvers.dual.sequences.frank_wolfe import BlockFrankWolfe
from rrmlinear.solvers.gradient.agm import AGM
from rrmlinear.solvers.gradient.pragam import Pragam
from rrmlinear.solvers.lbfgs.lbfgs import LBFGS
from rrmlinear.solvers.loop import task as tasks
from rrmlinear.solvers.loop.result import Stopping

GAPS = (1e-2, 1e-3, 1e-4)
# Passes whose weights all score the test data; after them those 1 + GROWTH times apart.
EACH, GROWTH = 20, 0.1
# One word of this number is for tests; words of the same letters stand together.
HELD_OUT = 10
Solvers = dict[str, Callable[[Any], Any]]

WHOLE: Solvers = {
    "AGM-EF-∞": lambda risk: AGM(tasks.Task.of(risk, L2())),
    "AGM-EF-1": lambda risk: AGM(tasks.Task.of(risk, L2()), memory="one"),
    "BMRM (qp)": lambda risk: BMRM(tasks.Task.of(risk, L2(), line_search="none")),
    "BMRM (ls)": lambda risk: BMRM(tasks.Task.of(risk, L2(), line_search="none"), update="ls"),
    "BMRM (OCAS)": lambda risk: BMRM(tasks.Task.of(risk, L2())),
}
PROX: Solvers = {
    "Pragam": lambda chain: Pragam(tasks.Task.of(EdgeMarginalsRisk(chain), L2())),
    "AGM-EF-∞, smoothed dual": lambda c: AGM(
        tasks.Task.of(EdgeMarginalsRisk(c), L2(), route="smoothed-dual")
    ),
}
FRANK_WOLFE: Solvers = {"Frank–Wolfe": lambda chain: BlockFrankWolfe(tasks.Task.of(chain, L2()))}
LBFGS_TOO: Solvers = {"L-BFGS": lambda risk: LBFGS(tasks.Task.of(risk, L2()))}


@dataclass(frozen=True)
class Task:
    """``kind``: m3n, crf or f1; ``most`` words or rows to train on, 0 for all."""

    kind: str
    C: float
    most: int
    solvers: Solvers


TASKS = {
    "m3n": Task("m3n", 0.01, 0, FRANK_WOLFE | WHOLE),
    "m3n-large-C": Task("m3n", 0.1, 0, FRANK_WOLFE | WHOLE),
    "m3n-small": Task("m3n", 0.01, 60, FRANK_WOLFE | WHOLE),
    "m3n-few": Task("m3n", 0.01, 5, FRANK_WOLFE | WHOLE | PROX),
    "crf": Task("crf", 0.01, 0, LBFGS_TOO | WHOLE),
    "f1": Task("f1", 1e-3, 0, WHOLE),
    "f1-small": Task("f1", 1.0, 1000, WHOLE),
}


@dataclass(frozen=True)
class Study:
    """A risk, and the percentage of weights on test data: of right letters, or F1."""

    risk: Any
    score: Callable[[Any], float]


@dataclass
class Curve:
    """A run: passes, CPU seconds, objective, dual value, gap and test score of some of them.

    ``found`` are passes and seconds to each of the gaps, None where the limit came first.
    """

    rows: list[tuple[float, ...]] = field(default_factory=list)
    found: list[tuple[int, float] | None] = field(default_factory=lambda: [None] * len(GAPS))

    @property
    def table(self) -> Any:
        return np.array(self.rows).reshape(-1, 6)


def study_of(task: Task) -> Study:
    """The risk of a task, and its score."""
    return f1_study(task) if task.kind == "f1" else words_study(task)


def f1_study(task: Task) -> Study:
    problem = rrmlinear.read_libsvm(data_file("ijcnn1"))
    if task.most:
        problem = problem.take(np.arange(min(task.most, problem.n_examples)))
    test = rrmlinear.read_libsvm(data_file("ijcnn1.t"))
    y, positive = np.sign(problem.labels), test.labels > 0

    def score(w: Any) -> float:
        scores = product(test.rows, w[:, np.newaxis], len(w))[:, 0]
        return 100 * measured(FBeta(1.0), positive, scores)

    return Study(MeasureRisk(problem.rows, FBeta(1.0), y, task.C), score)


def words_study(task: Task) -> Study:
    train, test = words(task.most)
    loss = STRUCTURED_HINGE if task.kind == "m3n" else LOG_LOSS
    k, costs = train.n_labels, np.full(train.n_sequences, task.C)
    risk = ChainRisk(train.rows, train.label, train.starts, k, costs, loss=loss)

    def score(w: Any) -> float:
        nodes, pairs = risk.split(w, train.rows.width)
        model = ChainModel(
            solver_name="",
            labels=train.labels,
            weights=nodes,
            n_features=train.rows.width,
            bias=-1.0,
            loss=task.kind,
            transitions=pairs,
        )
        return 100 * float(np.mean(model.predict(test) == test.labels[test.label]))

    return Study(risk, score)


def words(most: int) -> tuple[SequenceProblem, SequenceProblem]:
    """The words of ocr-letters to train on, or the first of them, and those to test on."""
    problem = rrmlinear.read_libsvm(data_file("ocr-letters"))
    with lzma.open(data_file("ocr-letters.seq"), "rt") as lines:
        word = np.array(lines.read().split(), dtype=np.int64)
    starts = np.concatenate(([0], np.flatnonzero(np.diff(word)) + 1, [len(word)]))
    names, label = np.unique(problem.labels, return_inverse=True)
    whole = SequenceProblem(problem.rows, label.astype(np.int32), starts, names)
    number = np.arange(whole.n_sequences)
    is_test = number % HELD_OUT == HELD_OUT - 1
    train = number[~is_test]
    return whole.take(train[: most or len(train)]), whole.take(number[is_test])


def run(build: Callable[[Any], Any], study: Study, limit: float) -> Curve:
    """A solver until its gap is the last one, or its time is over.

    Frank–Wolfe is run once for each gap, as its passes estimate the gap and prove only the last;
    the bounds of the others hold at every pass.
    """
    curve, every = Curve(), list(range(len(GAPS)))
    alone = isinstance(build(study.risk), BlockFrankWolfe)
    for goals in [[at] for at in every] if alone else [every]:
        curve.rows.clear()
        begin, solver = time.process_time(), build(study.risk)
        watch = Watch(study, solver, curve, goals, limit, begin)
        solver.solve(Stopping(gap_tol=GAPS[goals[-1]]), watch)
    return curve


@dataclass
class Watch:
    """Called after each pass of a solver: notes gaps and scores, and ends the run in time."""

    study: Study
    solver: Any
    curve: Curve
    goals: Sequence[int]
    limit: float
    begin: float
    #: Seconds of scores of test data, and the pass after which they are due.
    judging: float = 0.0
    due: float = 0.0

    def __call__(self, row: Any) -> bool:
        seconds = time.process_time() - self.begin - self.judging
        proved = not row.estimated or len(self.goals) > 1
        for at in self.goals:
            if self.curve.found[at] is None and proved and row.gap <= GAPS[at] * abs(row.primal):
                self.curve.found[at] = row.number, seconds
        over = seconds > self.limit
        if row.number >= self.due or over or self.curve.found[self.goals[-1]] is not None:
            self.due = row.number + (max(1, GROWTH * row.number) if row.number >= EACH else 1)
            score = self.study.score(self.solver.final_weights())
            self.curve.rows.append((row.number, seconds, row.primal, row.dual, row.gap, score))
            self.judging = time.process_time() - self.begin - seconds
        return over


def bounds(risk: Any) -> str:
    """Passes to relative gaps by the papers' bounds, for BMRM and for Pragam."""
    if not isinstance(risk, ChainRisk):
        return "–"
    at_zero = risk.at(risk.scores(np.zeros(risk.shape))).value
    squares, edges = risk.rows.squared_norms() + 1, np.diff(risk.starts) - 1
    costs = np.repeat(risk.sequence_costs, edges + 1)
    G = float(costs @ np.sqrt(2 * squares))
    L, D = float(costs @ squares), float(risk.sequence_costs @ np.maximum(edges, 1))
    planes = [f"{8 * G**2 / (gap * at_zero):.0e}" for gap in GAPS]
    steps = [f"{(4 * L * D / (gap * at_zero)) ** 0.5:.0e}" for gap in GAPS]
    return f"BMRM {' / '.join(planes)}; Pragam {' / '.join(steps)}"


def findings(name: str, curves: dict[str, Curve]) -> Iterator[str]:
    """The solvers at each gap, the quickest first, and the scores at the ends."""
    for at, gap in enumerate(GAPS):
        there = {who: curve.found[at] for who, curve in curves.items()}
        known = {who: found for who, found in there.items() if found is not None}
        if known:
            told = "; ".join(
                f"{who} {known[who][0]} passes, {known[who][1]:.2g} s"
                for who in sorted(known, key=lambda who: known[who][1])
            )
            late = [who for who in there if who not in known]
            rest = f"; not reached by {', '.join(late)}" if late else ""
            yield f"{name} to {gap:g}: {told}{rest}"
    ends = [curve.rows[-1][-1] for curve in curves.values() if curve.rows]
    yield f"{name}: test scores at the end from {min(ends):.1f} to {max(ends):.1f} %"


def draw(panels: dict[str, dict[str, Curve]], path: Path) -> None:
    """A row for each task: objective, then test score, against passes and against seconds."""
    from gap_figure import label
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(who for curves in panels.values() for who in curves))
    figure = Figure(figsize=(15, 3.1 * len(panels) + 0.8), layout="constrained")
    axes = figure.subplots(len(panels), 4, squeeze=False)
    handles = {}
    for (task, curves), row in zip(panels.items(), axes, strict=True):
        least = max(float(curve.table[:, 3].max(initial=-math.inf)) for curve in curves.values())
        for who, curve in curves.items():
            look = {"color": f"C{names.index(who)}", "linewidth": 1.2}
            table = curve.table
            excess = np.minimum.accumulate(np.maximum(table[:, 2] / least - 1, 1e-6))
            for column in (0, 1):
                row[column].loglog(table[:, column], excess, **look)
                (handles[who],) = row[2 + column].semilogx(table[:, column], table[:, 5], **look)
        for axis, along in zip(row, 2 * ("passes", "CPU seconds"), strict=True):
            axis.set(xlabel=along)
            label(axis.xaxis)
            axis.grid(alpha=0.3, linewidth=0.5)
        row[0].set(title=f"{task}, C = {TASKS[task].C:g}", ylabel="objective/minimum − 1")
        row[2].set(ylabel="test F1, %" if TASKS[task].kind == "f1" else "right test letters, %")
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=4, frameon=False)
    figure.savefig(path, format="png", dpi=120)


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tasks", nargs="*", default=list(TASKS), help=", ".join(TASKS))
    parser.add_argument("--limit", type=float, default=60.0, help="CPU seconds a solver")
    parser.add_argument("--png", type=Path, metavar="FILE")
    chosen = parser.parse_args(words)
    unknown = sorted(set(chosen.tasks) - set(TASKS))
    panels: dict[str, dict[str, Curve]] = {}
    try:
        if unknown:
            raise BenchmarkError(f"{unknown[0]} is no task; there are {', '.join(TASKS)}")
        check_outputs(chosen.png)
        for name in chosen.tasks:
            study = study_of(TASKS[name])
            panels[name] = tabled(name, study, chosen.limit)
    except BenchmarkError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    if chosen.png is not None:
        write_whole(chosen.png, partial(draw, panels))
    return 0


def tabled(name: str, study: Study, limit: float) -> dict[str, Curve]:
    """The curves of a task's solvers, printed as a table and sentences."""
    task, curves = TASKS[name], {}
    head = " | ".join(f"passes / s to {gap:g}" for gap in GAPS)
    print(f"\n{name}, C = {task.C:g}; passes by the papers' bounds: {bounds(study.risk)}\n")
    print(f"| solver | {head} | test % |\n| --- |" + " --- |" * (len(GAPS) + 1))
    for who, build in task.solvers.items():
        curve = curves[who] = run(build, study, limit)
        cells = ["–" if at is None else f"{at[0]} / {at[1]:.2f}" for at in curve.found]
        print(f"| {who} | {' | '.join(cells)} | {curve.rows[-1][-1]:.1f} |", flush=True)
    print("\n" + "\n".join(f"found: {sentence}" for sentence in findings(name, curves)))
    return curves


if __name__ == "__main__":
    sys.exit(main())
