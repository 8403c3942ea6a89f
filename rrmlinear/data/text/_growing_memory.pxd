cdef class Memory:
    cdef char* data
    cdef Py_ssize_t size

    cdef int resize(self, Py_ssize_t size) except -1
    cdef void _advise_large_pages(self) noexcept
    cdef object array(self, dtype, Py_ssize_t count)
