from libc.math cimport INFINITY
from rrmlinear.core.block_store cimport block_store_t


cdef class BlockDuals:
    cdef block_store_t store
    cdef const double[::1] cost
    cdef object sums    # of each block, and one entry more


cdef inline double gradient_range(const double* margins, const double* block, double cost,
                                  Py_ssize_t k) noexcept nogil:
    """The range of the dual's gradient over the classes of an example.

    That is the largest margin, 0 being that of the true class, less the least of a class that can
    fall: one with a dual, or the true one where the duals do not sum to their bound.
    """
    cdef double highest = 0, lowest = INFINITY, total = 0
    cdef Py_ssize_t j
    if not cost > 0:
        return 0
    for j in range(k):
        highest = max(highest, margins[j])
        if block[j] > 0:
            lowest = min(lowest, margins[j])
            total += block[j]
    if total < cost * (1 - 1e-12):    # sums round
        lowest = min(lowest, 0)
    return highest - lowest
