from libc.stdint cimport int32_t

from rrmlinear.core.schedule cimport schedule_t
from rrmlinear.core.vector_copies cimport vector_copies_t
from rrmlinear.data.rows cimport Rows
from rrmlinear.losses.base cimport ScalarLoss
from rrmlinear.regularizers.base cimport Regularizer
from rrmlinear.solvers.dual._example cimport example_t, progress_t
from rrmlinear.solvers.dual._running_average cimport RunningAverage

cdef enum:
    ROW_LOOKAHEAD = 5       # visits between the prefetch of a row and its use


cdef class DualState:
    cdef public Rows rows                 # some may be empty for a while
    cdef public ScalarLoss loss
    cdef readonly Regularizer regularizer
    cdef readonly object dual_vector      # v, as long as the rows are wide: its first copy
    cdef readonly object alphas           # n, a view of the examples
    cdef readonly object gaps             # n, likewise: each example's gap when last computed
    cdef readonly object curvatures       # n, likewise: ‖x_i‖² over the first Ω's modulus
    cdef readonly object first            # n, likewise: the caller's, duals of some moment
    cdef readonly object wakes            # n: the pass from which each is visited again
    cdef readonly RunningAverage average  # None: no averaging
    cdef readonly int n_copies
    cdef double gap_before, conjugate_before  # Σ gaps, Σ (c_i φ)*(−α_i) when the pass began
    cdef double first_modulus, curvature_scale    # that of the first Ω, and over the present one's
    cdef progress_t before                # sizes of the duals when the pass began
    cdef double bound                     # of the sizes; NaN until they have been counted
    cdef Py_ssize_t n, width
    cdef int option                       # of the length of a step; see step_end
    cdef const double[::1] cost
    cdef example_t[::1] example
    cdef int32_t[::1] wake                # see schedule_t
    cdef unsigned char[::1] streak
    cdef schedule_t schedule
    cdef double[:, ::1] v                 # copies of v, each with room behind it
    cdef progress_t[:, ::1] progress      # of each copy, the first of a line
    cdef vector_copies_t copies
    cdef object memory                    # of the copies' exchange

    cdef int _begin(self, double gap_sum, double conjugate_sum) except -1
