from rrmlinear.solvers.bundle._active_set cimport ActiveSet


cdef class SimplexSteps:
    cdef ActiveSet set
    cdef double[::1] g              # Qβ − b
    cdef double[::1] step           # of the variables in the set, in its order, as are the next two
    cdef double[::1] ones
    cdef double[::1] rates          # g over the set at the start of a descent

    cdef int grow(self, Py_ssize_t capacity) except -1
    cdef bint _descend(self, bint entered) noexcept nogil
    cdef void _newton_step(self) noexcept nogil
    cdef double _room(self, double most, Py_ssize_t* place) noexcept nogil
    cdef void _move(self, double fraction) noexcept nogil
    cdef bint _exchange(self, Py_ssize_t j, double pivot) noexcept nogil
