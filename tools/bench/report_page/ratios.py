"""The ratios of the front page, taken from the tables of the summary."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from places import put, text_of
from summary import PLACE

RATIOS = "ratios"


@dataclass(frozen=True)
class Ratio:
    """A row: the least and the largest ratio to a level, over others whose names begin so."""

    problem: str
    against: str
    topic: str
    others: tuple[str, ...]
    level: str


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
    ),
    Ratio("LIBLINEAR's types, to 1e-6", "LIBLINEAR", "LIBLINEAR's types", ("",), "to 1e-06"),
    Ratio(
        "its types, each program at its default `-e`",
        "LIBLINEAR",
        "LIBLINEAR's types",
        ("",),
        "to its own end",
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


def put_ratios(front: Path, page: Path) -> None:
    """Write the table between `<!-- ratios -->` and `<!-- end -->` of the front page.

    A row whose table is not on ``page`` is left out.
    """
    parts = text_of(page, PLACE).split("### ")[1:]
    topics = {part.partition("\n")[0]: part.splitlines() for part in parts}
    lines = ["| problem | against | ratio |", "| --- | --- | --- |"]
    for row in ROWS:
        found = _numbers(row, topics.get(row.topic, []))
        if found:
            told = dict.fromkeys((found[0], found[-1]))
            lines.append(f"| {row.problem} | {row.against} | {' to '.join(told)} |")
    put(front, RATIOS, "\n".join(lines) + "\n\n")


def _numbers(row: Ratio, lines: list[str]) -> list[str]:
    """The ratios of a row as they are told, from small to large."""
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "|" in line]
    if not table or row.level not in table[0]:
        return []
    place = table[0].index(row.level)
    cells = [each[place] for each in table[2:] if each[0].startswith(row.others)]
    ratios = [part for cell in cells for part in cell.split(", never")[0].split(" / ")]
    known = [ratio for ratio in ratios if ratio and not ratio.startswith("never")]
    return sorted(known, key=lambda ratio: float(ratio.removeprefix("over ")))
