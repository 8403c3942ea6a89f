"""The picture of a comparison: relative gap against CPU seconds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
from comparison import Comparison
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

# Okabe and Ito's colours, safe for the colour-blind. Dashes show the number of threads.
COLOURS = ("#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
DASHES = ("-", "--", ":", "-.")
# Inches of a panel; two names of the legend fit below it.
WIDTH = 4.8
# Most panels side by side where there is one cost.
COLUMNS = 3
# An axis shorter than this factor has labels at 1, 2 and 5.
NARROW = 100


def label(axis: Any) -> None:
    """Plain numbers at a logarithmic axis, as many as fit."""
    first, last = sorted(axis.get_view_interval())
    subs = (1, 2, 5) if last < NARROW * first else (1,)
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def draw_gaps(comparisons: Sequence[Comparison], path: Path) -> None:
    """One panel for each data set and cost; PNG.

    The gap is over |primal|; the thin line is the final gap of the first peer.
    """
    costs = len({one.C for one in comparisons})
    solvers = list(dict.fromkeys(name for one in comparisons for name, _ in one.curves))
    threads = sorted({count for one in comparisons for _, count in one.curves})
    # With one cost the data sets fill the rows; with more, each has a row.
    columns = min(len(comparisons), COLUMNS) if costs == 1 else costs
    rows = -(-len(comparisons) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(WIDTH * columns, 3.4 * rows), squeeze=False, layout="constrained"
    )
    panels = list(axes.flat)
    handles = {}
    for one, panel in zip(comparisons, panels, strict=False):
        for (name, count), curve in one.curves.items():
            (handles[name, count],) = panel.plot(
                [point.seconds for point in curve],
                [point.relative_gap for point in curve],
                DASHES[threads.index(count) % len(DASHES)],
                color=COLOURS[solvers.index(name) % len(COLOURS)],
                linewidth=1.1,
            )
        if one.target is not None:
            last = one.curves[one.target.peer, 1][-1]
            panel.axhline(last.relative_gap, color="#999999", linewidth=0.7, zorder=0)
        panel.set_title(f"{one.data}, C = {one.C:g}", fontsize=10)
        panel.set(xscale="log", yscale="log")
        panel.grid(alpha=0.3, linewidth=0.5)
        label(panel.xaxis)
    for panel in panels[len(comparisons) :]:
        panel.set_axis_off()
    for panel in panels[max(0, len(comparisons) - columns) :]:
        panel.set_xlabel("CPU seconds of the solver")
    for panel in axes[:, 0]:
        panel.set_ylabel("gap / primal")
    labels = [name if count == 1 else f"{name}, {count} threads" for name, count in handles]
    figure.legend(
        handles.values(),
        labels,
        loc="outside lower center",
        ncols=min(len(labels), 2 * columns) or 1,
        frameon=False,
        fontsize=9,
    )
    figure.savefig(path, format="png", dpi=150)
    plt.close(figure)
