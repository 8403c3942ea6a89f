"""The projection on a box cut by a plane, written where its caller wants it."""

from libc.float cimport DBL_MAX
from libc.math cimport INFINITY, fabs, fma, isfinite
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from rrmlinear.projections.clipped_lines cimport clip
from rrmlinear.projections.plane_root cimport kept_t, plane_near, plane_newton, plane_search
from rrmlinear.projections.terms cimport NOT_FINITE, NO_MEMORY
from rrmlinear.simd.planes cimport (
    column_t, long_total, plane_rate, plane_write, plane_written_t,
)

# A sum met to this share of what it adds up is met.
cdef double SUM_ROUNDING = 1e-14
# A sum that misses by more has left the range of double precision.
cdef double SUM_LIMIT = 1e-6
cdef enum:
    MAX_CENTRES = 40           # each gives 16 digits, of the 600 between the largest and the least


cdef void centre(const plane_t* plane, double move, double* m) noexcept nogil:
    # m − move q, rounded once: what is left of a line near 0 is exact.
    cdef double q, x
    cdef Py_ssize_t i
    for i in range(plane.n):
        q = plane_rate(plane, plane.d.at[i * plane.d.step], plane.s.at[i * plane.s.step])
        x = m[i] if q == 0 else fma(-move, q, m[i])
        m[i] = clip(x, -DBL_MAX, DBL_MAX)


cdef int mend(const plane_t* plane, plane_written_t written, double size, const double* given,
              double* out, double* theta) noexcept nogil:
    # Where θ has too few digits for the sum, the lines are centred at it: what is left of θ is
    # small, and has digits of its own. `given` is m, of which out may have taken the place.
    cdef plane_t centred = plane[0]
    cdef double move = theta[0], last = INFINITY
    cdef double* m = <double*> malloc(plane.n * sizeof(double))
    cdef Py_ssize_t i
    cdef int status = 0, _
    if m == NULL:
        return NO_MEMORY
    for i in range(plane.n):
        m[i] = fabs(given[i * plane.m.step]) if plane.absolute else given[i * plane.m.step]
    centred.m.at, centred.m.step, centred.absolute = m, 1, False
    # by the search, whose θ has the digits of a line near it, beside lines of any size
    status = plane_search(&centred, -INFINITY, INFINITY, &move)
    if status >= 0:
        theta[0] = move
        written = plane_write(&centred, move, out)
    for _ in range(MAX_CENTRES if status >= 0 else 0):
        if (fabs(written.miss) <= SUM_ROUNDING * (size + written.size)
                or not 0 < fabs(move) <= last):
            break
        last = fabs(move)
        centre(plane, move, m)
        centred.z += plane.e * move
        status = plane_near(&centred, 0, &move)
        if status < 0:
            break
        theta[0] += move
        written = plane_write(&centred, move, out)
    for i in range(plane.n if plane.absolute else 0):
        out[i] = -out[i] if given[i * plane.m.step] < 0 and out[i] > 0 else out[i]
    free(m)
    # beside a sum of 0 all terms may be rounding: their root is found where θ moves no more
    if status >= 0 and (move != 0 or plane.z != 0) and not (
            fabs(written.miss) <= SUM_LIMIT * (size + written.size + fabs(plane.z))):
        status = NOT_FINITE
    return status if status < 0 else 0


cdef int plane_settle(const plane_t* plane, double size, double* out, double* theta) noexcept nogil:
    cdef const double* given = plane.m.at
    cdef double* kept = NULL
    cdef plane_written_t written
    cdef int status = 0
    if out == given:
        kept = <double*> malloc(plane.n * sizeof(double))
        if kept == NULL:
            return NO_MEMORY
        memcpy(kept, given, plane.n * sizeof(double))
        given = kept
    written = plane_write(plane, theta[0], out)
    if not isfinite(written.size):
        status = NOT_FINITE
    elif fabs(written.miss) > SUM_ROUNDING * (size + written.size):
        status = mend(plane, written, size, given, out, theta)
    free(kept)
    return status


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


cdef int settle_kept(const kept_t* kept, const plane_t* plane, double* theta) noexcept nogil:
    cdef double* memory = <double*> malloc((6 * kept.n + 1) * sizeof(double))
    cdef double* values = memory + 5 * kept.n
    cdef plane_t part
    cdef Py_ssize_t k
    cdef int status = 0
    if memory == NULL:
        return NO_MEMORY
    part = kept_plane(kept, plane, memory)
    if kept.n > 0:
        status = plane_settle(&part, long_total(&kept.size), values, theta)
    for k in range(kept.n):
        kept.out[kept.places[k]] = values[k]
    free(memory)
    return status


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
        status = settle_kept(&kept, plane, theta)
    elif status >= 0:
        status = plane_settle(plane, 0, out, theta)
    free(kept.places)
    return status if status < 0 else 0
