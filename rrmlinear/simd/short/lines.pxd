from libc.stdint cimport int8_t

cdef extern from "short/lines.h" nogil:
    void line_bytes(const float* lines, Py_ssize_t count, Py_ssize_t rows, int8_t* bytes,
                    double* units)
    void row_bytes(const float* values, Py_ssize_t count, Py_ssize_t rows, int8_t* bytes,
                   double* units)
    void add_byte_sums(double* sums, const double* units, Py_ssize_t known, Py_ssize_t count,
                       Py_ssize_t width, double* total)
