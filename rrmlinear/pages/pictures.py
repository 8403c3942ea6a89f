"""Pictures for pages, by plotly: convergence, labels, weights."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.pages.duals import DualCounts
from rrmlinear.pages.facts import DataFacts
from rrmlinear.pages.traces import Trace

#: Classes whose labels are counted, and whose largest weights are shown, one by one.
MOST_CLASSES = 40
#: Weights shown for each class.
MOST_WEIGHTS = 15
#: A curve of no more passes than this has a dot for each.
FEW_PASSES = 60
HEIGHT = 380
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
POSITIVE, NEGATIVE = COLOURS[0], COLOURS[5]
AXES = (("seconds", "seconds"), ("passes", "passes over the data"))


def convergence(traces: Sequence[Trace], target: float | None = None) -> Any:
    """Relative gaps against seconds or passes, either axis plain or logarithmic.

    ``target`` is the relative gap asked for. The objectives stand in the hover text.
    """
    figure = _figure()
    for trace, colour in _coloured(traces):
        thin = trace.thinned()
        figure.add_scatter(
            x=thin.seconds,
            y=_above_zero(thin.relative_gap),
            name=trace.name or "relative gap",
            mode="lines+markers" if len(thin.passes) <= FEW_PASSES else "lines",
            line_color=colour,
            customdata=np.column_stack([thin.passes, thin.seconds, thin.primal, thin.dual]),
            hovertemplate=(
                "pass %{customdata[0]:.0f}, %{customdata[1]:.4g} s<br>relative gap %{y:.3e}<br>"
                "primal %{customdata[2]:.9g}<br>dual %{customdata[3]:.9g}"
            ),
        )
    if target is not None and target > 0:
        _mark(figure, target, "asked for")
    gaps = np.concatenate([trace.relative_gap for trace in traces])
    figure.update_yaxes(**logarithmic(gaps), title="relative gap")
    figure.update_xaxes(title=AXES[0][1])
    figure.update_layout(
        showlegend=len(traces) > 1,
        legend=BELOW,
        updatemenus=_menus(traces),
    )
    return figure


def levels(curves: Mapping[str, Sequence[tuple[float, float]]], title: str) -> Any:
    """Levels of suboptimality against the seconds in which solvers reach them."""
    figure = _figure()
    for i, (name, points) in enumerate(curves.items()):
        seconds, reached = zip(*points, strict=True)
        colour, dash = COLOURS[i % len(COLOURS)], DASHES[i // len(COLOURS) % len(DASHES)]
        figure.add_scatter(
            x=seconds,
            y=reached,
            name=name,
            mode="lines+markers",
            line={"color": colour, "dash": dash},
            hovertemplate="%{x:.3g} s to %{y:.0e}",
        )
    times, heights = zip(*(point for points in curves.values() for point in points), strict=True)
    figure.update_xaxes(**logarithmic(times), title="CPU seconds")
    figure.update_yaxes(**logarithmic(heights), title="suboptimality, relative")
    figure.update_layout(
        title={"text": title, "font": {"size": 14}},
        height=HEIGHT + 20 * len(curves),
        legend={"orientation": "v", "y": -0.2, "yanchor": "top", "x": 0, "xanchor": "left"},
    )
    return figure


def objectives(trace: Trace) -> Any:
    """Primal and dual objective against seconds or passes."""
    figure = _figure()
    thin = trace.thinned()
    for values, name, colour in ((thin.primal, "primal", POSITIVE), (thin.dual, "dual", NEGATIVE)):
        figure.add_scatter(x=thin.seconds, y=values, name=name, mode="lines", line_color=colour)
    low, high = _range_of_end(thin)
    figure.update_yaxes(title="objective", range=[low, high], automargin=True)
    figure.update_xaxes(title="seconds")
    if thin.seconds.min() > 0:
        figure.update_xaxes(**logarithmic(thin.seconds))
    figure.update_layout(updatemenus=[_axis_menu([trace, trace])], legend=BELOW)
    return figure


def label_counts(facts: DataFacts) -> Any:
    """Examples of each class, the largest MOST_CLASSES of them."""
    assert facts.labels is not None
    assert facts.counts is not None
    order = np.argsort(-facts.counts, kind="stable")[:MOST_CLASSES]
    figure = _figure(top=LITTLE)
    figure.add_bar(
        x=[str(label) for label in facts.labels[order].tolist()],
        y=facts.counts[order],
        marker_color=POSITIVE,
        hovertemplate="label %{x}: %{y} examples<extra></extra>",
    )
    figure.update_xaxes(type="category", title="label")
    figure.update_yaxes(title="examples", rangemode="tozero")
    return figure


def dual_sizes(duals: DualCounts) -> Any:
    """How many duals are of which size; those at a common bound stand at the right end."""
    figure = _figure(top=LITTLE)
    figure.add_bar(
        x=duals.middles(),
        y=duals.counts,
        marker_color=POSITIVE,
        hovertemplate="about %{x:.3g}: %{y} duals<extra></extra>",
    )
    left_out = f" ({duals.zeros} that are 0 left out)" if duals.zeros else ""
    figure.update_xaxes(title=f"size of a dual{left_out}", range=[0, duals.largest])
    figure.update_yaxes(**logarithmic(duals.counts), title="duals")
    figure.update_layout(bargap=0.05)
    return figure


def largest_weights(
    weights: NDArray[np.float64], columns: Sequence[str], names: Sequence[str] | None
) -> Any:
    """The weights of the largest absolute values, of a column chosen from a list."""
    shown = min(len(columns), MOST_CLASSES)
    figure = _figure(**({} if shown > 1 else {"top": LITTLE}))
    for j in range(shown):
        column = weights[:, j]
        top = np.argsort(-np.abs(column), kind="stable")[:MOST_WEIGHTS]
        top = top[column[top] != 0][::-1]
        figure.add_bar(
            x=column[top],
            y=[feature_name(int(i), names) for i in top],
            orientation="h",
            visible=j == 0,
            marker_color=[POSITIVE if value > 0 else NEGATIVE for value in column[top]],
            hovertemplate="%{y}: %{x:.6g}<extra></extra>",
        )
    if shown > 1:
        buttons = [
            {
                "label": str(columns[j]),
                "method": "restyle",
                "args": [{"visible": [i == j for i in range(shown)]}],
            }
            for j in range(shown)
        ]
        figure.update_layout(updatemenus=[_menu(buttons, 0.0, "dropdown")])
    figure.update_xaxes(title="weight")
    figure.update_yaxes(type="category", automargin=True)
    figure.update_layout(height=HEIGHT + 60, showlegend=False)
    return figure


def weights_along(
    Cs: NDArray[np.float64],
    weights: NDArray[np.float64],
    title: str,
    names: Sequence[str] | None = None,
) -> Any:
    """Weights (a row for each C) against C: those that are largest anywhere on the path."""
    figure = _figure()
    top = np.argsort(-np.abs(weights).max(axis=0), kind="stable")[:MOST_WEIGHTS]
    for i, feature in enumerate(top.tolist()):
        dash = DASHES[i // len(COLOURS) % len(DASHES)]
        figure.add_scatter(
            x=Cs,
            y=weights[:, feature],
            name=feature_name(feature, names),
            mode="lines",
            line={"color": COLOURS[i % len(COLOURS)], "dash": dash},
        )
    figure.update_xaxes(**logarithmic(Cs), title="C")
    figure.update_yaxes(title="weight", exponentformat="power")
    figure.update_layout(
        title={"text": title, "font": {"size": 14}},
        height=HEIGHT + 20 * len(top),
        legend={"orientation": "v", "y": -0.2, "yanchor": "top", "x": 0, "xanchor": "left"},
    )
    return figure


def feature_name(index: int, names: Sequence[str] | None) -> str:
    """The name of a feature, or its number in LIBSVM's files, which begin at 1."""
    return f"feature {index + 1}" if names is None else str(names[index])


def _figure(top: int = 80) -> Any:
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


def _coloured(traces: Sequence[Trace]) -> list[tuple[Trace, str]]:
    return [(trace, COLOURS[i % len(COLOURS)]) for i, trace in enumerate(traces)]


def _mark(figure: Any, level: float, text: str) -> None:
    """A line across a logarithmic picture, where positions of texts are exponents."""
    line = {"color": GREY, "dash": "dot", "width": 1}
    figure.add_shape(type="line", xref="paper", x0=0, x1=1, y0=level, y1=level, line=line)
    figure.add_annotation(
        text=text, xref="paper", x=0, xanchor="left", y=np.log10(level), showarrow=False, yshift=8
    )


def _axis_menu(traces: Sequence[Trace]) -> dict[str, Any]:
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
    return _menu(axes, 0.0, "buttons")


def _menus(traces: Sequence[Trace]) -> list[dict[str, Any]]:
    """Buttons for the two horizontal axes, and for their scale."""
    scales = [
        {"label": label, "method": "relayout", "args": [{"xaxis.type": kind}]}
        for label, kind in (("plain", "linear"), ("logarithmic", "log"))
    ]
    return [_axis_menu(traces), _menu(scales, 1.0, "buttons")]


def _menu(buttons: list[dict[str, Any]], x: float, kind: str) -> dict[str, Any]:
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


def _above_zero(gaps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Gaps for a logarithmic axis, which has no place for 0."""
    return np.where(gaps > 0, gaps, np.nan)


def _range_of_end(trace: Trace) -> tuple[float, float]:
    """The range of objectives in which the second half of the passes lies, and a little more."""
    half = slice(len(trace.passes) // 2, None)
    values = np.concatenate([trace.primal[half], trace.dual[half]])
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    room = 0.2 * (high - low) or 0.1 * abs(high) or 1.0
    return low - room, high + room
