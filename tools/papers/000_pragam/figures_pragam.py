"""Pragam and its rivals.

    python tools/papers/000_pragam/figures_pragam.py a9a covtype.scale astro-ph --png out.png

The figures of Zhang, Saha and Vishwanathan, Lower bounds on rate of convergence of cutting plane
methods, appendix D: the hinge with λ/2 ‖w‖² at the λ of each set, C = 1/(λn). They show the excess
of the best objective so far over the optimum, and the test accuracy of its weights, against
iterations and against seconds. Rows are not normalized. Only Pragam-b has an intercept;
only its accuracy compares. DATA are LIBSVM files, tested on FILE.t where it exists (x.t.xz beside
x.xz) and else on a tenth of the rows, or ``astro-ph``, ``news20``, ``aut-avn``, ``real-sim``,
``reuters-ccat`` and ``web8``: generated text of the sizes of those sets, which are not freely
available.

The table has iterations and seconds (medians over turns) to an objective of 1e-3 and 1e-6 above the
optimum, relative, and seconds to a gap of that size proved by the solver itself. The optimum is the
best lower bound that any run proved, so excesses are upper bounds. FISTA and L-BFGS minimize the
hinge with the smoothing that a level allows. An iteration is a pass over the data. Seconds are the
processor's, or with several threads those of the wall clock; the evaluation of objectives is left
out.
"""

from __future__ import annotations

import argparse
import csv
import math
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from measuring import BenchmarkError, check_outputs, write_whole
from pragam_methods import COLUMNS, LEVELS, METHODS, Curve, Method, Study, liblinear
from problem_sets import generated_text, load

from rrmlinear.solvers.loop.result import Stopping

# Rows × features and words in a document; news20 is the set of the LIBSVM site.
TEXT = {
    "astro-ph": (62_369, 99_757, 77),
    "news20": (19_996, 1_355_191, 455),
    "aut-avn": (56_862, 20_707, 52),
    "real-sim": (57_763, 20_958, 52),
    "reuters-ccat": (23_149, 47_236, 76),
    "web8": (45_546, 300, 13),
}
# −log2 λ of appendix D, by the begin of a set's name.
POWERS = {"a9a": 18, "adult": 18, "covtype": 17, "astro": 17, "news20": 14}
POWERS |= {"aut-avn": 17, "real-sim": 16, "reuters": 19, "web8": 17}
# What the paper says of figures 1 and 2: Pragam needs fewer iterations than each of these.
SLOWER = ("ls-BMRM", "Pegasos-n")
HELD_OUT = 0.1
TABLE = (
    "| data | method | iterations to 1e-3 | s | to 1e-6 | s | s to gap 1e-3 | to 1e-6 | at end |"
)


@dataclass(frozen=True)
class Panel:
    """A set with the curves of each method, one for each turn."""

    data: str
    study: Study
    curves: dict[str, list[Curve]]

    @property
    def optimum(self) -> float:
        """The best lower bound that was proved."""
        return max(
            [self.study.least, *(one.bound for runs in self.curves.values() for one in runs)]
        )

    def excess(self, curve: Curve) -> Any:
        """The objectives of a curve above the optimum, relative to it."""
        return np.maximum(curve.table[:, 2] / self.optimum - 1, 0)

    def first(self, name: str, column: int, level: float, proved: bool = False) -> float:
        """Median over turns of the first place where the excess, or the gap, is within a level."""
        found = []
        for curve in self.curves[name]:
            table = curve.table
            part = table[:, 4] / table[:, 2] if proved else self.excess(curve)
            there = np.flatnonzero(part <= level)
            found.append(table[there[0], column] if len(there) else math.inf)
        return statistics.median(found)


def examples(name: str, rows: int | None) -> tuple[Any, Any, Any, Any]:
    """X and y to train on, and to test on."""
    X_test = None
    if name in TEXT:
        n, d, words = TEXT[name]
        X, y = generated_text(min(rows or n, n), d, words)
    else:
        X, y = load(name, rows)
        path = Path(name)
        beside = path.with_name(f"{path.stem}.t.xz" if path.suffix == ".xz" else f"{path.name}.t")
        if beside.exists():
            X_test, y_test = load(str(beside))
            X_test = _as_wide(X_test, X.shape[1])
    if X_test is None:
        order = np.random.default_rng(0).permutation(len(y))
        kept = np.sort(order[int(HELD_OUT * len(y)) :])
        left = np.sort(order[: int(HELD_OUT * len(y))])
        X, y, X_test, y_test = X[kept], y[kept], X[left], y[left]
    return X, y, X_test, y_test


def _as_wide(X: Any, d: int) -> Any:
    """The rows with d features: others are dropped, missing ones are zeros."""
    from scipy.sparse import csr_array

    X = csr_array(X)[:, :d]
    X.resize(X.shape[0], d)
    return X


def study_of(chosen: argparse.Namespace, name: str) -> Study:
    """The problem with a lower bound on its minimum, by coordinate ascent."""
    parts = examples(name, chosen.rows)
    stem = Path(name).name
    known = [2.0**-power for begin, power in POWERS.items() if stem.startswith(begin)]
    if not known and chosen.lam is None:
        raise BenchmarkError(f"{stem} has no λ of its own; give one by --lam")
    study = Study(
        *parts,
        lam=known[0] if chosen.lam is None else chosen.lam,
        threads=chosen.threads,
        limit=chosen.limit,
    )
    stopping = Stopping(gap_tol=study.floor / 100, time_limit=chosen.reference_limit)
    result = study.solver("auto").solve(stopping)
    n, d = study.X.shape
    print(
        f"{stem}: {n} × {d}, λ = {study.lam:.3g}, C = 1/(λn) = {study.C:.6g}, minimum "
        f"{result.dual:.10g} … + {result.gap / result.primal:.0e}, relative",
        flush=True,
    )
    return replace(study, least=result.dual)


def panel_of(chosen: argparse.Namespace, name: str, methods: Sequence[Method]) -> Panel:
    """All methods in turns."""
    study = study_of(chosen, name)
    curves: dict[str, list[Curve]] = {}
    for _ in range(chosen.turns):
        for method in methods:
            try:
                curves.setdefault(method.name, []).append(method.run(study))
            except ImportError as error:
                print(f"{method.name} is left out: {error}", file=sys.stderr)
                del curves[method.name]
    return Panel(Path(name).name.removesuffix(".xz"), study, curves)


def lines_of(panel: Panel) -> list[str]:
    """Rows of the table; – stands where a level was not reached."""
    lines = []
    for name, runs in panel.curves.items():
        cells = [panel.data, name]
        if METHODS[name].biased:
            cells += ["–"] * 4
        else:
            for level in LEVELS:
                cells.append(_number(panel.first(name, 0, level), ".0f"))
                cells.append(_number(panel.first(name, 1, level), ".3g"))
        cells += [_number(panel.first(name, 1, level, proved=True), ".3g") for level in LEVELS]
        cells.append(
            "–" if METHODS[name].biased else f"{min(panel.excess(run)[-1] for run in runs):.1e}"
        )
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _number(value: float, form: str) -> str:
    return format(value, form) if math.isfinite(value) else "–"


def draw(panels: Sequence[Panel], path: Path) -> None:
    """A row for each set: excess, then accuracy, against iterations and against seconds."""
    from gap_figure import label
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(name for panel in panels for name in panel.curves))
    figure = Figure(figsize=(15, 3.1 * len(panels) + 0.8), layout="constrained")
    axes = figure.subplots(len(panels), 4, squeeze=False)
    handles = {}
    for panel, row in zip(panels, axes, strict=True):
        for name, runs in panel.curves.items():
            at = names.index(name)
            look = {"color": f"C{at % 10}", "linestyle": ("-", "--")[at // 10], "linewidth": 1.2}
            table, excess = runs[-1].table, np.maximum(panel.excess(runs[-1]), 1e-9)
            for column in (0, 1):
                if np.isfinite(table[:, column]).all():
                    (handles[name],) = row[2 + column].semilogx(
                        table[:, column], 100 * table[:, 3], **look
                    )
                    if not METHODS[name].biased:
                        row[column].loglog(table[:, column], excess, **look)
        for axis, along in zip(row, 2 * ("iterations", "seconds"), strict=True):
            axis.set(xlabel=along)
            label(axis.xaxis)
            axis.grid(alpha=0.3, linewidth=0.5)
        row[0].set(title=f"{panel.data}, λ = {panel.study.lam:.3g}", ylabel="objective/optimum − 1")
        row[2].set(ylabel="test accuracy, %")
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=5, frameon=False)
    figure.savefig(path, format="png", dpi=120)


def findings(panels: Sequence[Panel]) -> list[str]:
    """What became of the paper's claims on iterations, and objectives and accuracies at the end."""
    found = []
    for rival in SLOWER:
        both = [panel for panel in panels if {rival, "Pragam"} <= set(panel.curves)]
        if both:
            ahead = [panel.data for panel in both if _is_ahead(panel, rival)]
            found.append(
                f"after equally many iterations Pragam is below {rival} on {', '.join(ahead)}"
                if ahead
                else f"after equally many iterations Pragam is not below {rival}"
            )
    for panel in panels:
        above = {
            name: panel.excess(runs[-1])[-1]
            for name, runs in panel.curves.items()
            if not METHODS[name].biased
        }
        order = sorted(above, key=above.__getitem__)
        told = ", ".join(f"{name} {max(above[name], 0.0):.1g}" for name in order)
        found.append(f"objective/optimum − 1 at the end on {panel.data}: {told}")
        ends = {name: 100 * runs[-1].table[-1, 3] for name, runs in panel.curves.items()}
        least, most = min(ends, key=ends.__getitem__), max(ends, key=ends.__getitem__)
        found.append(
            f"test accuracy at the end on {panel.data}: from {ends[least]:.2f} % ({least}) to "
            f"{ends[most]:.2f} % ({most})"
        )
    return found


def _is_ahead(panel: Panel, rival: str) -> bool:
    """Whether Pragam's excess is the lower one after the most iterations that both made."""
    tables = [panel.curves[name][-1].table for name in ("Pragam", rival)]
    common = min(table[-1, 0] for table in tables)
    ours, theirs = (table[table[:, 0] <= common][-1, 2] for table in tables)
    return bool(ours < theirs)


def write_csv(panels: Sequence[Panel], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["data", "lambda", "method", "turn", *COLUMNS, "excess"])
        for panel in panels:
            for name, runs in panel.curves.items():
                for turn, run in enumerate(runs):
                    for row, excess in zip(run.rows, panel.excess(run), strict=True):
                        writer.writerow([panel.data, panel.study.lam, name, turn, *row, excess])


def arguments_of(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="+", metavar="DATA", help="a LIBSVM file, astro-ph or news20")
    parser.add_argument("--methods", metavar="NAMES", help="; between them: " + "; ".join(METHODS))
    parser.add_argument("--lam", type=float, help="instead of the paper's")
    parser.add_argument("--rows", type=int, help="fewer than a set has")
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1, help="of our solvers and of L-BFGS")
    parser.add_argument("--limit", type=float, default=30.0, metavar="SECONDS", help="of a run")
    parser.add_argument("--reference-limit", type=float, default=60.0, metavar="SECONDS")
    parser.add_argument("--liblinear", metavar="PROGRAM", help="train, in place of the package")
    parser.add_argument("--csv", type=Path, metavar="FILE")
    parser.add_argument("--png", type=Path, metavar="FILE")
    return parser.parse_args(words)


def methods_of(chosen: argparse.Namespace) -> list[Method]:
    names = [word.strip() for word in chosen.methods.split(";")] if chosen.methods else METHODS
    for name in names:
        if name not in METHODS:
            raise BenchmarkError(f"{name} is no method; there are {'; '.join(METHODS)}")
    methods = [METHODS[name] for name in names]
    if chosen.liblinear is None:
        return methods
    return [
        liblinear(method.name, chosen.liblinear) if "LIBLINEAR" in method.name else method
        for method in methods
    ]


def main(words: list[str] | None = None) -> int:
    chosen = arguments_of(words)
    try:
        check_outputs(chosen.csv, chosen.png)
        methods = methods_of(chosen)
        panels = [panel_of(chosen, name, methods) for name in chosen.data]
    except BenchmarkError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print(TABLE + "\n" + "| --- " * (TABLE.count("|") - 1) + "|")
    print("\n".join(line for panel in panels for line in lines_of(panel)))
    print("\n".join(f"found: {sentence}" for sentence in findings(panels)))
    for path, write in ((chosen.csv, write_csv), (chosen.png, draw)):
        if path is not None:
            write_whole(path, partial(write, panels))
    return 0


if __name__ == "__main__":
    sys.exit(main())
