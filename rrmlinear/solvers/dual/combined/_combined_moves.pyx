"""The best combination of the last moves of dual ascent on losses of one score."""

from libc.math cimport NAN, fabs
from libc.string cimport memcpy

from rrmlinear.simd.columns cimport moves_add, moves_sums, moves_t, wide_dot
from rrmlinear.simd.row_products cimport row_axpy
from rrmlinear.simd.rows cimport row_t, rows_get
from rrmlinear.solvers.dual._dual_state cimport DualState
from rrmlinear.solvers.dual._example cimport example_t

import numpy as np

from rrmlinear.data.rows import aligned_zeros
from rrmlinear.solvers.dual.allowed_duals import PROJECTION_CURVATURE
from rrmlinear.solvers.loop.tolerances import DUAL_FALL_ROUNDING

# Moves whose Gram determinant is below this fraction of the product of its diagonal are one move.
cdef double PARALLEL = 1e-10
# C copies, which the loops read.
cdef double TO_ALLOWED = PROJECTION_CURVATURE, GAIN_ROUNDING = DUAL_FALL_ROUNDING


cdef class CombinedMoves:
    """Adds to duals the best multiples of two moves: d, of the passes since the last time, and e,
    from the time before to the last one, what was added then included.

    The dual −Σ (c_i φ)*(−α_i) − ‖v‖²/(2s) is quadratic along moves, as far as conjugates are
    linear. So the multiples solve two equations, and the steps are those of conjugate gradients
    that passes precondition. Duals that leave their bounds are set to the bounds.
    """

    cdef DualState state
    cdef double[:, ::1] vector, dual    # v and α after the last time and the one before it
    cdef double conjugates[2]           # Σ (c_i φ)*(−α_i) there
    cdef double[::1] new, conjugate     # α and φ*(−α) that are tried
    cdef int last                       # the place of the last time
    cdef readonly bint promised         # whether the last multiples would gain more than rounding

    def __cinit__(self, DualState state not None):
        if state.n_copies != 1:
            raise ValueError(f"moves are combined of one copy of v, not of {state.n_copies}")
        self.state, self.last = state, 0
        self.vector = aligned_zeros(2, (state.width + 7) // 8 * 8)
        self.dual, self.new = np.zeros((2, state.n)), np.zeros(state.n)
        self.conjugate = np.zeros(state.n)

    def begin(self):
        """Forget all moves: they begin at the present duals."""
        cdef int place
        for place in range(2):
            self._remember(place)

    cdef int _remember(self, int place) except -1:
        cdef Py_ssize_t i
        memcpy(&self.vector[place, 0], &self.state.v[0, 0], self.state.width * sizeof(double))
        for i in range(self.state.n):
            self.dual[place, i] = self.state.example[i].alpha
        self.conjugates[place] = self.state.conjugate_sum
        return 0

    def add(self):
        """Add the best multiples if the dual rises by more than rounding; whether it did."""
        cdef DualState state = self.state
        cdef int last = self.last, other = 1 - last
        cdef Py_ssize_t i, width = state.width
        cdef double* v = &state.v[0, 0]
        cdef double* tried = &self.vector[other, 0]
        cdef double modulus = state.regularizer.modulus, present = state.conjugate_sum
        cdef double first, second, determinant, a, b, least, rise = 0, gain = 0
        cdef moves_t sums
        with nogil:
            sums = moves_sums(v, &self.vector[last, 0], tried, width)
        # derivatives of the dual along d and e, times s
        first = modulus * (self.conjugates[last] - present) - sums.vd
        second = modulus * (self.conjugates[other] - self.conjugates[last]) - sums.ve
        determinant = sums.dd * sums.ee - sums.de * sums.de
        if determinant > PARALLEL * sums.dd * sums.ee:
            a = (sums.ee * first - sums.de * second) / determinant
            b = (sums.dd * second - sums.de * first) / determinant
        else:
            a, b = first / sums.dd if sums.dd > 0 else 0, 0
        least = GAIN_ROUNDING * (fabs(present) + sums.vv / (2 * modulus))
        self.promised = (a * first + b * second) / (2 * modulus) > least
        if self.promised:
            with nogil:
                moves_add(v, &self.vector[last, 0], tried, width, a, b)
                rise = self._try(state, a, b, tried)
                gain = (sums.vv - wide_dot(tried, tried, width)) / (2 * modulus) - rise
        self.last = other
        if not gain > least:
            self._remember(other)
            return False
        memcpy(v, tried, width * sizeof(double))
        for i in range(state.n):    # gaps stay those of the last visits
            state.example[i].alpha, state.example[i].conjugate = self.new[i], self.conjugate[i]
        state.bound = NAN
        state._begin(state.gap_sum, present + rise)
        self.dual[other, :] = self.new
        self.conjugates[other] = state.conjugate_sum
        return True

    cdef double _try(self, DualState state, double a, double b, double* v) noexcept nogil:
        # The rise of Σ (c_i φ)*(−α_i) by the moves, which v has. Duals are cut to their bounds, and
        # v follows.
        cdef const double* last = &self.dual[self.last, 0]
        cdef const double* before = &self.dual[1 - self.last, 0]
        cdef Py_ssize_t i
        cdef double move, new, allowed, rise = 0
        cdef example_t* at
        cdef row_t row
        for i in range(state.n):
            at = &state.example[i]
            move = a * (at.alpha - last[i]) + b * (last[i] - before[i])
            self.new[i], self.conjugate[i] = at.alpha, at.conjugate
            if move == 0:
                continue
            new = allowed = at.alpha + move
            if not state.loss.admits(at.y, new):
                allowed = state.loss.dual_step(at.y, 0, new, TO_ALLOWED)
                row = rows_get(&state.rows.c, i)
                row_axpy(&row, at.cost * (allowed - new), v)
            self.new[i], self.conjugate[i] = allowed, state.loss.conjugate(at.y, allowed)
            rise += at.cost * (self.conjugate[i] - at.conjugate)
        return rise
