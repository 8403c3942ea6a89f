"""Terms of an equation gathered in arrays of their own, and its root."""

from libc.math cimport isfinite
from libc.stdlib cimport free, malloc, realloc

from rrmlinear.projections.clipped_lines cimport lines_search, lines_t
from rrmlinear.simd.brackets cimport terms_value
from rrmlinear.simd.newton cimport bracket_t, newton

cdef enum:
    NEWTON_STEPS = 24


cdef int terms_reserve(terms_t* terms, Py_ssize_t more) noexcept nogil:
    cdef Py_ssize_t room = terms.room + terms.room // 2
    cdef double** columns[4]
    cdef double* column
    cdef int k
    if terms.n + more <= terms.room:
        return 0
    room = room if room > terms.n + more else terms.n + more
    columns[0], columns[1] = &terms.p, &terms.c
    columns[2], columns[3] = &terms.lower, &terms.upper
    for k in range(4):
        column = <double*> realloc(columns[k][0], room * sizeof(double))
        if column == NULL:
            return NO_MEMORY
        columns[k][0] = column
    terms.room = room
    return 0


cdef void terms_free(terms_t* terms) noexcept nogil:
    free(terms.p)
    free(terms.c)
    free(terms.lower)
    free(terms.upper)


cdef int terms_search(const terms_t* terms, double low, double high, double* theta) noexcept nogil:
    cdef lines_t lines
    cdef Py_ssize_t* members = <Py_ssize_t*> malloc((terms.n + 1) * sizeof(Py_ssize_t))
    cdef double* kinks = <double*> malloc((2 * terms.n + 2) * sizeof(double))
    cdef int status = 0 if members != NULL and kinks != NULL else NO_MEMORY
    lines.p, lines.c, lines.lower, lines.upper = terms.p, terms.c, terms.lower, terms.upper
    lines.c_step = lines.lower_step = lines.upper_step = 1
    lines.n, lines.e, lines.z = terms.n, terms.e, terms.z
    if status == 0:
        theta[0] = lines_search(&lines, low, high, members, kinks)
    free(members)
    free(kinks)
    return status


cdef int terms_root(const terms_t* terms, double low, double high, double* theta) noexcept nogil:
    cdef bracket_t bracket
    bracket.low, bracket.high = low, high
    if newton(terms_value, terms, &bracket, NEWTON_STEPS, theta):
        return 0
    return terms_search(terms, bracket.low, bracket.high, theta)


cdef double terms_guess(const terms_t* terms, double low, double high) noexcept nogil:
    cdef double offset = 0, rate = 0
    cdef Py_ssize_t j
    if isfinite(low) and isfinite(high):
        return low + (high - low) / 2
    if isfinite(low) or isfinite(high):
        return low if isfinite(low) else high
    for j in range(terms.n):
        offset += terms.p[j]
        rate += terms.c[j]
    return (offset - terms.z) / (rate + terms.e) if terms.n > 0 or terms.e > 0 else 0


cdef bint terms_reach(const terms_t* terms) noexcept nogil:
    cdef double least = 0, largest = 0
    cdef Py_ssize_t j
    if terms.e > 0:
        return True
    for j in range(terms.n):
        least += terms.lower[j]
        largest += terms.upper[j]
    return least < terms.z < largest
