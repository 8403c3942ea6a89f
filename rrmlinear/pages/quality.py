"""How well a model predicts: measures, confusions, curves and residuals of labelled examples, and
their pictures.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.pages import words
from rrmlinear.pages.canvas import (
    BELOW,
    COLOURS,
    DASHES,
    GREY,
    LITTLE,
    MOST_CURVES,
    empty_figure,
    thinned,
)
from rrmlinear.pages.page import Section
from rrmlinear.pages.run import Cell, Predictions, Table

Array = NDArray[Any]
#: Classes of a table of confusions. Of more classes the most frequent confusions are told.
MOST_IN_TABLE = 20
#: Frequent confusions that are told, and classes of the table of classes.
MOST_CONFUSIONS, MOST_CLASSES = 20, 200


def quality_section(measured: Sequence[Predictions]) -> Section:
    """The section of one or more sets of examples, which were predicted by one model.

    Tables of classes and confusions are of the last set.
    """
    last = measured[-1]
    if last.measures is not None:
        return _orders(measured)
    if last.true is None:
        return _outliers(measured)
    if last.classes is None:
        return _numbers(measured)
    return _classes(measured)


def _summary(measured: Sequence[Predictions], rows: Sequence[Sequence[str]]) -> Table:
    return Table("", ("measure", *(each.name for each in measured)), rows)


def _classes(measured: Sequence[Predictions]) -> Section:
    last = measured[-1]
    areas = [_areas(each) for each in measured]
    columns = [_measures(*each) for each in zip(measured, areas, strict=True)]
    names = dict.fromkeys(name for column in columns for name in column)
    rows = [(name, *(column.get(name, "–") for column in columns)) for name in names]
    pictures = []
    if areas[-1]:
        worst = sorted(areas[-1], key=lambda label: areas[-1][label][0])[:MOST_CURVES]
        curves: list[Any] = [
            (_curve_name(each, label, len(measured)), each.true == label, each.score_of(label))
            for each, own in zip(measured, areas, strict=True)
            for label in sorted(worst)
            if label in own and (each is last or len(worst) == 1)
        ]
        pictures = [roc(curves), precision_recall(curves)]
    tables = [_summary(measured, rows), _table_of_classes(last, areas[-1]), _confusions(last)]
    return Section("Quality", pictures=pictures, tables=tables, columns=2)


def _curve_name(each: Predictions, label: Any, n_sets: int) -> str:
    assert each.classes is not None
    return each.name if len(each.classes) == 2 and n_sets > 1 else f"label {label}"


def _measures(each: Predictions, areas: dict[Any, tuple[float, float]]) -> dict[str, str]:
    """Measures of classes, in words."""
    from sklearn.metrics import f1_score

    labels = _labels(each)
    places = _places(each, labels)
    true, predicted = each.true, each.predicted
    assert true is not None
    assert each.classes is not None
    right = true == predicted
    seen = np.unique(places[0])
    recalls = [float(right[places[0] == j].mean()) for j in seen]
    f1 = f1_score(*places, average="macro", labels=seen, zero_division=0)
    told = {
        "accuracy": f"{right.mean():.2%} ({words.number(int(right.sum()))} of "
        f"{words.number(len(right))})",
        "mean recall of classes": f"{np.mean(recalls):.2%}",
        "mean F1 of classes": f"{f1:.4f}",
    }
    if areas:
        mean = "" if len(each.classes) == 2 else "mean "
        roc_area, average = np.mean(list(areas.values()), axis=0)
        told[f"{mean}area under the ROC curve"] = f"{roc_area:.4f}"
        told[f"{mean}average precision"] = f"{average:.4f}"
    return told


def _areas(each: Predictions) -> dict[Any, tuple[float, float]]:
    """The ROC area and the average precision of labels that some examples have, and some not."""
    from sklearn.metrics import average_precision_score, roc_auc_score

    found = {}
    for label in each.shown:
        positive, score = np.asarray(each.true == label), each.score_of(label)
        if score is not None and positive.any() and not positive.all():
            found[label] = roc_auc_score(positive, score), average_precision_score(positive, score)
    return found


def _labels(each: Predictions) -> Array:
    """The classes of a model, and labels that it does not know, in order."""
    assert each.classes is not None
    assert each.true is not None
    new = np.setdiff1d(each.true, each.classes)
    return np.sort(np.concatenate([each.classes, new]))


def _places(each: Predictions, labels: Array) -> tuple[Array, Array]:
    """The places of the true and the predicted labels of examples."""
    true: Any = each.true
    return np.searchsorted(labels, true), np.searchsorted(labels, each.predicted)


def _table_of_classes(each: Predictions, areas: dict[Any, tuple[float, float]]) -> Table:
    from sklearn.metrics import precision_recall_fscore_support

    labels = _labels(each)
    found = precision_recall_fscore_support(
        *_places(each, labels), labels=np.arange(len(labels)), zero_division=0
    )
    shown = len(areas) > 1
    rows = [
        (
            str(label),
            words.number(int(count)),
            *(f"{value:.4f}" for value in values),
            *([f"{areas[label][0]:.4f}" if label in areas else "–"] if shown else []),
        )
        for label, *values, count in zip(labels.tolist(), *found, strict=True)
    ]
    heads = ("class", "examples", "precision", "recall", "F1", *(["ROC area"] if shown else []))
    return Table(_title("Classes", each, len(rows), MOST_CLASSES), heads, rows[:MOST_CLASSES])


def _title(what: str, each: Predictions, count: int, most: int) -> str:
    few = f", the first {most} of {count}" if count > most else ""
    return f"{what}: {each.name}{few}"


def _confusions(each: Predictions) -> Table:
    """True classes by predicted ones; of many classes the pairs that occur most."""
    labels = _labels(each)
    counts = np.zeros((len(labels), len(labels)), dtype=np.int64)
    np.add.at(counts, _places(each, labels), 1)
    if len(labels) <= MOST_IN_TABLE:
        parts = np.sqrt(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))
        rows = [
            [
                str(label),
                *(
                    Cell(words.number(int(counts[i, j])), "" if i == j else "off", parts[i, j])
                    for j in range(len(labels))
                ),
            ]
            for i, label in enumerate(labels)
        ]
        heads = ("true, predicted", *map(str, labels))
        return Table(f"Confusion matrix: {each.name}", heads, rows)
    np.fill_diagonal(counts, 0)
    top = np.argsort(-counts, axis=None, kind="stable")[:MOST_CONFUSIONS]
    pairs = [divmod(int(at), len(labels)) for at in top if counts.flat[at]]
    rows = [[str(labels[i]), str(labels[j]), words.number(int(counts[i, j]))] for i, j in pairs]
    heads = ("true class", "predicted", "examples")
    return Table(f"The most frequent confusions: {each.name}", heads, rows)


def _numbers(measured: Sequence[Predictions]) -> Section:
    names = (
        "R²",
        "root of the mean squared error",
        "mean absolute error",
        "median absolute error",
        "largest absolute error",
        "labels below their prediction",
    )
    columns = []
    for each in measured:
        true = np.asarray(each.true, dtype=np.float64).reshape(each.predicted.shape)
        left = true - each.predicted
        total = float(((true - true.mean(axis=0)) ** 2).sum())
        parts = (
            1 - float((left**2).sum()) / total if total else np.nan,
            float(np.sqrt(np.mean(left**2))),
            float(np.mean(np.abs(left))),
            float(np.median(np.abs(left))),
            float(np.abs(left).max()),
        )
        columns.append([*(words.number(value) for value in parts), f"{np.mean(left < 0):.2%}"])
    rows = [(name, *values) for name, *values in zip(names, *columns, strict=True)]
    points = [
        (each.name, *thinned(each.predicted.ravel(), _residuals(each).ravel())) for each in measured
    ]
    spread = sizes([(each.name, _residuals(each).ravel()) for each in measured], "residual")
    tables = [_summary(measured, rows)]
    return Section("Quality", pictures=[residuals(points), spread], tables=tables, columns=2)


def _residuals(each: Predictions) -> Array:
    found: Array = np.asarray(each.true).reshape(each.predicted.shape) - each.predicted
    return found


def _orders(measured: Sequence[Predictions]) -> Section:
    """Measures of ranks within queries with their spread, or of times with survival curves of the
    last set.
    """
    names = dict.fromkeys(name for each in measured for name in each.measures or {})
    rows = [
        (name, *(words.number((each.measures or {}).get(name, np.nan)) for each in measured))
        for name in names
    ]
    parts = [(each.name, *each.of_groups) for each in measured if each.of_groups is not None]
    spread = [(name, of) for name, _, of in parts]
    shown = [sizes(spread, parts[0][1], of="queries")] if parts else []
    if measured[-1].curves:
        shown.append(survival(measured[-1].curves))
    return Section("Quality", pictures=shown, tables=[_summary(measured, rows)])


def _outliers(measured: Sequence[Predictions]) -> Section:
    rows = [
        (
            "outliers",
            *(
                f"{np.mean(each.predicted < 0):.2%} ({int(np.sum(each.predicted < 0))} of "
                f"{len(each.predicted)})"
                for each in measured
            ),
        )
    ]
    scores = [(each.name, each.scores) for each in measured if each.scores is not None]
    shown = [sizes(scores, "score; outliers are below 0")] if scores else []
    return Section("Quality", pictures=shown, tables=[_summary(measured, rows)])


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
