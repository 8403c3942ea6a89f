# Copies of a vector that threads work on at once, and how they take over each other's changes.
#
# Entries that many steps change, the near ones, are exchanged at short intervals, all entries at
# long ones. Each copy adds the changes in the order of the copies: all end with the same bits,
# whichever number of threads shares the copies.
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from rrmlinear.simd.barrier cimport flag_t, flags_meet

cdef struct vector_copies_t:
    double* common        # n: the vector at the last exchange of all entries
    double* vectors       # the copies, `stride` doubles apart; all but the first begin level
    double* seen          # near entries of each copy at their last exchange, `near_stride` apart
    double* moves         # how far they have moved since: two sides for each copy
    const int64_t* near   # these entries, ascending
    flag_t* flags         # where threads meet
    Py_ssize_t n, stride, n_near, near_stride
    int n_copies


cdef inline void copies_meet(const vector_copies_t* these, int team, int thread) noexcept nogil:
    if team > 1:    # a thread alone does not count meetings: the others would not know of them
        flags_meet(these.flags, team, thread)


cdef inline void copies_level(const vector_copies_t* these, int team, int thread) noexcept nogil:
    """Set all copies to the first. Threads 0 … team − 1 call this and the functions below; thread t
    has the copies t, t + team, ….
    """
    cdef Py_ssize_t begin = these.n * thread // team, end = these.n * (thread + 1) // team, t
    memcpy(these.common + begin, these.vectors + begin, (end - begin) * sizeof(double))
    copies_meet(these, team, thread)
    t = thread
    while t < these.n_copies:
        if t > 0:
            memcpy(these.vectors + t * these.stride, these.common, these.n * sizeof(double))
        copies_look(these, t)
        t += team


cdef inline void copies_look(const vector_copies_t* these, Py_ssize_t t) noexcept nogil:
    """Note the near entries of copy t, which is level with the others."""
    cdef const double* v = these.vectors + t * these.stride
    cdef double* seen = these.seen + t * these.near_stride
    cdef Py_ssize_t i
    for i in range(these.n_near):
        seen[i] = v[these.near[i]]


cdef inline void copies_exchange(const vector_copies_t* these, int side, bint whole, int team,
                                 int thread) noexcept nogil:
    """Let each copy take over the others' changes: of near entries, or of the ``whole`` vector.

    Moves are written on two sides in turn: a thread that goes on to the next exchange leaves those
    alone that another still reads.
    """
    cdef Py_ssize_t t
    t = thread
    while t < these.n_copies:
        copies_tell(these, side, t)
        t += team
    copies_meet(these, team, thread)
    t = thread
    while t < these.n_copies:
        copies_hear(these, side, t)
        t += team
    if whole and these.n_near < these.n:
        copies_join(these, team, thread)
        copies_meet(these, team, thread)
        t = thread
        while t < these.n_copies:
            memcpy(these.vectors + t * these.stride, these.common, these.n * sizeof(double))
            t += team


cdef inline void copies_tell(const vector_copies_t* these, int side, Py_ssize_t t) noexcept nogil:
    cdef const double* v = these.vectors + t * these.stride
    cdef const double* seen = these.seen + t * these.near_stride
    cdef double* moves = these.moves + (2 * t + side) * these.near_stride
    cdef Py_ssize_t i
    for i in range(these.n_near):
        moves[i] = v[these.near[i]] - seen[i]


cdef inline void copies_hear(const vector_copies_t* these, int side, Py_ssize_t t) noexcept nogil:
    cdef double* v = these.vectors + t * these.stride
    cdef double* seen = these.seen + t * these.near_stride
    cdef const double* moves
    cdef Py_ssize_t i, other
    for other in range(these.n_copies):
        moves = these.moves + (2 * other + side) * these.near_stride
        for i in range(these.n_near):
            seen[i] += moves[i]
    for i in range(these.n_near):
        v[these.near[i]] = seen[i]


cdef inline void copies_join(const vector_copies_t* these, int team, int thread) noexcept nogil:
    # This thread's part of the common vector. Near entries are the same in all copies: their owners
    # may write them now, so that each thread reads its own.
    cdef Py_ssize_t begin = these.n * thread // team, end = these.n * (thread + 1) // team
    cdef Py_ssize_t i, j, t, stop
    cdef double* common = these.common
    cdef double others = these.n_copies - 1
    cdef const double* v
    for i in range(these.n_near + 1):
        stop = min(these.near[i], end) if i < these.n_near else end
        for j in range(begin, stop):
            common[j] = these.vectors[j] - others * common[j]
        for t in range(1, these.n_copies):
            v = these.vectors + t * these.stride
            for j in range(begin, stop):
                common[j] += v[j]
        begin = max(begin, stop)
        if i < these.n_near and begin == these.near[i] and begin < end:
            common[begin] = these.vectors[thread * these.stride + begin]
            begin += 1
