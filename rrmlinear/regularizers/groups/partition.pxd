# Coordinates of a vector in groups. A group whose coordinates are neighbours is read where it lies.
ctypedef struct partition_t:
    const Py_ssize_t* starts   # of groups in `indices`, count + 1 of them; NULL: all of one size
    const Py_ssize_t* indices  # coordinates group by group; NULL: 0, 1, 2, …
    Py_ssize_t count
    Py_ssize_t size            # of each group, without starts
    Py_ssize_t largest         # room that a scattered group takes


cdef inline Py_ssize_t group_start(const partition_t* groups, Py_ssize_t g) noexcept nogil:
    return groups.starts[g] if groups.starts != NULL else g * groups.size


cdef inline Py_ssize_t group_size(const partition_t* groups, Py_ssize_t g) noexcept nogil:
    return groups.starts[g + 1] - groups.starts[g] if groups.starts != NULL else groups.size


cdef inline const double* group_read(const partition_t* groups, const double* w, Py_ssize_t g,
                                     double* room) noexcept nogil:
    """The coordinates of a group: a place in w, or a copy in ``room``."""
    cdef Py_ssize_t start = group_start(groups, g), i
    if groups.indices == NULL:
        return w + start
    for i in range(group_size(groups, g)):
        room[i] = w[groups.indices[start + i]]
    return room


cdef inline void group_write(const partition_t* groups, double* w, Py_ssize_t g,
                             const double* changed) noexcept nogil:
    """Put back what group_read gave and the caller changed."""
    cdef Py_ssize_t start = group_start(groups, g), i
    if groups.indices == NULL:
        return
    for i in range(group_size(groups, g)):
        w[groups.indices[start + i]] = changed[i]


cdef class Partition:
    cdef partition_t c
    cdef readonly object starts
    cdef readonly object indices
    cdef readonly Py_ssize_t length
    cdef readonly Py_ssize_t given
    cdef partition_t of(self, Py_ssize_t n) noexcept nogil
