"""Stochastic dual coordinate ascent on losses of one score: passes and visits."""

from libc.math cimport fabs
from libc.stdint cimport int64_t, uint64_t

from rrmlinear.core.schedule cimport (
    schedule_above, schedule_awake, schedule_draw, schedule_note, schedule_shuffle,
)
from rrmlinear.core.vector_copies cimport copies_exchange, copies_level, vector_copies_t
from rrmlinear.simd.row_products cimport row_axpy
from rrmlinear.simd.rows cimport prefetch, row_t, rows_get, rows_prefetch, rows_prefetch_begin
from rrmlinear.solvers.dual._dual_state cimport DualState, ROW_LOOKAHEAD
from rrmlinear.solvers.dual._example cimport example_move, example_t, progress_t
from rrmlinear.solvers.dual._step_length cimport step_end

import numpy as np

from rrmlinear.solvers.loop.tolerances import COORDINATE_ROUNDING

cdef enum:
    BEGIN_LOOKAHEAD = 12    # visits between the prefetch of a row's place in memory and its use

# A C copy, which visits read.
cdef double MOVE_ROUNDING = COORDINATE_ROUNDING


# What a visit's example naps or sleeps by.
ctypedef struct nap_t:
    int number
    double quiet
    double calm


cdef class DualAscent(DualState):
    """Passes over a state.

    With several copies of v a sweep goes in rounds: each copy serves some visits, then takes over
    the changes made with the other copies, those of rare features after several rounds alone. A
    team of threads shares the copies; any team gets the same bits.
    """

    cdef object order                     # of the pass

    def __cinit__(self, *_, **__):
        self.order = np.empty(0, dtype=np.int64)

    def begin_pass(self, int number, uint64_t seed, bint uniform, spans=None, double least=-1):
        """The examples that this pass visits, in order: those of ``spans``, (begin, end), or all,
        that are awake, or have a gap above ``least`` ≥ 0, shuffled; or n drawn ``uniform``ly.
        """
        cdef Py_ssize_t m = 0, begin, end, step = sizeof(example_t) // sizeof(double)
        spans = ((0, self.n),) if spans is None else spans
        most = sum([end - begin for begin, end in spans])
        if len(self.order) < most:
            self.order = np.empty(most, dtype=np.int64)
        cdef int64_t[::1] out = self.order
        for begin, end in spans:
            with nogil:
                if least >= 0:
                    m += schedule_above(&self.cost[0], &self.example[0].gap, step, least, begin,
                                        end, &out[m])
                elif not uniform:
                    m += schedule_awake(&self.schedule, &self.cost[0], number, begin, end, &out[m])
        with nogil:
            if uniform:
                m = schedule_draw(&self.schedule, &self.cost[0], number, seed, &out[0])
            else:
                schedule_shuffle(number, seed, &out[0], m)
        self._begin(self.gap_sum, self.conjugate_sum)
        return self.order[:m]

    def sweep(self, const int64_t[::1] order not None, Py_ssize_t begin, Py_ssize_t end,
              double least=0, int number=-1, double quiet=0, double calm=0, int copies=1,
              Py_ssize_t length=0, int rounds=0, int team=1, int thread=0):
        """Visit order[begin:end] of the order made by `begin_pass`.

        A visit leaves the dual unchanged if its example's gap is at most ``least``. After a visit
        in pass ``number`` ≥ 0 the example naps or sleeps; see schedule_note.
        With several ``copies`` of v each is used for ``length`` visits in a round, and takes over
        all changes after this number of ``rounds`` and at the end; threads 0 … team − 1 call this,
        else with the same arguments.
        """
        cdef Py_ssize_t at = begin, t
        cdef int exchanges = 0
        cdef nap_t nap = nap_t(number, quiet, calm)
        cdef vector_copies_t these = self.copies
        these.n_copies = copies
        if thread >= copies:    # fewer copies than at first
            return
        team = min(team, copies)
        with nogil:
            if copies == 1:
                self._visits(0, &order[0], begin, end, end, 0, least, &nap)
                at = end
            else:
                copies_level(&these, team, thread)
            while at < end:
                t = thread
                while t < copies:
                    self._visits(t, &order[0], min(at + t * length, end),
                                 min(at + (t + 1) * length, end), end, (copies - 1) * length,
                                 least, &nap)
                    t += team
                at += copies * length
                exchanges += 1
                copies_exchange(&these, exchanges & 1, at >= end or exchanges % rounds == 0, team,
                                thread)

    cdef void _visits(self, Py_ssize_t t, const int64_t* order, Py_ssize_t begin, Py_ssize_t end,
                      Py_ssize_t last, Py_ssize_t skip, double least,
                      const nap_t* nap) noexcept nogil:
        # Visit order[begin:end] with copy t of v. The copy's next visits begin ``skip`` after the
        # end, and go up to ``last``.
        cdef progress_t* progress = &self.progress[t, 0]
        cdef Py_ssize_t at, i, ahead
        for at in range(begin, end):
            ahead = at + BEGIN_LOOKAHEAD + (skip if at + BEGIN_LOOKAHEAD >= end else 0)
            if ahead < last:
                prefetch(&self.example[order[ahead]], 1, 3)
                rows_prefetch_begin(&self.rows.c, order[ahead])
            ahead = at + ROW_LOOKAHEAD + (skip if at + ROW_LOOKAHEAD >= end else 0)
            if ahead < last:
                rows_prefetch(&self.rows.c, order[ahead])
            i = order[at]
            self._visit(&self.v[t, 0], progress, i, least)
            if nap.number >= 0:
                schedule_note(&self.schedule, i, self.example[i].gap, nap.number, nap.quiet,
                              nap.calm)

    cdef void _visit(self, double* v, progress_t* progress, Py_ssize_t i,
                     double least) noexcept nogil:
        # Moves α_i and v.
        cdef row_t row = rows_get(&self.rows.c, i)
        cdef example_t* at = &self.example[i]
        cdef double y = at.y, alpha = at.alpha, new = alpha, step = 0
        cdef double score = self.regularizer.primal_dot(&row, v)
        cdef double gap = self.loss.value(y, score) + at.conjugate + score * alpha
        at.before = alpha
        progress.gap_rise += at.cost * gap - at.gap
        at.gap = at.cost * gap
        if self.average is not None:
            self.average.visit()
        if at.gap > least:
            new = step_end(self.loss, self.option, y, score, alpha,
                           at.cost * at.curvature * self.curvature_scale, gap)
        if fabs(new - alpha) > MOVE_ROUNDING * fabs(alpha):
            step = at.cost * (new - alpha)
            if self.average is not None:
                self.average.move(&row, i, new - alpha, step, v)
            else:
                row_axpy(&row, step, v)
            example_move(at, progress, new, self.loss.conjugate(y, new), self.bound)

    def undo(self, const int64_t[::1] order not None, v):
        """Take back the visits of a pass in this order that began at v."""
        cdef Py_ssize_t at
        for at in range(order.shape[0]):
            self.example[order[at]].alpha = self.example[order[at]].before
        self.dual_vector[:] = v
        self.resume()
