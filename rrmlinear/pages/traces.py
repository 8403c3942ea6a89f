"""Traces as arrays: of a run, or of files of `train --trace`; and counts of the sizes of duals."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.plain_state import PlainState
from rrmlinear.solvers.loop.result import TraceRow

#: Passes that a picture shows; of more, this number spread evenly in the logarithm.
MOST_PASSES = 2000
#: What each line of a trace file holds, by its names there.
NUMBERS = ("pass", "seconds", "primal", "dual", "gap")


class TraceError(ValueError):
    """A trace file that cannot be read: its name, the line and what is wrong."""


@dataclass(frozen=True, eq=False)
class Trace:
    """The passes of one run as arrays, NaN where a number is not known."""

    name: str
    passes: NDArray[np.float64]
    seconds: NDArray[np.float64]
    primal: NDArray[np.float64]
    dual: NDArray[np.float64]
    gap: NDArray[np.float64]

    @property
    def relative_gap(self) -> NDArray[np.float64]:
        """Gaps over |primal|; gaps where it is 0."""
        with np.errstate(invalid="ignore"):
            return self.gap / np.where(self.primal == 0, 1.0, np.abs(self.primal))

    def thinned(self) -> Trace:
        """At most MOST_PASSES passes, the first and the last among them."""
        n = len(self.passes)
        if n <= MOST_PASSES:
            return self
        kept = np.unique(np.geomspace(1, n, MOST_PASSES).astype(np.int64)) - 1
        return _trace(self.name, [getattr(self, field)[kept] for field in FIELDS])


FIELDS = ("passes", "seconds", "primal", "dual", "gap")


def trace_of(rows: Sequence[TraceRow], scale: float = 1.0, name: str = "") -> Trace:
    """The trace of a result, objectives times ``scale``."""
    table = np.array([(r.number, r.seconds, r.primal, r.dual, r.gap) for r in rows], dtype=float)
    table[~np.isfinite(table)] = np.nan
    table[:, 2:] *= scale
    return _trace(name, table.T)


def read_trace(path: str) -> Trace:
    """The trace in a file; TraceError for one without passes, or with a line that is no pass."""
    with open(path, encoding="utf-8", errors="replace") as file:
        table = [_numbers(line, path, at) for at, line in enumerate(file, 1) if line.strip()]
    if not table:
        raise TraceError(f"{path} holds no pass; train --trace writes such a file")
    return _trace(path, np.array(table).T)


def _numbers(line: str, path: str, at: int) -> list[float]:
    try:
        row: Any = json.loads(line)
        values = [math.nan if row[name] is None else float(row[name]) for name in NUMBERS]
    except (ValueError, TypeError, KeyError):
        told = line.strip()
        told = told if len(told) <= 40 else f"{told[:40]}…"
        raise TraceError(
            f"line {at} of {path} is {told!r}; a pass is a JSON object with "
            f"{', '.join(NUMBERS)}, as train --trace writes it"
        ) from None
    return values


def _trace(name: str, columns: Iterable[NDArray[np.float64]]) -> Trace:
    return Trace(name, *columns)


#: Bars of the histogram.
BARS = 40


@dataclass(frozen=True, eq=False)
class DualCounts(PlainState):
    """Counts of |α| in BARS equal parts of (0, largest], and the number of duals that are 0.

    ``zeros`` is None where only the nonzero duals are stored.
    """

    counts: NDArray[np.int64]
    largest: float
    zeros: int | None

    @classmethod
    def of(cls, duals: Any) -> DualCounts | None:
        """Of a Result's duals, or a ``dual_coef_``; None where there are none, or all are 0."""
        if duals is None:
            return None
        stored = hasattr(duals, "indptr")  # of blocks, or a sparse matrix
        name = "values" if hasattr(duals, "values") else "data"
        sizes = np.abs(np.ravel(getattr(duals, name) if stored else duals))
        largest = float(sizes.max(initial=0))
        if not 0 < largest < np.inf:
            return None
        zeros = int(sizes.size - np.count_nonzero(sizes))
        bars = (sizes / largest * BARS).astype(np.intp)
        counts = np.bincount(bars, minlength=BARS)[: BARS + 1]
        counts[BARS - 1] += counts[BARS:].sum()  # the largest
        counts[0] -= zeros
        return cls(counts[:BARS], largest, None if stored else zeros)

    def middles(self) -> NDArray[np.float64]:
        """The middle of each part."""
        return np.linspace(0.5, BARS - 0.5, BARS, dtype=np.float64) * (self.largest / BARS)
