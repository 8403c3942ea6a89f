cdef extern from "partition.h" nogil:
    ctypedef struct partition_t:
        const Py_ssize_t* starts
        const Py_ssize_t* indices
        Py_ssize_t count
        Py_ssize_t size
        Py_ssize_t largest

    Py_ssize_t group_size(const partition_t* groups, Py_ssize_t g)
    const double* group_read(const partition_t* groups, const double* w, Py_ssize_t g,
                             double* room)
    void group_write(const partition_t* groups, double* w, Py_ssize_t g, const double* changed)


cdef class Partition:
    cdef partition_t c
    cdef readonly object starts
    cdef readonly object indices
    cdef readonly Py_ssize_t length
    cdef readonly Py_ssize_t given
    cdef partition_t of(self, Py_ssize_t n) noexcept nogil
