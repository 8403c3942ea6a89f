"""Pictures of pages without a script: plotly's figures drawn by matplotlib, as files or as SVG."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from io import BytesIO
from typing import Any

import numpy as np

from rrmlinear.data.text.whole_file import whole_file
from rrmlinear.pages.pictures import convergence
from rrmlinear.pages.traces import Trace

#: What a picture file may be, by the end of its name.
FORMATS = ("png", "svg", "pdf")
INCHES, DOTS = (8.0, 5.0), 150
#: Width of a picture in a page, whole and where two stand beside each other, and a row's height.
PAGE_INCHES, ROW_INCHES = (8.0, 5.0), 3.3
#: Pictures of a list from which a page with scripts shows one.
MOST_PARTS = 6
#: Colours that stand for those of the page around an SVG.
INK, LINE = "#010203", "#040506"
STYLES = {"dash": "--", "dot": ":"}


def draw_traces(traces: Sequence[Trace], path: str, axis: str = "seconds") -> None:
    """Draw relative gaps against "seconds" or "passes", whole or not at all.

    Raises ImportError where matplotlib or plotly is missing.
    """
    check_available()
    drawn = _drawn(convergence(traces, against=axis), INCHES)
    with whole_file(path) as file:
        drawn.savefig(file, format=os.path.splitext(path)[1][1:].lower(), dpi=DOTS)


def check_available() -> None:
    """Raise ImportError with a sentence where matplotlib or plotly is missing."""
    with suppress(ImportError):
        import matplotlib  # noqa: F401
        import plotly  # noqa: F401

        return
    raise ImportError("pictures need matplotlib and plotly: pip install 'rrmlinear[report]'")


def svg_of(figure: Any, columns: int = 1) -> str:
    """A figure of plotly's as an SVG element, with the colours of the page around it."""
    import matplotlib

    text = BytesIO()
    fixed: Any = {
        "svg.fonttype": "none",
        "svg.hashsalt": "rrmlinear",
        "font.family": "sans-serif",
        "font.size": 11,
        **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.color", "ytick.color"), INK),
        **dict.fromkeys(("axes.edgecolor", "grid.color", "legend.edgecolor"), LINE),
    }
    with matplotlib.rc_context(fixed):
        drawn = _drawn(figure, (PAGE_INCHES[min(columns, 2) - 1], ROW_INCHES))
        drawn.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    svg = text.getvalue().decode()
    svg = svg[svg.index("<svg") :].replace(INK, "currentColor").replace(LINE, "var(--line)")
    svg = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->| id=\"(?!p|m)[^\"]*\"", "", svg, flags=re.S)
    svg = re.sub(r"<[^>]*>", lambda tag: _rounded(tag[0]), svg)  # a third of its size
    return re.sub(r"font: ([\d.]+)px [^;\"]*", r"font: \1px system-ui, sans-serif", svg)


def _rounded(tag: str) -> str:
    """A tag with two digits for each of its numbers; the words between tags stay as they are."""
    return re.sub(r"\d+\.\d{3,}", lambda found: f"{float(found[0]):.2f}", tag)


def _drawn(figure: Any, inches: tuple[float, float]) -> Any:
    """A figure of matplotlib; each curve of a list from which one is chosen has its own axes."""
    from matplotlib.figure import Figure  # without pyplot, which looks for a screen

    hidden = any(trace.visible is False for trace in figure.data)
    parts = [[trace] for trace in figure.data][:MOST_PARTS] if hidden else [list(figure.data)]
    across = min(len(parts), 2)
    rows = -(-len(parts) // across)
    drawn = Figure((inches[0], inches[1] * rows), layout="constrained")
    if len(figure.data) > len(parts) > 1:
        drawn.suptitle(f"The first {len(parts)} of {len(figure.data)}", fontsize="medium")
    names = [button.label for menu in figure.layout.updatemenus for button in menu.buttons or ()]
    for at, traces in enumerate(parts):
        axes = drawn.add_subplot(rows, across, at + 1)
        for trace in traces:
            (_bars if trace.type == "bar" else _line)(axes, trace)
        _lay_out(axes, figure.layout)
        if hidden:
            axes.set_title(names[at], fontsize="medium")
    return drawn


def _line(axes: Any, trace: Any) -> None:
    has_lines, color = "lines" in trace.mode, trace.line.color or trace.marker.color
    with np.errstate(invalid="ignore"):
        axes.plot(
            trace.x,
            trace.y,
            label=trace.name,
            color=color,
            linestyle=STYLES.get(trace.line.dash, "-") if has_lines else "",
            marker="o" if "markers" in trace.mode else "",
            markersize=3,
            alpha=trace.marker.opacity,
        )


def _bars(axes: Any, trace: Any) -> None:
    bars = {"color": trace.marker.color, "alpha": trace.marker.opacity, "label": trace.name}
    if trace.orientation == "h":
        axes.barh(trace.y, trace.x, **bars)
        return
    places = trace.x
    wide = 0.8 if isinstance(places[0], str) or len(places) < 2 else 0.95 * (places[1] - places[0])
    axes.bar(places, trace.y, width=wide, **bars)
    axes.tick_params("x", rotation=0 if len(places) <= 20 or wide != 0.8 else 90)


def _mark_few(axis: Any) -> None:
    """Plain numbers at a few places of a logarithmic axis within two powers of 10."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

    low, high = axis.get_view_interval()
    if 0 < high < 100 * low:
        is_short = high < 10 * low
        axis.set_major_locator(MaxNLocator(4) if is_short else LogLocator(subs=(1, 2, 5)))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(lambda value, _: f"{value:.4g}")


def _lay_out(axes: Any, layout: Any) -> None:
    """Titles, scales, ranges, marks and the legend."""
    for side in ("x", "y"):
        asked = getattr(layout, f"{side}axis")
        if asked.type == "log":
            getattr(axes, f"set_{side}scale")("log")
        getattr(axes, f"set_{side}label")(asked.title.text or "")
        if asked.range is not None:
            getattr(axes, f"set_{side}lim")(*asked.range)
        if asked.type == "log":
            _mark_few(getattr(axes, f"{side}axis"))
    for shape in layout.shapes:
        ends = [shape.x0, shape.x1], [shape.y0, shape.y1]
        of_paper = [
            f"get_{s}axis_transform" for s in "yx" if shape[f"{'xy'[s == 'x']}ref"] == "paper"
        ]
        across = {"transform": getattr(axes, of_paper[0])()} if of_paper else {}
        axes.plot(*ends, color=shape.line.color, linestyle=":", linewidth=1, **across)
    for note in layout.annotations:
        high = 10**note.y if layout.yaxis.type == "log" else note.y
        axes.annotate(note.text, (0.01, high), xycoords=axes.get_yaxis_transform(), va="bottom")
    if layout.xaxis.type is None and axes.xaxis.get_units() is None:  # long numbers need room
        axes.locator_params("x", nbins=6)
    axes.set_axisbelow(True)
    axes.grid(alpha=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    if layout.title.text:
        axes.set_title(layout.title.text, fontsize="medium")
    if layout.showlegend or (layout.showlegend is None and len(axes.lines) > 1):
        axes.legend(fontsize="small", framealpha=0, ncols=1 + (len(axes.lines) > 8))
