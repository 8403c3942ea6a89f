"""The best cut of each feature: one pass over its examples, sorted once."""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t


def search_cuts(const int64_t[::1] starts not None, const int64_t[::1] middles not None,
                const int32_t[::1] order not None, const double[::1] g not None,
                double[::1] sums not None, int64_t[::1] cuts not None):
    """For each feature the largest |Σ_i g_i h(x_i)| over h = 1 above a cut and −1 below it.

    The examples of feature j are ``order[starts[j]:starts[j + 1]]`` by rising values; those left
    out have one value, and stand before ``middles[j]``. The complement ~i stands for an example i
    that no cut may follow, before the middle, or precede, from the middle on. ``sums`` and ``cuts``
    are written: the sum, and the place in ``order`` of the example at the cut; −1 for no cut, h = 1
    everywhere.
    """
    cdef Py_ssize_t d = middles.shape[0], n = g.shape[0], i, j, k
    cdef double total = 0, side, value, best
    cdef int64_t at
    cdef int32_t example
    with nogil:
        for i in range(n):
            total += g[i]
        for j in range(d):
            best, at, side = total, -1, 0
            for k in range(starts[j], middles[j]):
                example = order[k]
                if example < 0:
                    side += g[~example]
                    continue
                side += g[example]
                value = total - 2 * side
                if fabs(value) > fabs(best):
                    best, at = value, k
            side = 0
            for k in range(starts[j + 1] - 1, middles[j] - 1, -1):
                example = order[k]
                if example < 0:
                    side += g[~example]
                    continue
                side += g[example]
                value = 2 * side - total
                if fabs(value) > fabs(best):
                    best, at = value, k
            sums[j], cuts[j] = best, at
