# Mixtures of labellings, one for each sequence: the labellings with their weights, as long as these
# are not 0.

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcmp, memcpy

ctypedef struct mixture_t:
    int32_t* labels      # n × length
    double* weight       # of each labelling; they sum to 1
    double* distance     # from the true labelling
    Py_ssize_t n
    Py_ssize_t room


cdef inline bint mixture_grow(mixture_t* mixture, Py_ssize_t length) noexcept nogil:
    """Make room for one more labelling; False where memory is short."""
    cdef Py_ssize_t room
    cdef void* memory
    if mixture.n < mixture.room:
        return True
    room = mixture.room + mixture.room // 2 + 2
    memory = realloc(mixture.labels, room * length * sizeof(int32_t))
    if memory == NULL:
        return False
    mixture.labels = <int32_t*> memory
    memory = realloc(mixture.weight, room * sizeof(double))
    if memory == NULL:
        return False
    mixture.weight = <double*> memory
    memory = realloc(mixture.distance, room * sizeof(double))
    if memory == NULL:
        return False
    mixture.distance = <double*> memory
    mixture.room = room
    return True


cdef inline Py_ssize_t mixture_find(const mixture_t* mixture, const int32_t* labels,
                                    Py_ssize_t length) noexcept nogil:
    """The place of a labelling, or −1."""
    cdef Py_ssize_t p
    for p in range(mixture.n):
        if memcmp(mixture.labels + p * length, labels, length * sizeof(int32_t)) == 0:
            return p
    return -1


cdef inline Py_ssize_t mixture_add(mixture_t* mixture, const int32_t* labels, const int32_t* truth,
                                   Py_ssize_t length, double weight) noexcept nogil:
    """Add a labelling; its place, or −1 where memory is short."""
    cdef Py_ssize_t p = mixture.n, t
    cdef double distance = 0
    if not mixture_grow(mixture, length):
        return -1
    memcpy(mixture.labels + p * length, labels, length * sizeof(int32_t))
    for t in range(length):
        distance += labels[t] != truth[t]
    mixture.weight[p], mixture.distance[p] = weight, distance
    mixture.n += 1
    return p


cdef inline void mixture_prune(mixture_t* mixture, Py_ssize_t length) noexcept nogil:
    """Forget labellings of weight 0."""
    cdef Py_ssize_t p, n = 0
    for p in range(mixture.n):
        if mixture.weight[p] > 0:
            if n < p:
                memcpy(mixture.labels + n * length, mixture.labels + p * length,
                       length * sizeof(int32_t))
                mixture.weight[n] = mixture.weight[p]
                mixture.distance[n] = mixture.distance[p]
            n += 1
    mixture.n = n


cdef inline void mixture_free(mixture_t* mixture) noexcept nogil:
    free(mixture.labels)
    free(mixture.weight)
    free(mixture.distance)


# See mixtures.pyx.

cdef class Mixtures:
    cdef mixture_t* of                    # m
    cdef Py_ssize_t m
    cdef const int32_t[::1] label
    cdef const int64_t[::1] starts
