"""Pictures for pages, by plotly: convergence, labels, weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.pages.canvas import (
    AXES,
    BELOW,
    COLOURS,
    DASHES,
    GREY,
    HEIGHT,
    LITTLE,
    axis_menu,
    empty_figure,
    logarithmic,
    mark,
    menu,
    menus,
)
from rrmlinear.pages.facts import DataFacts
from rrmlinear.pages.traces import DualCounts, Trace

#: Classes whose labels are counted, and whose largest weights are shown, one by one.
MOST_CLASSES = 40
#: Weights shown for each class.
MOST_WEIGHTS = 15
#: A curve of no more passes than this has a dot for each.
FEW_PASSES = 60
POSITIVE, NEGATIVE = COLOURS[0], COLOURS[5]


def convergence(
    traces: Sequence[Trace], target: float | None = None, against: str = "seconds"
) -> Any:
    """Relative gaps against seconds or passes, either axis plain or logarithmic.

    ``target`` is the relative gap asked for. The objectives stand in the hover text.
    """
    figure = empty_figure()
    for i, trace in enumerate(traces):
        thin = trace.thinned()
        gaps = thin.relative_gap
        figure.add_scatter(
            x=getattr(thin, against),
            y=np.where(gaps > 0, gaps, np.nan),  # a logarithmic axis has no place for 0
            name=trace.name or "relative gap",
            mode="lines+markers" if len(thin.passes) <= FEW_PASSES else "lines",
            line_color=COLOURS[i % len(COLOURS)],
            customdata=np.column_stack([thin.passes, thin.seconds, thin.primal, thin.dual]),
            hovertemplate=(
                "pass %{customdata[0]:.0f}, %{customdata[1]:.4g} s<br>relative gap %{y:.3e}<br>"
                "primal %{customdata[2]:.9g}<br>dual %{customdata[3]:.9g}"
            ),
        )
    if target is not None and target > 0:
        mark(figure, target, "asked for")
    gaps = np.concatenate([trace.relative_gap for trace in traces])
    figure.update_yaxes(**logarithmic(gaps), title="relative gap")
    figure.update_xaxes(title=dict(AXES)[against])
    figure.update_layout(showlegend=len(traces) > 1, legend=BELOW, updatemenus=menus(traces))
    return figure


def levels(curves: Mapping[str, Sequence[tuple[float, float]]], title: str) -> Any:
    """Levels of suboptimality against the seconds in which solvers reach them."""
    figure = empty_figure()
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
    figure = empty_figure()
    thin = trace.thinned()
    for values, name, colour in ((thin.primal, "primal", POSITIVE), (thin.dual, "dual", NEGATIVE)):
        figure.add_scatter(x=thin.seconds, y=values, name=name, mode="lines", line_color=colour)
    low, high = _range_of_end(thin)
    figure.update_yaxes(title="objective", range=[low, high], automargin=True)
    figure.update_xaxes(title="seconds")
    if thin.seconds.min() > 0:
        figure.update_xaxes(**logarithmic(thin.seconds))
    figure.update_layout(updatemenus=[axis_menu([trace, trace])], legend=BELOW)
    return figure


def label_counts(facts: DataFacts) -> Any:
    """Examples of each class, the largest MOST_CLASSES of them."""
    assert facts.labels is not None
    assert facts.counts is not None
    order = np.argsort(-facts.counts, kind="stable")[:MOST_CLASSES]
    figure = empty_figure(top=LITTLE)
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
    figure = empty_figure(top=LITTLE)
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
    figure = empty_figure(**({} if shown > 1 else {"top": LITTLE}))
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
        figure.update_layout(updatemenus=[menu(buttons, 0.0, "dropdown")])
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
    figure = empty_figure()
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
        height=HEIGHT + 150,
        showlegend=True,
        legend=BELOW | {"y": -0.15},
    )
    return figure


def scores_along(curves: Mapping[str, tuple[Any, Any]], name: str, score: str, best: float) -> Any:
    """Scores against the values of a parameter, a curve for each name; the best value is marked."""
    figure = empty_figure(top=LITTLE)
    for i, (label, (values, scores)) in enumerate(curves.items()):
        figure.add_scatter(
            x=values,
            y=scores,
            name=label,
            mode="lines+markers",
            line_color=COLOURS[i % len(COLOURS)],
            hovertemplate=f"{name} %{{x:.4g}}: {score} %{{y:.6g}}",
        )
    line = {"color": GREY, "dash": "dot", "width": 1}
    every = np.concatenate([np.asarray(values) for values, _ in curves.values()])
    figure.add_shape(type="line", yref="paper", x0=best, x1=best, y0=0, y1=1, line=line)
    figure.update_xaxes(**logarithmic(every) if every.min() > 0 else {}, title=name)
    figure.update_yaxes(title=score)
    figure.update_layout(showlegend=len(curves) > 1, legend=BELOW)
    return figure


def feature_name(index: int, names: Sequence[str] | None) -> str:
    """The name of a feature, or its number in LIBSVM's files, which begin at 1."""
    return f"feature {index + 1}" if names is None else str(names[index])


def _range_of_end(trace: Trace) -> tuple[float, float]:
    """The range of objectives in which the second half of the passes lies, and a little more."""
    half = slice(len(trace.passes) // 2, None)
    values = np.concatenate([trace.primal[half], trace.dual[half]])
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    room = 0.2 * (high - low) or 0.1 * abs(high) or 1.0
    return low - room, high + room
