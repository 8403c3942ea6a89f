# The memory that a visit of a block works in, a row of one matrix for each thread.
from libc.stdint cimport int32_t, int64_t

cdef enum:
    DOUBLES_APART = 512   # between the memory of two threads: cores fetch ahead
    HEADER = 16           # doubles that scratch_t takes, in whole cache lines

cdef struct scratch_t:
    double* margins
    double* block         # zero between visits
    double* new_block
    double* steps
    double* packed
    int64_t* places       # k8 + 8: places in W of the classes at hand
    int32_t* integers     # 3 k8 + 8: to pack a block, then the classes of its face
    double* work
    double norm_change    # of Ω*(V) since the pass began; thread 0 keeps it
    int64_t moved         # visits that changed their block, likewise


cdef inline Py_ssize_t scratch_size(Py_ssize_t k8, Py_ssize_t work) noexcept nogil:
    """Doubles in a thread's row: the struct, its arrays, and room before the next row."""
    cdef Py_ssize_t used = HEADER + 8 * k8 + 16 + (work + 7) // 8 * 8
    return (used + DOUBLES_APART - 1) // DOUBLES_APART * DOUBLES_APART


cdef inline void scratch_lay(double* row, Py_ssize_t k8) noexcept nogil:
    """Begin a row of zeros, on a boundary of 64 bytes as its arrays are, with the struct."""
    cdef scratch_t* mine = <scratch_t*> row
    cdef double* at = row + HEADER
    mine.margins = at
    mine.block = at + k8
    mine.new_block = at + 2 * k8
    mine.steps = at + 3 * k8
    mine.packed = at + 4 * k8
    mine.places = <int64_t*> (at + 5 * k8)
    mine.integers = <int32_t*> (at + 6 * k8 + 8)
    mine.work = at + 8 * k8 + 16
