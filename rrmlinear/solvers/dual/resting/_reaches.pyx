"""How far v may move from a mark before examples at rest there may have a gap."""

from libc.math cimport INFINITY, sqrt
from libc.stdint cimport int64_t

from rrmlinear.core.schedule cimport schedule_note
from rrmlinear.losses.base cimport ScalarLoss
from rrmlinear.regularizers.base cimport Regularizer
from rrmlinear.simd.columns cimport moves_sums
from rrmlinear.solvers.dual._dual_state cimport DualState
from rrmlinear.solvers.dual._example cimport example_t

import numpy as np

from rrmlinear.solvers.loop.inner import pieces

# Scores are rounded, so reaches are this fraction shorter than what follows from them.
cdef double ROUNDING = 1e-6

# Some examples were at rest at the mark. If less than this fraction of them still are, v is so far
# from the mark that the next looks do not pay.
cdef double WORTHWHILE = 0.25

cdef enum:
    MAY_RISE = 1    # α may be above 0
    MAY_FALL = 2    # below 0


cdef class Reaches:
    """The reach of each example from a mark, v at some moment.

    An example is at rest where α_i = 0 and 0 ∈ ∂φ_i(x_i'w): its loss and its gap are 0 there, and a
    visit does nothing. By w = v/s its score moves by at most ‖x_i‖ ‖v − mark‖ / s. So an example
    with a dual of 0 is at rest while ‖v − mark‖ is below its reach, and its row need not be read.
    ``scores`` are those read last: at the mark, or at an earlier one for examples known to be at
    rest, whose loss and derivative were the same there. ``y`` are the labels.
    """

    cdef DualState state
    cdef ScalarLoss loss            # at the mark; None: there is none
    cdef Regularizer regularizer
    cdef double epsilon
    cdef const double[::1] y
    cdef double[::1] mark, score
    cdef char[::1] side
    cdef double[::1] reach          # at most 0: not at rest at the mark
    cdef double before              # the last mark's distance where the reaches are still from it
    cdef bint old, few              # whether they are; whether few are worth a look
    cdef readonly object scores, reaches

    def __cinit__(self, DualState state not None, const double[::1] y not None, scores):
        self.state, self.y = state, y
        if len(y) != state.n:
            raise ValueError(f"there must be {state.n} labels")
        self.mark, self.reach = np.empty(state.width), np.zeros(state.n)
        self.reaches, sides = np.asarray(self.reach), np.empty(state.n, np.int8)
        labels = np.asarray(y)
        for piece in pieces(state.n):
            lower, upper, self.epsilon = state.loss.box(labels[piece])
            sides[piece] = (upper > 0) * MAY_RISE + (lower < 0) * MAY_FALL
        self.side = sides
        self.settle(scores)

    def away(self):
        """‖v − mark‖; infinite where the loss or Ω is another one than at the mark."""
        cdef DualState state = self.state
        if self.loss is not state.loss or self.regularizer is not state.regularizer:
            return INFINITY
        self._renew()
        return sqrt(moves_sums(&state.v[0, 0], &self.mark[0], &self.mark[0], state.width).dd)

    def settle(self, scores, double away=INFINITY):
        """Make v the mark. ``scores`` there are known of the examples whose reach is now at most
        ``away``, the distance of v from the last mark.
        """
        cdef DualState state = self.state
        self.score = self.scores = scores
        if len(self.score) != state.n:
            raise ValueError(f"there must be {state.n} scores")
        self.loss, self.regularizer = state.loss, state.regularizer
        self.before, self.old, self.few = away, True, False
        self.mark[:] = state.v[0, :state.width]

    cdef void _renew(self) noexcept:
        # Reaches from the present mark: only where they are asked for, not at the end of a run.
        cdef Py_ssize_t i
        cdef double pull, rise, fall, unit = (1 - ROUNDING) * self.regularizer.modulus
        cdef DualState state = self.state
        cdef double first = state.first_modulus
        if not self.old:
            return
        self.old = False
        for i in range(state.n):
            pull = self.y[i] - self.score[i]
            rise = self.epsilon - pull if self.side[i] & MAY_RISE else INFINITY
            fall = self.epsilon + pull if self.side[i] & MAY_FALL else INFINITY
            rise = (rise if rise < fall else fall) * unit / sqrt(first * state.example[i].curvature)
            self.reach[i] = self.reach[i] - self.before if self.reach[i] > self.before else rise

    def leave_out(self, int64_t[::1] order not None, int number):
        """The visits of ``order`` in pass ``number`` without those of examples that are at rest,
        which sleep on as after a visit. All, where few may be: to know it takes a way through v.
        """
        cdef DualState state = self.state
        cdef Py_ssize_t at, i, m = 0, n = order.shape[0], most = 0
        cdef double away, stored = state.rows.n_stored / max(state.n, 1)
        cdef example_t* example
        if self.few or n * stored <= state.width:
            return np.asarray(order)
        self._renew()
        for at in range(n):
            most += self.reach[order[at]] > 0 and state.example[order[at]].alpha == 0
        if most * stored <= state.width:
            return np.asarray(order)
        away = self.away()
        for at in range(n):
            i = order[at]
            example = &state.example[i]
            if self.reach[i] > away and example.alpha == 0:
                state.progress[0, 0].gap_rise -= example.gap
                example.gap = example.before = 0
                schedule_note(&state.schedule, i, 0, number, 0, 0)
            else:
                order[m] = i
                m += 1
        self.few = (n - m) < WORTHWHILE * most
        return np.asarray(order[:m])
