cdef class SparseColumns:
    # all columns: their ends, places and values
    cdef const Py_ssize_t[::1] given_ends
    cdef const int[::1] given_places
    cdef const double[::1] given_values
    cdef const double[::1] root      # n
    cdef const double[::1] given_centre
    cdef const double[::1] aim       # n
    cdef double mass
    # those taken, times the roots
    cdef readonly Py_ssize_t count
    cdef Py_ssize_t[::1] ends
    cdef int[::1] places
    cdef double[::1] values, centre, square
    cdef double[::1] room            # n

    cdef double work(self) noexcept nogil
    cdef void products(self, const double* vector, double shift, double* out) noexcept nogil
    cdef double fit(self, const double* w) noexcept nogil
    cdef void pulls(self, const double* w, double* out) noexcept nogil
    cdef double sweep(self, int times, double l1, double modulus, bint positive, double rounding,
                      double* w, double* pull) noexcept nogil
