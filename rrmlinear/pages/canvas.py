"""The parts that pictures share: an empty picture, colours, logarithmic axes, buttons, marks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rrmlinear.pages.traces import Trace

HEIGHT = 380
#: Curves of scores in one picture.
MOST_CURVES = 10
#: Points that a curve or a cloud shows, evenly taken.
MOST_POINTS = 500
#: A legend where buttons stand above the picture.
BELOW = {"y": -0.3, "yanchor": "top", "x": 0, "xanchor": "left"}
#: Pixels above a picture that has neither legend nor buttons there: room for plotly's tools.
LITTLE = 30
#: Okabe and Ito's colours, told apart by everyone, on white and on black.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999999")
#: Of buttons and marks: it is seen on white and on black.
GREY = "#8a8f98"
#: Lines of more curves than there are colours.
DASHES = ("solid", "dash", "dot")
AXES = (("seconds", "seconds"), ("passes", "passes over the data"))


def thinned(x: Any, y: Any) -> tuple[Any, Any]:
    """At most MOST_POINTS points of a curve or a cloud, the first and the last among them."""
    if len(x) <= MOST_POINTS:
        return x, y
    kept = np.linspace(0, len(x) - 1, MOST_POINTS).astype(np.intp)
    return x[kept], y[kept]


def empty_figure(top: int = 80) -> Any:
    """An empty picture with ``top`` pixels above it, for a legend and buttons."""
    from plotly.graph_objects import Figure

    figure = Figure()
    figure.update_layout(
        height=HEIGHT - 80 + top,
        margin={"l": 70, "r": 20, "t": top, "b": 60},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        modebar={"bgcolor": "rgba(0,0,0,0)", "color": GREY},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 1, "xanchor": "right"},
    )
    return figure


def logarithmic(values: Any) -> dict[str, Any]:
    """A logarithmic axis over these values; plotly's own choice of marks is too dense for it."""
    values = np.asarray(values, dtype=np.float64)
    values = values[np.isfinite(values) & (values > 0)]
    decades = float(np.log10(values.max() / values.min())) if values.size else 1.0
    # below some two decades 1, 2 and 5 are marked, from there on powers of 10; axes have margins
    marks = min(max(3, math.ceil(1.15 * decades)), 8)
    return {"type": "log", "nticks": marks, "exponentformat": "power"}


def mark(figure: Any, level: float, text: str) -> None:
    """A line across a logarithmic picture, where positions of texts are exponents."""
    line = {"color": GREY, "dash": "dot", "width": 1}
    figure.add_shape(type="line", xref="paper", x0=0, x1=1, y0=level, y1=level, line=line)
    figure.add_annotation(
        text=text, xref="paper", x=0, xanchor="left", y=np.log10(level), showarrow=False, yshift=8
    )


def axis_menu(traces: Sequence[Trace]) -> dict[str, Any]:
    """Buttons for the two horizontal axes; ``traces`` are those of the curves."""
    axes = [
        {
            "label": field,
            "method": "update",
            "args": [
                {"x": [getattr(trace.thinned(), field) for trace in traces]},
                {"xaxis.title.text": title},
            ],
        }
        for field, title in AXES
    ]
    return menu(axes, 0.0, "buttons")


def menus(traces: Sequence[Trace]) -> list[dict[str, Any]]:
    """Buttons for the two horizontal axes, and for their scale."""
    scales = [
        {"label": label, "method": "relayout", "args": [{"xaxis.type": kind}]}
        for label, kind in (("plain", "linear"), ("logarithmic", "log"))
    ]
    return [axis_menu(traces), menu(scales, 1.0, "buttons")]


def menu(buttons: list[dict[str, Any]], x: float, kind: str) -> dict[str, Any]:
    return {
        "type": kind,
        "direction": "right" if kind == "buttons" else "down",
        "buttons": buttons,
        "x": x,
        "xanchor": "right" if x == 1 else "left",
        "y": 1.02,
        "yanchor": "bottom",
        "pad": {"b": 4},
        "bgcolor": "#e8eaed",
        "font": {"color": "#1c1c1e"},
    }
