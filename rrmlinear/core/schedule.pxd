# Which examples a pass visits. Examples with a small gap skip some passes: the certificate is the
# sum of all gaps, so they can wait.
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

from rrmlinear.core.random cimport random_below, random_shuffle, random_stream

cdef enum:
    SKIPPED = 2          # passes that an example with a small gap skips
    MOST_SKIPPED = 32    # most passes that one with a negligible gap skips: each time twice as many

ctypedef struct schedule_t:
    int32_t* active_from     # the pass from which each example is visited again
    unsigned char* streak    # visits in a row that found a negligible gap
    Py_ssize_t n
    int first            # passes that the first of a streak skips, a power of two


cdef inline Py_ssize_t schedule_active(const schedule_t* schedule, const double* cost, int number,
                                       Py_ssize_t begin, Py_ssize_t end,
                                       int64_t* order) noexcept nogil:
    """Those of the examples begin … end − 1 of cost > 0 that pass `number` visits; how many."""
    cdef Py_ssize_t i, m = 0
    for i in range(begin, end):     # no branch to mispredict: the next one overwrites one left out
        order[m] = i
        m += (schedule.active_from[i] <= number) & (cost[i] > 0)
    return m


cdef inline Py_ssize_t schedule_above(const double* cost, const double* gap, Py_ssize_t step,
                                      double least, Py_ssize_t begin, Py_ssize_t end,
                                      int64_t* order) noexcept nogil:
    """Those of them whose gap, gap[i step], is above `least`, active or not; how many."""
    cdef Py_ssize_t i, m = 0
    for i in range(begin, end):
        order[m] = i
        m += (gap[i * step] > least) & (cost[i] > 0)
    return m


cdef inline void schedule_shuffle(int number, uint64_t seed, int64_t* order,
                                  Py_ssize_t m) noexcept nogil:
    """Shuffle m examples for pass `number`."""
    cdef uint64_t state = random_stream(seed, <uint64_t> number)
    random_shuffle(&state, order, m)


cdef inline Py_ssize_t schedule_draw(const schedule_t* schedule, const double* cost, int number,
                                     uint64_t seed, int64_t* order) noexcept nogil:
    """m draws from the m examples of cost > 0, with replacement; returns m."""
    cdef Py_ssize_t i, m = 0, n = schedule.n
    cdef uint64_t state = random_stream(seed, <uint64_t> number)
    for i in range(n):
        m += cost[i] > 0
    for i in range(m):
        order[i] = <int64_t> random_below(&state, <uint64_t> n)
        while not cost[order[i]] > 0:
            order[i] = <int64_t> random_below(&state, <uint64_t> n)
    return m


cdef inline void schedule_note(schedule_t* schedule, Py_ssize_t i, double gap, int number,
                               double quiet, double calm) noexcept nogil:
    """After a visit in pass `number`: a gap above `calm` skips no pass, one above `quiet` SKIPPED
    passes, and a smaller one twice as many as the last time.
    """
    if gap > quiet:
        schedule.streak[i] = 0
        schedule.active_from[i] = number + (1 + SKIPPED if gap <= calm else 1)
        return
    schedule.active_from[i] = number + 1 + (schedule.first << schedule.streak[i])
    if schedule.first << schedule.streak[i] < MOST_SKIPPED:
        schedule.streak[i] += 1


cdef inline void schedule_activate_above(schedule_t* schedule, const double* gap, Py_ssize_t step,
                                         double quiet) noexcept nogil:
    """Activate every example i whose gap, gap[i step], is above `quiet`."""
    cdef Py_ssize_t i
    for i in range(schedule.n):
        if gap[i * step] > quiet:
            schedule.active_from[i] = 0
            schedule.streak[i] = 0


cdef inline void schedule_shrink_below(schedule_t* schedule, const double* gap, Py_ssize_t step,
                                       double quiet, int number) noexcept nogil:
    """After a measurement that followed pass `number`: every example i that the next pass would
    visit, and whose gap, gap[i step], is at most `quiet`, is left out as after a visit.
    """
    cdef Py_ssize_t i
    for i in range(schedule.n):
        if gap[i * step] <= quiet and schedule.active_from[i] <= number + 1:
            schedule_note(schedule, i, gap[i * step], number + 1, quiet, quiet)


cdef inline void schedule_activate(schedule_t* schedule) noexcept nogil:
    """Activate every example, and keep the streaks: one whose gap is negligible again is left out
    for longer.
    """
    memset(schedule.active_from, 0, schedule.n * sizeof(int32_t))
