"""The facts of a file whose examples have any number of labels, for the info command."""

from __future__ import annotations

import numpy as np

from rrmlinear.data.label_sets import MultilabelProblem
from rrmlinear.pages import words


def label_lines(problem: MultilabelProblem) -> list[tuple[str, str]]:
    """The facts of a data set, each with its name."""
    number, labels = words.number, problem.labels
    n, d = problem.rows.shape
    counts = labels.counts
    has_label = np.zeros(n, dtype=bool)
    has_label[labels.members] = True
    stored = problem.rows.lengths()
    positives = counts[counts > 0]
    lines = [
        ("rows", number(n)),
        ("features", number(d)),
        (
            "stored values",
            f"{number(stored.sum())}, {stored.sum() / max(n * d, 1):.3%} of the matrix",
        ),
        ("labels", number(len(counts))),
        ("labels a row, mean", f"{counts.sum() / n:.3g}"),
    ]
    if len(positives):
        spread = f"{number(np.median(positives))}, from {number(positives.min())}"
        lines.append(("rows of a label, median", f"{spread} to {number(positives.max())}"))
    if len(positives) < len(counts):
        lines.append(("labels without rows", number(len(counts) - len(positives))))
    lines.append(("rows without labels", number(n - has_label.sum())))
    lines.append(("rows without features", number((stored == 0).sum())))
    return lines
