"""Pragam, AGM-EF, BMRM and the house's own solvers on structured risks: F1, M3N and CRF.

    python tools/papers/structured.py --data ../shared/data

Papers 000 (appendix E) and 001 (examples 3 and 4) carry Pragam and AGM-EF to these risks. Neither
prints a figure for them: figures 6 to 9 of paper 000 are of the hinge (`figures_pragam.py` draws
them), and paper 001 leaves its experiments to a later version. So each table has our passes and CPU
seconds to relative gaps of 1e-2, 1e-3 and 1e-4, and over it the passes that the papers' bounds
allow on these data: 8 G²/ε for BMRM, G the length of the longest subgradient, and √(4 L D/ε) for
Pragam, L = Σ c ‖x‖² and D = Σ c over edges, in the scale ½‖w‖² + C Σ φ.

Gaps are proved: the best objective less the best dual value, whatever the solver. The words are
those of ocr-letters (6877 words, 26 letters), or its first ones; F1 is that of ijcnn1. Pragam needs
prox steps of duals. For sequences these are projections on marginals, milliseconds each, so that it
runs on a few words alone ("m3n-small").
"""

from __future__ import annotations

import argparse
import lzma
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import rrmlinear
from rrmlinear.data.rows import Rows
from rrmlinear.losses.margin import Hinge
from rrmlinear.losses.measures import FBeta
from rrmlinear.regularizers.separable import L2
from rrmlinear.risks.layouts.chains import LOG_LOSS, STRUCTURED_HINGE, ChainLoss, ChainRisk
from rrmlinear.risks.layouts.edge_marginals import EdgeMarginalsRisk
from rrmlinear.risks.layouts.measures import MeasureRisk
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.solvers.bundle.bmrm import BMRM
from rrmlinear.solvers.dual.sequences.frank_wolfe import BlockFrankWolfe
from rrmlinear.solvers.gradient.agm import AGM
from rrmlinear.solvers.gradient.pragam import Pragam
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.solvers.second_order.lbfgs import LBFGS

GAPS = (1e-2, 1e-3, 1e-4)
Solvers = dict[str, Callable[[Any], Any]]

WHOLE: Solvers = {
    "AGM-EF-∞": lambda risk: AGM(risk, L2()),
    "AGM-EF-1": lambda risk: AGM(risk, L2(), memory="one"),
    "BMRM (qp)": lambda risk: BMRM(risk, L2(), line_search=False),
    "BMRM (ls)": lambda risk: BMRM(risk, L2(), update="ls", line_search=False),
    "BMRM (OCAS)": lambda risk: BMRM(risk, L2()),
}
PROX: Solvers = {
    "Pragam": lambda chain: Pragam(EdgeMarginalsRisk(chain), L2()),
    "AGM-EF-∞, smoothed dual": lambda c: AGM(EdgeMarginalsRisk(c), L2(), route="smoothed-dual"),
}
FRANK_WOLFE: Solvers = {"Frank–Wolfe": lambda chain: BlockFrankWolfe(chain, L2())}
#: Task: whether it is of sequences, C, words (0: all), and the solvers.
TASKS: dict[str, tuple[str, float, int, Solvers]] = {
    "m3n": ("m3n", 0.01, 0, FRANK_WOLFE | WHOLE),
    "m3n-large-C": ("m3n", 0.1, 0, FRANK_WOLFE | WHOLE),
    "m3n-small": ("m3n", 0.01, 60, FRANK_WOLFE | WHOLE | PROX),
    "crf": ("crf", 0.01, 0, {"L-BFGS": lambda risk: LBFGS(risk, L2())} | WHOLE),
    "f1": ("f1", 1e-3, 0, WHOLE),
}


def words(folder: Path, most: int) -> tuple[Rows, Any, Any, int]:
    """Rows, labels and starts of ocr-letters, or of its first words, and the number of letters."""
    problem = rrmlinear.read_libsvm(folder / "ocr-letters.xz")
    with lzma.open(folder / "ocr-letters.seq.xz", "rt") as lines:
        word = np.array(lines.read().split(), dtype=np.int64)
    starts = np.concatenate(([0], np.flatnonzero(np.diff(word)) + 1, [len(word)]))
    names, label = np.unique(problem.labels, return_inverse=True)
    if most:
        starts = starts[: most + 1]
    n = int(starts[-1])
    return problem.rows.between(0, n), label[:n].astype(np.int32), starts, len(names)


def risk_of(kind: str, C: float, most: int, folder: Path) -> Any:
    """The risk of a task."""
    if kind == "f1":
        problem = rrmlinear.read_libsvm(folder / "ijcnn1.xz")
        y = np.sign(problem.labels)
        return MeasureRisk(ScalarRisk(problem.rows, Hinge(), y, np.full(len(y), C)), FBeta(1.0))
    rows, label, starts, k = words(folder, most)
    loss: ChainLoss = STRUCTURED_HINGE if kind == "m3n" else LOG_LOSS
    return ChainRisk(rows, label, starts, k, np.full(len(starts) - 1, C), loss=loss)


def run(build: Callable[[Any], Any], risk: Any, limit: float) -> list[tuple[int, float] | None]:
    """(passes, CPU seconds) to each of the gaps, or None where the limit came first.

    Frank–Wolfe is run once for each, as its passes estimate the gap and prove only the last; the
    bounds of the others hold at every pass.
    """
    found: list[tuple[int, float] | None] = [None] * len(GAPS)
    for last in range(len(GAPS)):
        begin, solver = time.process_time(), build(risk)
        alone = isinstance(solver, BlockFrankWolfe)
        goals = [last] if alone else list(range(len(GAPS)))

        def look(row: Any, begin: float = begin, goals: Any = goals, alone: bool = alone) -> bool:
            seconds = time.process_time() - begin
            for at in goals:
                proved = not (alone and row.estimated) and row.gap <= GAPS[at] * abs(row.primal)
                if found[at] is None and proved:
                    found[at] = row.number, seconds
            return seconds > limit

        solver.solve(Stopping(gap_tol=GAPS[goals[-1]]), look)
        if not alone:
            break
    return found


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tasks", nargs="*", default=list(TASKS), help=", ".join(TASKS))
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--limit", type=float, default=60.0, help="CPU seconds a solver")
    choices = parser.parse_args()
    unknown = sorted(set(choices.tasks) - set(TASKS))
    if unknown:
        sys.exit(f"unknown task {unknown[0]}; there are {', '.join(TASKS)}")
    head = " | ".join(f"{gap:g}" for gap in GAPS)
    for task in choices.tasks:
        kind, C, most, solvers = TASKS[task]
        risk = risk_of(kind, C, most, choices.data)
        print(f"\n{task}, C = {C:g}; by the papers' bounds: {bounds(risk)}\n")
        print(f"| solver | {head} |\n| --- |" + " --- |" * len(GAPS))
        for name, build in solvers.items():
            found = run(build, risk, choices.limit)
            cells = ["–" if at is None else f"{at[0]} / {at[1]:.2f}" for at in found]
            print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
