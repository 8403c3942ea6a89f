cdef enum place_t:
    STUCK    # no step falls
    INSIDE   # of the face: its best point, as far as the inverse is right
    AT_EDGE  # some weight is now 0


cdef class FaceInverse:
    cdef const double[:, :] matrix
    cdef double[:, ::1] inverse
    cdef Py_ssize_t[::1] order, at
    cdef double[::1] left, column, move, change
    cdef Py_ssize_t count
    cdef double modulus
    cdef double spent           # multiplications of the last step

    cdef void grow(self, const double[:, :] gram) except *
    cdef double work(self, const double* w, const Py_ssize_t* some, Py_ssize_t k,
                     double modulus) noexcept nogil
    cdef place_t step(self, const double* gram, Py_ssize_t stride, double* w, double* pull,
                      const Py_ssize_t* place, const Py_ssize_t* some, Py_ssize_t k, double l1,
                      double modulus) except? STUCK nogil
    cdef int _begin(self, const double* w, const Py_ssize_t* some, Py_ssize_t k) except -1 nogil
    cdef int _make_room(self, Py_ssize_t n) except -1
    cdef bint _add(self, Py_ssize_t j) except -1 nogil
    cdef void _remove(self, Py_ssize_t p) noexcept nogil
    cdef bint _suits(self, double modulus) noexcept nogil
    cdef double _downhill(self, const double* w, const double* pull, Py_ssize_t t, double l1,
                          double modulus) noexcept nogil
    cdef bint _change_for_others(self, const double* gram, Py_ssize_t stride, double* w,
                                 double* pull, const Py_ssize_t* place, Py_ssize_t j,
                                 Py_ssize_t k, double l1, double modulus) noexcept nogil
    cdef double _move(self, const double* gram, Py_ssize_t stride, double* w, double* pull,
                      const Py_ssize_t* place, Py_ssize_t k, Py_ssize_t n, double modulus,
                      bint to_end, bint is_flat) noexcept nogil
    cdef void _pull(self, const double* gram, Py_ssize_t stride, const Py_ssize_t* place,
                    Py_ssize_t k, Py_ssize_t n) noexcept nogil
    cdef void _go(self, double* w, double* pull, const Py_ssize_t* place, Py_ssize_t k,
                  Py_ssize_t n, double length) noexcept nogil


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
