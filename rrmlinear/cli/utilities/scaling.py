"""The scale command: features and labels into given ranges, with svm-scale's options and files."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.cli.files import (
    blaming,
    check_distinct,
    check_input,
    check_output,
    output_file,
    read_problem,
)
from rrmlinear.cli.leaving import LeaveError
from rrmlinear.cli.parser import MAX_THREADS, Parser, number, whole
from rrmlinear.cli.report import warn, warnings_said
from rrmlinear.cli.usage import SCALE
from rrmlinear.data.problem import Problem
from rrmlinear.data.text.whole_file import STDOUT

#: Places of the matrix that are scaled at once.
AT_ONCE = 1 << 20


class Ranges(NamedTuple):
    """What scaling takes where: features from ``least`` and ``largest`` (one for each, from index 1
    on) to ``limits``; labels from ``labels`` to ``label_limits``, both None where they stay.
    """

    limits: tuple[float, float]
    least: NDArray[np.float64]
    largest: NDArray[np.float64]
    label_limits: tuple[float, float] | None = None
    labels: tuple[float, float] | None = None

    def save(self, file: Any) -> None:
        """Write svm-scale's file; features of one value are left out."""
        lines = []
        if self.label_limits is not None and self.labels is not None:
            lines += ["y", _pair(self.label_limits), _pair(self.labels)]
        lines += ["x", _pair(self.limits)]
        for at in np.flatnonzero(self.least != self.largest).tolist():
            lines.append(f"{at + 1} {_pair((self.least[at], self.largest[at]))}")
        file.write(("\n".join(lines) + "\n").encode())


def main(arguments: Sequence[str]) -> None:
    """Scale a file. Raises LeaveError for every error."""
    arguments, label_limits = _label_limits(list(arguments))
    parser = Parser(lambda: SCALE, outputs=1)
    parser.value("-l", dest="lower", type=number("-l"), default=-1.0)
    parser.value("-u", dest="upper", type=number("-u"), default=1.0)
    parser.value("-y", dest="label_limits")
    parser.value("-s", dest="saved")
    parser.value("-r", dest="restored")
    parser.value("-m", dest="threads", type=whole("-m", 1, MAX_THREADS))
    options, files = parser.parse(arguments)
    if not 1 <= len(files) <= 2:
        raise parser.wrong("no data_file is given" if not files else f"{files[2]} is one too many")
    if options.saved is not None and options.restored is not None:
        raise parser.wrong("-r and -s cannot be given together")
    limits = options.lower, options.upper
    if not limits[1] > limits[0] or (label_limits and not label_limits[1] > label_limits[0]):
        raise parser.wrong("a lower limit must be below its upper limit")
    source, target = files[0], [*files, STDOUT][1]
    outputs = [("output", target)]
    inputs = [("data file", source)]
    if options.saved is not None:
        outputs.append(("file of ranges", options.saved))
    if options.restored is not None:
        inputs.append(("file of ranges", options.restored))
    check_distinct(outputs, inputs)
    for _, path in inputs:
        check_input(path)
    for _, path in outputs:
        check_output(path, "can't open output file")
    with warnings_said():
        problem = read_problem(source, options.threads, strict=False)
    if options.restored is None:
        ranges = _ranges_of(problem, limits, label_limits)
    else:
        ranges = _restored(options.restored, problem, source)
    if options.saved is not None:
        with output_file(options.saved, "can't write file of ranges") as file:
            ranges.save(file)
    _write(problem, ranges, target)


def _label_limits(arguments: list[str]) -> tuple[list[str], tuple[float, float] | None]:
    """The arguments without -y and its two values, and these."""
    if "-y" not in arguments:
        return arguments, None
    at = arguments.index("-y")
    if len(arguments) < at + 3:
        raise LeaveError("-y needs two values, y_lower and y_upper; see --help")
    limits = number("-y")(arguments[at + 1]), number("-y")(arguments[at + 2])
    return arguments[:at] + arguments[at + 3 :], limits


def _ranges_of(
    problem: Problem, limits: tuple[float, float], label_limits: tuple[float, float] | None
) -> Ranges:
    labels = None
    if label_limits is not None:
        labels = float(problem.labels.min()), float(problem.labels.max())
    return Ranges(limits, *_extremes(problem), label_limits, labels)


def _extremes(problem: Problem) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The least and the largest value of each feature; places that are not stored are 0."""
    if not problem.n_features:
        return np.zeros(0), np.zeros(0)
    matrix = problem.to_scipy()
    ends = matrix.min(axis=0), matrix.max(axis=0)
    least, largest = (
        np.asarray(each.toarray() if hasattr(each, "toarray") else each, dtype=np.float64).ravel()
        for each in ends
    )
    return least, largest


def _restored(path: str, problem: Problem, source: str) -> Ranges:
    """The ranges of a file; a feature that it does not have is 0, and a warning says so."""
    with blaming(f"can't open input file {path}"), open(path, encoding="utf-8") as file:
        lines = iter(enumerate(file.read().split("\n"), 1))
    label_limits = labels = None
    at, line = next(lines)
    if line.strip() == "y":
        label_limits, labels = (_numbers(path, *next(lines), 2) for _ in range(2))
        at, line = next(lines)
    if line.strip() != "x":
        raise LeaveError(f"ERROR: line {at} of {path} must be x, not {line!r}")
    limits = _numbers(path, *next(lines, (at + 1, "")), 2)
    known = {}
    for at, line in lines:
        if line.strip():
            index, *ends = _numbers(path, at, line, 3)
            if index != int(index) or index < 1:
                raise LeaveError(f"ERROR: line {at} of {path} begins with no index from 1 on")
            known[int(index)] = ends
    least, largest = _extremes(problem)
    n = max(len(least), max(known, default=0))
    least, largest = (np.pad(each, (0, n - len(each))) for each in (least, largest))
    for index in range(1, n + 1):
        if index in known:
            least[index - 1], largest[index - 1] = known[index]
        elif least[index - 1] != largest[index - 1]:
            warn(
                f"feature index {index} appeared in file {source} was not seen in the scaling "
                f"factor file {path}. The feature is scaled to 0."
            )
            least[index - 1] = largest[index - 1] = 0.0
    return Ranges(limits, least, largest, label_limits, labels)


def _numbers(path: str, at: int, line: str, count: int) -> tuple[Any, ...]:
    """The numbers of a line, or LeaveError unless there are as many finite ones."""
    values: list[float] = []
    with suppress(ValueError):
        values = [float(word) for word in line.split()]
    if len(values) != count or not all(map(math.isfinite, values)):
        raise LeaveError(f"ERROR: line {at} of {path} must be {count} numbers, not {line!r}")
    return tuple(values)


def _pair(numbers: tuple[float, float]) -> str:
    return f"{numbers[0]:.17g} {numbers[1]:.17g}"


def _scaled(values: Any, least: Any, largest: Any, limits: tuple[float, float]) -> Any:
    """Values of a range in the limits; the ends are hit exactly."""
    lower, upper = limits
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        found = lower + (upper - lower) * (values - least) / (largest - least)
    return np.where(values == least, lower, np.where(values == largest, upper, found))


def _write(problem: Problem, ranges: Ranges, target: str) -> None:
    sentence = "can't write output file"
    stored = 0
    with output_file(target, sentence) as file, blaming(f"{sentence} {target}"):
        for text, count in _texts(problem, ranges):
            file.write(text)
            stored += count
    before = problem.rows.n_stored
    if stored > before:
        warn(
            f"original #nonzeros {before}\n       > new      #nonzeros {stored}\n"
            "If feature values are non-negative and sparse, use -l 0 rather than the default -l -1"
        )
    sys.stdout.flush()


def _texts(problem: Problem, ranges: Ranges) -> Iterator[tuple[bytes, int]]:
    """Lines of some rows at a time, and the values in them."""
    labels = problem.labels
    if ranges.label_limits is not None and ranges.labels is not None:
        labels = _scaled(labels, *ranges.labels, ranges.label_limits)
    used = np.flatnonzero(ranges.least != ranges.largest)
    rows, n, d = problem.rows, len(labels), len(ranges.least)
    if not problem.n_features:
        yield "".join(f"{label:.17g} \n" for label in labels.tolist()).encode(), 0
        return
    step = max(1, AT_ONCE // max(d, 1))
    for begin in range(0, n, step):
        some = Problem(rows.between(begin, begin + step), labels[begin : begin + step])
        matrix = some.to_scipy()
        dense = np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)
        dense = np.pad(dense, ((0, 0), (0, d - dense.shape[1])))[:, used].astype(np.float64)
        ends = ranges.least[used], ranges.largest[used]
        scaled = _scaled(dense, *ends, ranges.limits)
        at, place = np.nonzero(scaled)
        counts = np.bincount(at, minlength=len(scaled)).tolist()
        pairs = zip((used[place] + 1).tolist(), scaled[at, place].tolist(), strict=True)
        # one call for many values: a call for each takes three times as long
        line = "".join("%.17g " + "%d:%g " * count + "\n" for count in counts)
        told: list[Any] = []
        for label, count in zip(some.labels.tolist(), counts, strict=True):
            told.append(label)
            told.extend(chain.from_iterable(next(pairs) for _ in range(count)))
        yield (line % tuple(told)).encode(), len(at)
