"""The ratios of the front pages and their picture, taken from the tables of docs/speed.md:

    python tools/bench/report_page/ratios.py docs/speed.md README.md docs/index.md

writes the places `<!-- ratios -->` and `<!-- medians -->` of all these pages, and the picture
docs/pictures/ratios.svg.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill

from places import REPORT, pattern_of, put, text_of

RATIOS, MEDIANS = "ratios", "medians"
HEAD = "| problem | against | median | least to largest |\n| --- | --- | --- | --- |\n"
PICTURE = "pictures/ratios.svg"
WIDTH = 130
COLOUR = "#1f5fbf"
BAR = {"color": COLOUR, "alpha": 0.35, "solid_capstyle": "butt"}


@dataclass(frozen=True)
class Ratio:
    """A row: ratios to a level over others whose names begin so; three stand on the first page."""

    problem: str
    against: str
    topic: str
    others: tuple[str, ...]
    level: str
    is_first: bool = False


ROWS = (
    Ratio(
        "Weston–Watkins, sets of its paper, by the paper's rule",
        "the authors' program",
        "Weston–Watkins",
        ("the authors’ Walrus",),
        "to its own end",
    ),
    Ratio(
        "hinge, squared hinge and logistic loss, to 1e-6",
        "LIBLINEAR `-s 3`, `1`, `7`",
        "Losses of one score",
        ("LIBLINEAR dual",),
        "to 1e-06",
        is_first=True,
    ),
    Ratio("LIBLINEAR's types, to 1e-6", "LIBLINEAR", "LIBLINEAR's types", ("",), "to 1e-06"),
    Ratio(
        "LIBLINEAR's types, each at its default `-e`",
        "LIBLINEAR",
        "LIBLINEAR's types",
        ("",),
        "to its own end",
        is_first=True,
    ),
    Ratio(
        "`LinearSVC`, `LogisticRegression` and `Ridge`, to 1e-6",
        "scikit-learn",
        "Estimators of scikit-learn",
        ("scikit-learn",),
        "to 1e-06",
    ),
    Ratio(
        "the Lasso on text, three values of λ, to 1e-6",
        "scikit-learn, celer",
        "Losses of one score",
        ("scikit-learn Lasso", "celer"),
        "to 1e-06",
    ),
    Ratio(
        "conditional random fields",
        "python-crfsuite",
        "Conditional random fields",
        ("python-crfsuite",),
        "to 0.0001",
        is_first=True,
    ),
    Ratio("reading LIBSVM text", "scikit-learn", "Reading", ("scikit-learn",), "to its own end"),
    Ratio(
        "kernel hinge",
        "scikit-learn's SVC, by pairs of classes",
        "Kernel machines",
        ("SVC, pairs",),
        "to its own end",
    ),
)


def put_ratios(fronts: Sequence[Path], page: Path) -> None:
    """Write the places of the pages ``fronts``: all ratios, or the first three of the medians.

    Below the table of all ratios stand those on which ours is slower. A row whose table is not on
    ``page`` is left out.
    """
    text = text_of(page, REPORT)
    found = {row: _spans(row, text) for row in ROWS}
    rows = [
        (row, f"| {row.problem} | {row.against} | {_told(spans, 1)} | {_ends(spans)} |\n")
        for row, spans in found.items()
        if spans
    ]
    slower = f"Faster than ours, by the part of our time: {'; '.join(_slower(text))}."
    told = f"{fill(slower, WIDTH)}\n\n" if _slower(text) else ""
    places = {
        RATIOS: f"{HEAD}{''.join(line for _, line in rows)}\n{told}",
        MEDIANS: f"{HEAD}{''.join(line for row, line in rows if row.is_first)}\n",
    }
    for front in fronts:
        for name, made in places.items():
            if pattern_of(name).search(front.read_text(encoding="utf-8")):
                put(front, name, made)


def draw(page: Path, picture: Path) -> None:
    """Draw each row as its least, median and largest ratio on one logarithmic axis."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    text = text_of(page, REPORT)
    found = {row: spans for row in ROWS if (spans := _spans(row, text))}
    context = {"svg.fonttype": "none", "svg.hashsalt": "ratios", "font.size": 9}
    with mpl.rc_context(context):
        figure, axes = plt.subplots(figsize=(9, 0.42 * len(found) + 0.8), layout="constrained")
        for height, spans in enumerate(found.values()):
            least, largest = (end(map(_number, span)) for end, span in _sides(spans))
            axes.plot([least, largest], [height] * 2, lw=6, **BAR)
            middles = sorted(_number(span[1]) for span in spans)
            axes.plot(middles, [height] * len(middles), "o", color=COLOUR)
        axes.axvline(1, color="#c4561a", lw=1)
        axes.set(xscale="log", xlabel="time of the other divided by ours: least, median, largest")
        axes.set(yticks=range(len(found)), yticklabels=[_label(row) for row in found])
        axes.xaxis.set_major_formatter("{x:g}")
        axes.grid(axis="x", alpha=0.3)
        axes.invert_yaxis()
        figure.savefig(picture, metadata={"Date": None})
    plt.close(figure)


def _label(row: Ratio) -> str:
    return f"{row.problem}\n{row.against}".replace("`", "")


def _sides(spans: list[list[str]]) -> tuple[tuple, tuple]:
    return (min, [span[0] for span in spans]), (max, [span[-1] for span in spans])


def _ends(spans: list[list[str]]) -> str:
    """The least and the largest ratio."""
    ends = (end(told, key=_number) for end, told in _sides(spans))
    return " to ".join(dict.fromkeys(ends))


def _told(spans: list[list[str]], place: int) -> str:
    """One of three numbers of a row: where it has several others, of all of these."""
    numbers = sorted((span[place] for span in spans), key=_number)
    return " to ".join(dict.fromkeys((numbers[0], numbers[-1])))


def _number(ratio: str) -> float:
    return float(ratio.removeprefix("over "))


def _spans(row: Ratio, text: str) -> list[list[str]]:
    """The least, the median and the largest ratio of each other, as the tables tell them."""
    lines = next((part for part in text.split("### ") if part.startswith(f"{row.topic}\n")), "")
    table = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in lines.splitlines()
        if "|" in line
    ]
    if not table or row.level not in table[0]:
        return []
    place = table[0].index(row.level)
    cells = [each[place] for each in table[2:] if each[0].startswith(row.others)]
    found = [cell.split(", never")[0].split(" / ") for cell in cells]
    # two numbers are those of a pair of problems, whose median is above the first
    return [
        [span[0], span[(len(span) - 1) // 2], span[-1]]
        for span in found
        if span[0] and not span[0].startswith("never")
    ]


def _slower(text: str) -> list[str]:
    """Others that are faster somewhere: how much, and on which sets, by the lists of the tables."""
    spans: dict[str, list[list[str]]] = {}
    sets: dict[str, dict[str, None]] = {}
    for line in text.splitlines():
        if line.startswith("* "):
            other, _, told = line[2:].partition(": ")
            for place in told.split("; "):
                problem, _, span = place.rpartition(": ")
                spans.setdefault(other, []).append(span.split(" of ")[0].split(" to "))
                sets.setdefault(other, {})[problem.split(", ")[0]] = None
    return [f"{other}: {_ends(spans[other])} ({', '.join(sets[other])})" for other in spans]


if __name__ == "__main__":
    source, *others = map(Path, sys.argv[1:])
    put_ratios([source, *others], source)
    draw(source, source.parent / PICTURE)
