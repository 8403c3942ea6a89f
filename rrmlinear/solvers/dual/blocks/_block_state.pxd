from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t

from rrmlinear.core.block_store cimport (
    block_store_prefetch, block_store_prefetch_place, block_store_t,
)
from rrmlinear.core.schedule cimport schedule_t
from rrmlinear.data.rows cimport Rows
from rrmlinear.losses.block_base cimport BlockLoss
from rrmlinear.regularizers.base cimport Regularizer
from rrmlinear.simd.rows cimport prefetch, row_t, rows_prefetch, rows_prefetch_begin


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


# The memory that a visit of a block works in, a row of one matrix for each thread.

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


cdef enum:
    FEATURE_PARTS = 4    # into which threads that share a face cut its features
    ROW_LOOKAHEAD = 2    # visits between the prefetch of a row and its use
    BLOCK_LOOKAHEAD = 4    # visits between the prefetch of a block and its use
    RECORD_LOOKAHEAD = 12    # the same for the numbers that are kept of an example


cdef class BlockState:
    cdef public Rows rows                 # some may be empty for a while
    cdef public BlockLoss loss
    cdef readonly Regularizer regularizer
    cdef readonly object panels           # V: panels × d × panel stride, padding zero
    cdef readonly object primal_panels    # ∇Ω*(V) likewise, or, where that is linear, V itself
    cdef readonly double scale            # W is scale times the primal panels
    cdef readonly BlockDuals duals
    cdef readonly object gaps             # n: each example's gap when last computed
    cdef readonly object conjugates       # n: (C_i φ_i)* at its block
    cdef readonly object active_from        # n: the pass from which each is visited again
    cdef readonly object rises            # n: ½ ‖x_i‖² times the square of its last move
    cdef readonly Py_ssize_t n_threads
    cdef readonly bint out_of_memory
    cdef Py_ssize_t n, k, k8
    cdef Py_ssize_t stride                # of W in one piece, and of each panel of it
    cdef Py_ssize_t panel_stride
    cdef Py_ssize_t panel_size            # doubles from a panel to the next
    cdef double[:, :, ::1] V
    cdef double[:, :, ::1] W              # V where ∇Ω* is linear
    cdef double[::1] gap
    cdef double[::1] conjugate
    cdef double[::1] rise
    cdef const double[::1] cost
    cdef const double[::1] curvature
    cdef const int32_t[::1] label
    cdef int32_t[::1] active                # see schedule_t
    cdef unsigned char[::1] streak
    cdef schedule_t schedule
    cdef double[:, ::1] flags             # where threads meet: flag_t
    cdef double[:, ::1] scores            # of the team; two, so that a visit may run into the next
    cdef Py_ssize_t cut[FEATURE_PARTS + 1]    # features at which the parts begin
    cdef double[:, ::1] scratch           # a row a thread, which begins with its scratch_t

    cdef scratch_t* _scratch(self, int thread) noexcept nogil
    cdef void _score(self, const row_t* row, Py_ssize_t first, Py_ssize_t last,
                     double* scores) noexcept nogil
    cdef Py_ssize_t _look(self, const row_t* row, Py_ssize_t i, scratch_t* mine) noexcept nogil
    cdef void _update(self, const row_t* row, Py_ssize_t first, Py_ssize_t last,
                      const double* steps, double* vector) noexcept nogil
    cdef void _refresh(self, const row_t* row, Py_ssize_t first, Py_ssize_t last) noexcept nogil
    cdef void _refresh_some(self, const row_t* row, Py_ssize_t base, const int64_t* places,
                            Py_ssize_t count) noexcept nogil
    cdef void _add_row(self, Py_ssize_t i, scratch_t* mine, double* vector) noexcept nogil


cdef inline Py_ssize_t next_example(BlockState state, const int64_t* order, Py_ssize_t n,
                                    Py_ssize_t at) noexcept nogil:
    """order[at], after prefetching what the visits behind it read and write, of n visits.

    A visit waits for several of these otherwise, where there are more examples than caches hold.
    GCC drops the call of a function that does nothing but prefetch.
    """
    cdef Py_ssize_t i
    if at + RECORD_LOOKAHEAD < n:
        i = order[at + RECORD_LOOKAHEAD]
        rows_prefetch_begin(&state.rows.c, i)
        block_store_prefetch_place(&state.duals.store, i)
        prefetch(&state.label[i], 0, 2)
        prefetch(&state.cost[i], 0, 2)
        prefetch(&state.curvature[i], 0, 2)
        prefetch(&state.gap[i], 1, 2)
        prefetch(&state.rise[i], 1, 2)
        prefetch(&state.conjugate[i], 1, 2)
        prefetch(&state.active[i], 1, 2)
        prefetch(&state.streak[i], 1, 2)
    if at + BLOCK_LOOKAHEAD < n:
        block_store_prefetch(&state.duals.store, order[at + BLOCK_LOOKAHEAD])
    if at + ROW_LOOKAHEAD < n:
        rows_prefetch(&state.rows.c, order[at + ROW_LOOKAHEAD])
    return order[at]
