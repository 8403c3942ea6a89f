"""The projection on a box cut by a plane, written where its caller wants it."""

from libc.math cimport fabs
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from rrmlinear.projections.clipped_lines cimport clip
from rrmlinear.projections.plane_root cimport kept_t, plane_newton, plane_search
from rrmlinear.projections.terms cimport NO_MEMORY
from rrmlinear.simd.planes cimport (
    PLANE_BLOCK, column_t, long_add, long_sum_t, long_total, plane_open, plane_stretch, plane_write,
    plane_written_t, stretch_memory_t, stretch_t,
)

# A sum met to this share of what it adds up is met.
cdef double SUM_ROUNDING = 1e-14
cdef enum:
    MAX_SHIFTS = 3


cdef double plane_shift(const plane_t* plane, double delta, double* out) noexcept nogil:
    # Moves what was written by −δ q between the bounds; returns by how much Σ s a changes.
    cdef stretch_memory_t memory
    cdef stretch_t x
    cdef long_sum_t change
    cdef double moved, a, b, l, u
    cdef Py_ssize_t begin = 0, i
    change.value = change.lost = 0
    plane_open(plane, &memory)
    while begin < plane.n:
        x = plane_stretch(plane, begin, &memory)
        moved = 0
        for i in range(x.length):
            l, u, a = x.lower[i], x.upper[i], out[begin + i]
            a = fabs(a) if plane.absolute else a
            b = clip(a - delta * x.q[i], l, u) if (a > l) & (a < u) else a
            moved += x.s[i] * (b - a)
            out[begin + i] = -b if plane.absolute and out[begin + i] < 0 else b
        long_add(&change, moved)
        begin += PLANE_BLOCK
    return long_total(&change)


cdef void plane_settle(const plane_t* plane, double theta, double size, double* out) noexcept nogil:
    cdef plane_written_t written = plane_write(plane, theta, out)
    cdef int _
    for _ in range(MAX_SHIFTS):
        if not (fabs(written.miss) > SUM_ROUNDING * (size + written.size)
                and written.derivative > 0):
            break
        written.miss += plane_shift(plane, written.miss / written.derivative, out)


cdef plane_t kept_plane(const kept_t* kept, const plane_t* plane, double* memory) noexcept nogil:
    # The plane of the kept terms alone, its columns in `memory` of 5 n numbers.
    cdef plane_t part = plane[0]
    cdef column_t* columns[5]
    cdef Py_ssize_t k
    cdef int c
    columns[0], columns[1], columns[2] = &part.m, &part.d, &part.lower
    columns[3], columns[4] = &part.upper, &part.s
    for c in range(5):
        if columns[c].step == 0:
            continue
        for k in range(kept.n):
            memory[c * kept.n + k] = columns[c].at[kept.places[k]]
        columns[c].at = memory + c * kept.n
    part.n = kept.n
    part.z -= long_total(&kept.sum)
    return part


cdef int settle_kept(const kept_t* kept, const plane_t* plane, double theta) noexcept nogil:
    cdef double* memory = <double*> malloc((6 * kept.n + 1) * sizeof(double))
    cdef double* values = memory + 5 * kept.n
    cdef plane_t part
    cdef Py_ssize_t k
    if memory == NULL:
        return NO_MEMORY
    part = kept_plane(kept, plane, memory)
    plane_settle(&part, theta, long_total(&kept.size), values)
    for k in range(kept.n):
        kept.out[kept.places[k]] = values[k]
    free(memory)
    return 0


cdef int plane_project(const plane_t* plane, bint deterministic, double low, double high,
                       double* out, double* theta) noexcept nogil:
    cdef kept_t kept
    cdef int status
    memset(&kept, 0, sizeof(kept_t))
    kept.out = NULL if out == plane.m.at else out
    if deterministic:
        status = plane_search(plane, low, high, theta)
    else:
        status = plane_newton(plane, low, high, &kept, theta)
    if status >= 0 and kept.done:
        status = settle_kept(&kept, plane, theta[0])
    elif status >= 0:
        plane_settle(plane, theta[0], 0, out)
    free(kept.places)
    return status if status < 0 else 0
