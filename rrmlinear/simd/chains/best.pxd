from libc.stdint cimport int32_t

from rrmlinear.simd.chains.labels cimport chain_change_t, chain_pairs_t


cdef extern from "chains/best.h" nogil:
    double chain_best(const double* nodes, const int32_t* labels, Py_ssize_t length, Py_ssize_t k,
                      Py_ssize_t k8, chain_pairs_t T, chain_change_t change, double* work,
                      int32_t* best)
