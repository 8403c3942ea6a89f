"""A container's rows in a third to two thirds of their bytes, for the passes of a training."""

from __future__ import annotations

import errno
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.container._narrow import narrow, shorten
from rrmlinear.data.container.pieces import cuts
from rrmlinear.data.container.working_copy import WorkingCopy
from rrmlinear.data.packed_rows import PackedRows, ShortRows
from rrmlinear.data.rows import Rows

#: Stored values that are written at once.
AT_ONCE = 1 << 16
#: Packed rows may differ from those looked at by this fraction of their length: two bits more than
#: float32 does. Values that come later may be larger by the factor ROOM.
MAX_PART, ROOM = 2.0**-22, 2.0
#: What 16 bits can number.
MOST_FEATURES = 1 << 16
#: In place of a number of decimals: values are float32, and indices int32.
FLOAT32 = -1
#: Likewise: values are as `ShortRows` have them.
SHORT = -2


@dataclass(frozen=True)
class NarrowRows:
    """Rows x̃_i that are streamed as the x_i are; ``part`` is the largest ‖x_i − x̃_i‖ / ‖x_i‖, or
    ``errors`` are the ‖x_i − x̃_i‖ of `ShortRows`.
    """

    rows: Rows
    part: float
    errors: NDArray[np.float32] | None = None


def narrowed(
    rows: Rows,
    norms: NDArray[np.float64],
    visit: Callable[[int, int], None],
    short: bool = False,
) -> NarrowRows | None:
    """Write ‖x_i‖² of every row to ``norms``, and make a narrow copy, in one reading of rows that
    are streamed; visit(begin, end) is called while those rows are in memory, their norms known.

    With ``short`` rows are `ShortRows` where indices have 16 bits; others are as near to them as
    MAX_PART says. There is no copy of rows that are narrow already, or where it cannot be written.
    """
    writing = _Writing(rows, norms, short) if rows.stored[0].dtype == np.float64 else None
    for begin, end in rows.spans():
        if writing is None or not writing.add(begin, end):
            writing = None
            norms[begin:end] = rows.between(begin, end).squared_norms()
        visit(begin, end)
    return None if writing is None else writing.finish()


class _Writing:
    """A narrow copy that grows."""

    def __init__(self, rows: Rows, norms: NDArray[np.float64], short: bool) -> None:
        assert rows.indptr is not None
        self.rows, self.norms, self.indptr = rows, norms, rows.indptr
        self.copy: WorkingCopy | None = None
        self.decimals, self.part = FLOAT32, 0.0
        self.short = short and rows.shape[1] <= MOST_FEATURES
        n = rows.shape[0] if self.short else 0
        self.units, self.errors = np.zeros((n, 2), np.float32), np.zeros(n, np.float32)

    def add(self, begin: int, end: int) -> bool:
        """Copy the next rows; False if that failed."""
        try:
            for first, last in cuts(self.indptr[begin + 1 : end + 1] - self.indptr[begin], AT_ONCE):
                self._add(begin + first, begin + last)
        except OSError:
            if self.copy is not None:
                self.copy.close()
            return False
        return True

    def _add(self, first: int, last: int) -> None:
        if self.copy is None:
            self.decimals = self._chosen(first, last)
            self.copy = WorkingCopy(self.rows, *_types(self.decimals), self.rows.n_stored)
        values, indices, part = self._narrow(first, last, self.decimals, 1.0)
        if math.isinf(part):
            raise OSError(errno.ERANGE, "a value is too large for the narrow form")
        self.part = max(self.part, part)
        self.copy.add(values, indices, self.indptr[first + 1 : last + 1] - self.indptr[first])

    def _chosen(self, first: int, last: int) -> int:
        """The decimals that suit these rows."""
        if self.short:
            return SHORT
        for decimals in (9, 6, 3, 0) if self.rows.shape[1] <= MOST_FEATURES else ():
            if self._narrow(first, last, decimals, ROOM)[2] <= MAX_PART:
                return decimals
        return FLOAT32

    def _narrow(
        self, first: int, last: int, decimals: int, room: float
    ) -> tuple[NDArray[np.generic], NDArray[np.generic], float]:
        stored = int(self.indptr[last] - self.indptr[first])
        values, indices = (np.empty(stored, kind) for kind in _types(decimals))
        if decimals == SHORT:
            own = self.units, self.errors, self.norms
            part = 0.0 if shorten(self.rows, first, last, values, indices, *own) else math.inf
        else:
            part = narrow(self.rows, first, last, decimals, room, values, indices, self.norms)
        return values, indices, part

    def finish(self) -> NarrowRows | None:
        assert self.copy is not None
        try:
            mapped, blocks = self.copy.finish()
        except OSError:
            self.copy.close()
            return None
        arrays, width, bias = mapped.arrays, self.rows.shape[1], self.rows.bias
        given = arrays["values"], arrays["indices"], arrays["indptr"], width, bias, blocks
        if self.decimals == SHORT:
            return NarrowRows(ShortRows(*given, units=self.units), 0.0, self.errors)
        if self.decimals == FLOAT32:
            return NarrowRows(Rows(*given), self.part)
        return NarrowRows(PackedRows(*given, decimals=self.decimals), self.part)


def _types(decimals: int) -> tuple[np.dtype[np.generic], np.dtype[np.generic]]:
    """Of values and indices."""
    if decimals == FLOAT32:
        return np.dtype(np.float32), np.dtype(np.int32)
    return np.dtype(np.uint16 if decimals == SHORT else np.int32), np.dtype(np.uint16)
