# See mixtures.pyx.
from libc.stdint cimport int32_t, int64_t

from rrmlinear.solvers.dual.sequences.labelling_store cimport mixture_t


cdef class Mixtures:
    cdef mixture_t* of                    # m
    cdef Py_ssize_t m
    cdef const int32_t[::1] label
    cdef const int64_t[::1] starts
