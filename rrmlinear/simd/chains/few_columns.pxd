from libc.stdint cimport int32_t, int64_t


cdef extern from "chains/few_columns.h" nogil:
    void few_columns_times(const double* x, const int32_t* j, const int64_t* starts,
                           Py_ssize_t first, Py_ssize_t behind, const double* M, Py_ssize_t k,
                           const double* start, double* out)
