"""A container's rows in single precision: two thirds of the bytes for the passes of a training."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.container.pieces import cuts
from rrmlinear.data.container.working_copy import WorkingCopy
from rrmlinear.data.rows import Rows

#: Stored values that are written at once.
AT_ONCE = 1 << 16
#: The largest |x − x̃| / |x| of a float32 x̃.
PART = 2.0**-24


def narrowed(
    rows: Rows, norms: NDArray[np.float64], visit: Callable[[int, int], None]
) -> Rows | None:
    """Write ‖x_i‖² of every row to ``norms``, and make a copy with float32 values, in one reading
    of rows that are streamed; visit(begin, end) is called while those rows are in memory, their
    norms known.

    The copy's rows x̃_i have ‖x_i − x̃_i‖ ≤ PART ‖x_i‖. There is none of rows in float32, of values
    beyond its range, or where it cannot be written.
    """
    values, indices = rows.stored
    copy = None
    try:
        if values.dtype == np.float64:
            assert indices is not None
            copy = WorkingCopy(rows, np.dtype(np.float32), indices.dtype, rows.n_stored)
    except OSError:
        pass
    for begin, end in rows.spans():
        norms[begin:end] = rows.between(begin, end).squared_norms()
        if copy is not None and not _copied(copy, rows, begin, end):
            copy.close()
            copy = None
        visit(begin, end)
    return None if copy is None else _finished(copy, rows)


def _copied(copy: WorkingCopy, rows: Rows, begin: int, end: int) -> bool:
    """Whether these rows could be copied."""
    (values, indices), indptr = rows.stored, rows.indptr
    assert indices is not None
    assert indptr is not None
    tiny = np.finfo(np.float32).tiny
    for first, last in cuts(indptr[begin + 1 : end + 1] - indptr[begin], AT_ONCE):
        ends = indptr[begin + first : begin + last + 1]
        place = slice(int(ends[0]), int(ends[-1]))
        with np.errstate(over="ignore", under="ignore"):
            short = values[place].astype(np.float32)
        near = np.isfinite(short) & ((np.abs(short) >= tiny) | (values[place] == 0))
        if not near.all():
            return False
        try:
            copy.add(short, indices[place], ends[1:] - ends[0])
        except OSError:
            return False
    return True


def _finished(copy: WorkingCopy, rows: Rows) -> Rows | None:
    try:
        mapped, blocks = copy.finish()
    except OSError:
        copy.close()
        return None
    arrays = mapped.arrays
    return rows.over(arrays["values"], arrays["indices"], arrays["indptr"], rows.bias, blocks)
