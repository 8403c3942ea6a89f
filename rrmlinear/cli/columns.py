"""Options that speak of columns of the data: groups, and columns without a penalty."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.choices import Choices
from rrmlinear.cli.files import blaming, reading
from rrmlinear.cli.leaving import LeaveError
from rrmlinear.cli.parser import whole_number
from rrmlinear.data.problem import Problem
from rrmlinear.data.sequences import SequenceProblem
from rrmlinear.data.text.libsvm_errors import shown

# 3,5-7,12; any other text is the name of a file.
#: The choices whose values are numbers in a file.
FACTOR_FILES = ("penalty_factors", "group_weights")
LIST = re.compile(r"[0-9,\-]+")


def read_groups(path: str) -> list[int]:
    """The group of each feature, a whole number on a line of its own."""
    return _whole_lines(path, f"can't open groups file {path}")


def read_columns(text: str) -> list[int]:
    """Columns from 0 of a list of features, as 3,5-7, or of a file with one on a line.

    Features count from 1. Raises LeaveError for other numbers and text, and for a file that cannot
    be read.
    """
    if not LIST.fullmatch(text):
        features = _whole_lines(text, f"can't open file of features {text}")
    else:
        features = []
        for part in text.split(","):
            first, dash, last = part.partition("-")
            begin = _whole(first, "--unpenalized")
            end = _whole(last, "--unpenalized") if dash else begin
            if end < begin:
                raise LeaveError(f"ERROR: --unpenalized: {part!r} ends before it begins")
            features += range(begin, end + 1)
    for feature in features:
        if feature < 1:
            raise LeaveError(f"ERROR: --unpenalized: features count from 1, and {feature} is given")
    return [feature - 1 for feature in features]


def read_factors(path: str) -> NDArray[np.float64]:
    """Factors of penalties in a file: .npy, a number on each line, or FILE:COLUMN of a table."""
    from rrmlinear.data.formats.batches import as_numbers
    from rrmlinear.data.formats.beside import read_vector

    with reading(path):
        found = as_numbers(read_vector(path), "factors", path)
    for i in np.flatnonzero(~(np.isfinite(found) & (found >= 0))).tolist():
        given = f"{path}: number {i + 1} is {found[i]:g}"
        raise LeaveError(f"ERROR: {given}; it must be at least 0 and finite")
    return found


def check_columns(
    problem: Problem | SequenceProblem,
    training_file: str,
    groups_file: str | None,
    choices: Choices,
) -> None:
    """Raise LeaveError unless there is a group and a factor for each feature, and those unpenalized
    exist.
    """
    d, groups, unpenalized = problem.n_features, choices.groups, choices.unpenalized
    if choices.penalty_factors is not None and np.size(choices.penalty_factors) != d:
        raise LeaveError(
            f"ERROR: --penalty-factors: there are {np.size(choices.penalty_factors)} numbers, and "
            f"{training_file} has {d} features"
        )
    if groups is not None and len(groups) != d:
        told = f"feature {len(groups) + 1} has none"
        raise LeaveError(
            f"ERROR: {groups_file} has {len(groups)} groups and {training_file} {d} features: "
            f"{told if len(groups) < d else f'line {d + 1} is beyond'}"
        )
    if unpenalized is not None and max(unpenalized) >= d:
        raise LeaveError(
            f"ERROR: --unpenalized: feature {max(unpenalized) + 1} is beyond the {d} features of "
            f"{training_file}"
        )


def _whole_lines(path: str, sentence: str) -> list[int]:
    with blaming(sentence), open(path, encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    if not lines:
        raise LeaveError(f"ERROR: {path} is empty; it must have a whole number on each line")
    return [_whole(line, f"{path}, line {at}") for at, line in enumerate(lines, 1)]


def _whole(text: str, place: str) -> int:
    try:
        return whole_number(text.strip())
    except ValueError:
        raise LeaveError(f"ERROR: {place}: {shown(text.strip())} is not a whole number") from None
