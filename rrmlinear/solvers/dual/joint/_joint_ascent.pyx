"""Dual ascent on problems of one class against the rest at once: each row is read once for all."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from rrmlinear.core.schedule cimport (
    schedule_awake, schedule_note, schedule_shuffle, schedule_t,
)
from rrmlinear.simd.blocks cimport block_scores, block_stride, block_update
from rrmlinear.simd.classes.moves cimport dual_moves
from rrmlinear.simd.rows cimport prefetch, row_t, rows_get, rows_prefetch, rows_prefetch_begin
from rrmlinear.data.rows cimport Rows
from rrmlinear.losses.base cimport ScalarLoss

import numpy as np

from rrmlinear.core.deadline import check_time
from rrmlinear.data.products import product_of_part
from rrmlinear.data.rows import aligned_zeros
from rrmlinear.solvers.loop.tolerances import COORDINATE_ROUNDING

cdef enum:
    ROW_LOOKAHEAD = 4       # visits between the prefetch of a row and its use
    BEGIN_LOOKAHEAD = 12    # and of its place in memory and its duals
    FIRST_SLEEP = 1         # passes that an example skips first whose duals are all 0
    CHECKED_VISITS = 256    # visits between two looks at the clock

# A C copy, which visits read.
cdef double MOVE_ROUNDING = COORDINATE_ROUNDING


cdef inline bint is_zero(const double* a, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t j
    for j in range(n):
        if a[j] != 0:
            return False
    return True


cdef class JointAscent:
    """minimize ½‖w_j‖² + Σ_i c_ij φ(x_i'w_j, y_ij) for each class j = first … first + k − 1.

    y_ij is 1 where ``label`` is j, and c_ij is ``costs`` times the class's one of k ``factors``
    there; elsewhere y_ij is −1 and c_ij the cost. ``squares`` are ‖x_i‖². It begins at duals of 0.
    The weights of all classes stand side by side: a visit reads a row for its k scores, moves each
    dual to its best value, all others fixed, and adds the row to the weights.
    """

    cdef Rows rows
    cdef ScalarLoss loss
    cdef const int32_t[::1] label
    cdef Py_ssize_t first
    cdef const double[::1] cost, factor, square
    cdef readonly object duals       # n × k
    cdef double[:, ::1] alpha        # the same, padded
    cdef double[:, ::1] W            # features × k, padded
    cdef int32_t[::1] wake           # see schedule_t
    cdef unsigned char[::1] streak
    cdef schedule_t schedule

    def __cinit__(self, Rows rows not None, ScalarLoss loss not None,
                  const int32_t[::1] label not None, Py_ssize_t first,
                  const double[::1] costs not None, const double[::1] factors not None,
                  const double[::1] squares not None):
        cdef Py_ssize_t n = rows.c.n_rows
        if not len(label) == len(costs) == len(squares) == n:
            raise ValueError(f"there must be {n} labels, costs and squared norms")
        self.rows, self.loss, self.label, self.first = rows, loss, label, first
        self.cost, self.factor, self.square = costs, factors, squares
        stride = block_stride(len(factors))
        duals = aligned_zeros(n, stride)
        self.alpha, self.duals = duals, duals[:, :len(factors)]
        self.W = aligned_zeros(max(rows.width, 1), stride)
        self.wake, self.streak = np.zeros(n, np.int32), np.zeros(n, np.uint8)
        if n:
            self.schedule = schedule_t(&self.wake[0], &self.streak[0], n, FIRST_SLEEP)

    @property
    def vectors(self):
        """Σ_i c_ij α_ij x_i of each class, the weights w_j, as rows."""
        return np.ascontiguousarray(np.asarray(self.W)[:self.rows.width, :len(self.factor)].T)

    def scores(self):
        """x_i'w_j of all examples, n × k."""
        result = np.empty((self.rows.c.n_rows, len(self.factor)))
        product_of_part(self.rows, self.W, result, 0, 0, self.rows.c.n_rows)
        return result

    def run_pass(self, int number, uint64_t seed):
        """Visit the examples in the order of pass ``number``. Those whose duals were all 0 and
        stayed so skip 1 pass, then 2, 4, … Raises TimeIsUpError after the deadline, between visits.
        """
        cdef Py_ssize_t n = self.rows.c.n_rows, k = self.factor.shape[0], stride = self.W.shape[1]
        cdef Py_ssize_t at, i, j, own
        cdef double* alpha
        order = np.empty(n, np.int64)
        cdef int64_t[::1] places = order
        cdef double[:, ::1] held = aligned_zeros(6, max(stride, 8))
        cdef row_t row
        if n == 0 or k == 0:
            return
        cdef double* scores = &held[0, 0]
        cdef double* steps = &held[1, 0]
        cdef double* new = &held[2, 0]
        cdef double* y = &held[3, 0]
        cdef double* curvature = &held[4, 0]
        cdef double* cost = &held[5, 0]    # 0 in the padding, whose duals stay
        held[3] = -1
        with nogil:
            n = schedule_awake(&self.schedule, &self.cost[0], number, 0, n, &places[0])
            schedule_shuffle(number, seed, &places[0], n)
            for at in range(n):
                if at % CHECKED_VISITS == 0:
                    with gil:
                        check_time()
                if at + BEGIN_LOOKAHEAD < n:
                    rows_prefetch_begin(&self.rows.c, places[at + BEGIN_LOOKAHEAD])
                    prefetch(&self.alpha[places[at + BEGIN_LOOKAHEAD], 0], 1, 3)
                if at + ROW_LOOKAHEAD < n:
                    rows_prefetch(&self.rows.c, places[at + ROW_LOOKAHEAD])
                i = places[at]
                row = rows_get(&self.rows.c, i)
                block_scores(&row, &self.W[0, 0], stride, stride, scores)
                own, alpha = self.label[i] - self.first, &self.alpha[i, 0]
                for j in range(k):
                    cost[j] = self.cost[i]
                for j in range(stride):
                    curvature[j] = self.cost[i] * self.square[i]
                if 0 <= own < k:
                    y[own] = 1
                    cost[own] *= self.factor[own]
                    curvature[own] *= self.factor[own]
                self.loss.all_dual_steps(y, scores, alpha, 1, curvature, 1, new, stride)
                if 0 <= own < k:
                    y[own] = -1
                if dual_moves(cost, new, MOVE_ROUNDING, alpha, steps, stride):
                    block_update(&row, &self.W[0, 0], stride, steps)
                elif is_zero(alpha, stride):
                    schedule_note(&self.schedule, i, 0, number, 0, 0)
