from libc.stdint cimport int64_t, uint64_t


cdef extern from "random.h" nogil:
    uint64_t random_stream(uint64_t seed, uint64_t number)
    uint64_t random_below(uint64_t* state, uint64_t bound)
    void random_shuffle(uint64_t* state, int64_t* order, Py_ssize_t n)
