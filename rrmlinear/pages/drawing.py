"""Gaps of several runs as a picture file, by matplotlib."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from rrmlinear.data.text.whole_file import whole_file
from rrmlinear.pages.canvas import AXES, COLOURS
from rrmlinear.pages.traces import Trace

#: What a picture file may be, by the end of its name.
FORMATS = ("png", "svg", "pdf")
INCHES, DOTS = (8.0, 5.0), 150


def draw_traces(traces: Sequence[Trace], path: str, axis: str = "seconds") -> None:
    """Draw relative gaps against "seconds" or "passes", whole or not at all.

    Raises ImportError where matplotlib is missing.
    """
    check_available()
    from matplotlib.figure import Figure  # without pyplot, which looks for a screen

    figure = Figure(INCHES, layout="constrained")
    axes = figure.add_subplot()
    for i, trace in enumerate(traces):
        thin = trace.thinned()
        gaps = np.where(thin.relative_gap > 0, thin.relative_gap, np.nan)
        axes.plot(getattr(thin, axis), gaps, label=trace.name, color=COLOURS[i % len(COLOURS)])
    axes.set_yscale("log")
    axes.set_ylabel("relative gap")
    axes.set_xlabel(dict(AXES)[axis])
    axes.grid(alpha=0.3)
    if len(traces) > 1:
        axes.legend()
    with whole_file(path) as file:
        figure.savefig(file, format=os.path.splitext(path)[1][1:].lower(), dpi=DOTS)


def check_available() -> None:
    """Raise ImportError with a sentence where matplotlib is missing."""
    with suppress(ImportError):
        import matplotlib  # noqa: F401

        return
    raise ImportError("pictures need matplotlib: pip install 'rrmlinear[report]'")
