"""The decision chart of docs/choose.md: questions, answers and the class for each.

python docs/pictures/chart.py docs/pictures/chart.svg
python docs/pictures/chart.py docs/pictures/chart-narrow.svg --narrow
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

#: What is predicted, then what matters, then the classes that serve.
CHART: dict[str, dict[str, tuple[str, ...]]] = {
    "a class": {
        "one class against another, or the rest": ("LinearSVC",),
        "several classes in one problem": ("WestonWatkinsSVC",),
        "probabilities": ("LogisticRegression",),
        "any number of labels a row": ("MultilabelClassifier", "LabelTreeClassifier"),
        "F1, precision or recall at k, ROC area": ("MultivariateClassifier",),
        "curved boundaries": ("KernelClassifier",),
        "few simple rules that vote": ("ERLPBoostClassifier",),
        "another loss or regularizer, bounds": ("LinearClassifier",),
        "by least squares": ("RidgeClassifier",),
        "C or alpha by cross validation": (
            "LinearSVCCV",
            "LogisticRegressionCV",
            "RidgeClassifierCV",
        ),
    },
    "a number": {
        "the mean": ("Ridge",),
        "the mean, by few features": ("Lasso", "ElasticNet"),
        "the mean, with outliers": ("HuberRegressor", "LinearSVR"),
        "the median or a quantile": ("QuantileRegressor",),
        "counts and costs": ("PoissonRegressor", "GammaRegressor", "TweedieRegressor"),
        "curved functions": ("KernelRegressor",),
        "several regressions that share features": (
            *("MultiTaskLasso", "MultiTaskElasticNet", "MultiTaskRegressor"),
        ),
        "another loss or regularizer, bounds": ("LinearRegressor",),
        "alpha by cross validation": ("RidgeCV", "LassoCV", "ElasticNetCV"),
        "counts, alpha by cross validation": (
            *("PoissonRegressorCV", "GammaRegressorCV", "TweedieRegressorCV"),
        ),
        "several, alpha by cross validation": ("MultiTaskLassoCV", "MultiTaskElasticNetCV"),
    },
    "labels that\ndepend on others": {
        "sequences, with probabilities": ("ChainCRF",),
        "sequences, by margins": ("ChainSVM",),
        "sequences, by a kernel": ("KernelChainCRF",),
        "trees and decomposable graphs": ("GraphCRF", "GraphSVM"),
    },
    "something else": {
        "ranks within queries": ("RankingSVM",),
        "times to an event": ("CoxRegressor",),
        "outliers": ("OneClassSVM",),
        "missing entries of a matrix": ("MatrixCompletion",),
        "the same problem for many C": ("path",),
    },
}
COLUMNS = (0.0, 2.6, 5.3, 10.6)
#: Width of the boxes of classes.
CLASSES = 5.6
INK, LINE, LINK = "#1b2733", "#7c8b99", "#0b4fa0"
#: Points: the size of the letters, and the room for names in a box.
SIZE, ROOM = 8.5, 220.0
#: The width of a letter of a fixed width, in units of its size.
LETTER = 0.602
FILLS = ("#dbe7f3", "#e4f0e4", "#fbf0da", "#f6e3ea")
#: Width of the chart for phones, and the indent of its answers.
NARROW, INDENT = 5.4, 0.5


def draw(path: Path) -> None:
    """Draw the chart into a file, by the end of its name."""
    n_rows = sum(map(len, CHART.values()))
    figure, axes = plt.subplots(figsize=(12.2, 0.42 * n_rows))
    row, roots = 0, []
    for fill, (predicted, answers) in zip(FILLS, CHART.items(), strict=True):
        middle = row + (len(answers) - 1) / 2
        roots.append(middle)
        _box(axes, COLUMNS[1], middle, predicted, fill)
        for answer, classes in answers.items():
            _line(axes, COLUMNS[1] + 2.0, middle, COLUMNS[2] - 0.1, row)
            _line(axes, COLUMNS[2] + 4.4, row, COLUMNS[3] - 0.1, row)
            _box(axes, COLUMNS[2], row, answer, fill, width=4.4)
            _box(axes, COLUMNS[3], row, "", fill, width=CLASSES)
            _names(axes, COLUMNS[3] + CLASSES / 2, row, classes)
            row += 1
    middle = (n_rows - 1) / 2
    for root in roots:
        _line(axes, COLUMNS[0] + 2.0, middle, COLUMNS[1] - 0.1, root)
    _box(axes, COLUMNS[0], middle, "What do you\npredict?", "#ffffff")
    axes.set(xlim=(-0.1, COLUMNS[3] + CLASSES + 0.1), ylim=(n_rows - 0.4, -0.6))
    _save(figure, path)


def draw_narrow(path: Path) -> None:
    """Draw the chart as one column for phones: each answer stands above its classes."""
    n_rows = sum(map(len, CHART.values())) + len(CHART)
    figure = plt.figure(figsize=(3.7, 0.42 * n_rows))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    row = 0
    for fill, (predicted, answers) in zip(FILLS, CHART.items(), strict=True):
        _box(axes, 0.0, row, "You predict " + predicted.replace("\n", " "), fill, width=NARROW)
        for at, (answer, classes) in enumerate(answers.items(), row + 1):
            _line(axes, INDENT / 2, row + 0.4, INDENT, at)
            _box(axes, INDENT, at, "\n", fill, width=NARROW - INDENT)
            centre = (NARROW + INDENT) / 2
            _words(axes, centre, at - 0.2, answer)
            _names(axes, centre, at + 0.2, classes)
        row += len(answers) + 1
    axes.set(xlim=(-0.1, NARROW + 0.1), ylim=(n_rows - 0.4, -0.6))
    _save(figure, path)


def _save(figure, path: Path) -> None:
    for axes in figure.axes:
        axes.axis("off")
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "chart"}):
        figure.savefig(path, bbox_inches="tight", transparent=True, metadata={"Date": None})
    plt.close(figure)


def _box(axes, left, row, text, fill, width=2.0) -> None:
    height = 0.9 if "\n" in text else 0.7
    axes.add_patch(
        mpl.patches.FancyBboxPatch(
            (left, row - height / 2),
            width,
            height,
            boxstyle="round,pad=0.02,rounding_size=0.12",
            facecolor=fill,
            edgecolor=LINE,
            clip_on=False,
        )
    )
    _words(axes, left + width / 2, row, text)


def _words(axes, centre, row, text) -> None:
    axes.text(centre, row, text, ha="center", va="center", fontsize=SIZE, color=INK)


def _names(axes, centre, row, names) -> None:
    """Names of classes in one line, each a link to its page of the reference."""
    letters = len(", ".join(names))
    size = min(SIZE, ROOM / (LETTER * letters))
    left = -LETTER * size * letters / 2
    for number, name in enumerate(names):
        told = name + "," * (number < len(names) - 1)
        axes.annotate(
            told,
            (centre, row),
            (left, 0),
            textcoords="offset points",
            va="center",
            fontsize=size,
            family="monospace",
            color=LINK,
            url=f"api/generated/rrmlinear.{name}.html",
        )
        left += LETTER * size * (len(told) + 1)


def _line(axes, left, top, right, bottom) -> None:
    centre = (left + right) / 2
    axes.plot(
        [left, centre, centre, right], [top, top, bottom, bottom], color=LINE, lw=0.9, clip_on=False
    )


if __name__ == "__main__":
    (draw_narrow if "--narrow" in sys.argv else draw)(Path(sys.argv[1]))
