cdef enum:
    OUTSIDE = 0
    INSIDE = 1
    REFUSED = 2     # stays out until the next solve: it entered by rounding


cdef class ActiveSet:
    cdef Py_ssize_t capacity
    cdef Py_ssize_t size            # variables
    cdef Py_ssize_t active          # variables in the set
    cdef double[:, ::1] Q
    cdef double[:, ::1] L           # rows of the factor of M, in the order of `order`
    cdef double[::1] beta
    cdef Py_ssize_t[::1] order      # the set
    cdef signed char[::1] state     # of each variable
    cdef double tau
    cdef Py_ssize_t changes         # of the factor since it was made
    cdef double diagonal(self, Py_ssize_t j) noexcept nogil
    cdef void forward(self, double* x) noexcept nogil
    cdef void backward(self, double* x) noexcept nogil
    cdef double pivot(self, Py_ssize_t j) noexcept nogil
    cdef bint is_independent(self, Py_ssize_t j, double pivot) noexcept nogil
    cdef void enter(self, Py_ssize_t j, double pivot) noexcept nogil
    cdef void leave(self, Py_ssize_t place) noexcept nogil
    cdef double mean_diagonal(self) noexcept nogil
    cdef void factor(self) noexcept nogil
    cdef bint is_stale(self) noexcept nogil


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
