"""Pictures of predictions: ROC and precision-recall curves, residuals, histograms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.pages.canvas import BELOW, COLOURS, DASHES, GREY, LITTLE, empty_figure, thinned

Array = NDArray[Any]
#: Bars of a histogram.
BARS = 40
Curve = tuple[str, Array, Array]


def roc(curves: Sequence[Curve]) -> Any:
    """True positives against false ones of (name, which are positive, scores)."""
    from sklearn.metrics import roc_curve

    found = [(name, *roc_curve(true, score)[:2]) for name, true, score in curves]
    figure = _curves(found, "false positive rate", "true positive rate")
    line = {"color": GREY, "dash": "dot", "width": 1}
    figure.add_shape(type="line", x0=0, x1=1, y0=0, y1=1, line=line)
    return figure


def precision_recall(curves: Sequence[Curve]) -> Any:
    """Precision against recall of (name, which are positive, scores)."""
    from sklearn.metrics import precision_recall_curve

    found = []
    for name, true, score in curves:
        precision, recall, _ = precision_recall_curve(true, score, drop_intermediate=True)
        found.append((name, recall[::-1], precision[::-1]))
    return _curves(found, "recall", "precision")


def _curves(found: Sequence[tuple[str, Array, Array]], across: str, up: str) -> Any:
    figure = empty_figure(top=LITTLE)
    for i, (name, x, y) in enumerate(found):
        x, y = thinned(x, y)
        figure.add_scatter(
            x=x.round(5),
            y=y.round(5),
            name=name,
            mode="lines",
            line={"color": COLOURS[i % len(COLOURS)], "dash": DASHES[i // len(COLOURS)]},
            hovertemplate=f"{across} %{{x:.4g}}<br>{up} %{{y:.4g}}",
        )
    figure.update_xaxes(title=across, range=[-0.01, 1.01])
    figure.update_yaxes(title=up, range=[-0.01, 1.02])
    _legend(figure, len(found))
    return figure


def survival(curves: Sequence[Curve]) -> Any:
    """Parts that an event has not come to, by time, of (name, times, parts)."""
    figure = empty_figure(top=LITTLE)
    for i, (name, x, y) in enumerate(curves):
        figure.add_scatter(
            x=np.repeat(x, 2)[1:],
            y=np.repeat(y, 2)[:-1],
            name=name,
            mode="lines",
            line={"color": COLOURS[i % len(COLOURS)]},
            hovertemplate="time %{x:.4g}: %{y:.2%} without the event",
        )
    figure.update_xaxes(title="time", rangemode="tozero")
    figure.update_yaxes(title="part without the event", range=[-0.01, 1.02])
    _legend(figure, len(curves))
    return figure


def _legend(figure: Any, curves: int) -> None:
    figure.update_layout(showlegend=curves > 1, legend=BELOW)


def residuals(points: Sequence[tuple[str, Array, Array]]) -> Any:
    """Residuals against predictions of (name, predictions, residuals)."""
    figure = empty_figure(top=LITTLE)
    for i, (name, x, y) in enumerate(points):
        figure.add_scatter(
            x=x,
            y=y,
            name=name,
            mode="markers",
            marker={"color": COLOURS[i], "size": 5, "opacity": 0.6},
            hovertemplate="prediction %{x:.6g}<br>residual %{y:.6g}",
        )
    figure.update_xaxes(title="prediction")
    figure.update_yaxes(title="residual")
    _legend(figure, len(points))
    return figure


def sizes(values: Sequence[tuple[str, Array]], title: str, of: str = "examples") -> Any:
    """Histograms of (name, numbers), as parts of each; a number is one ``of`` these."""
    figure = empty_figure(top=LITTLE)
    edges = np.histogram_bin_edges(np.concatenate([each for _, each in values]), BARS)
    for i, (name, each) in enumerate(values):
        parts = np.histogram(each, edges)[0] / max(len(each), 1)
        figure.add_bar(
            x=(edges[:-1] + edges[1:]) / 2,
            y=parts,
            name=name,
            marker={"color": COLOURS[i], "opacity": 0.7},
            hovertemplate=f"about %{{x:.4g}}: %{{y:.2%}} of the {of}",
        )
    figure.update_xaxes(title=title)
    figure.update_yaxes(title=f"part of the {of}", rangemode="tozero")
    figure.update_layout(bargap=0.05, barmode="overlay")
    _legend(figure, len(values))
    return figure
