from libc.stdint cimport int16_t

cdef extern from "short/copies.h" nogil:
    enum:
        SHORTS_A_LINE

    int shorten_float(const float* x, Py_ssize_t rows, Py_ssize_t d, Py_ssize_t stride,
                      const float* centre, const float* inverse, float* row, int16_t* q,
                      float* units)
    int shorten_double(const double* x, Py_ssize_t rows, Py_ssize_t d, Py_ssize_t stride,
                       const double* centre, const double* inverse, float* row, int16_t* q,
                       float* units)
    int shorten_float_row(const float* x, Py_ssize_t d, Py_ssize_t stride, int16_t* q, float* unit)
    int shorten_double_row(const double* x, Py_ssize_t d, Py_ssize_t stride, int16_t* q,
                           float* unit)
    void short_times(const int16_t* q, const float* units, Py_ssize_t rows, Py_ssize_t stride,
                     const float* w, double* out)
    void short_add(const int16_t* q, const float* units, Py_ssize_t rows, Py_ssize_t stride,
                   const double* a, Py_ssize_t ahead, float* sum)
    void short_add_two(const int16_t* q, const float* units, Py_ssize_t rows, Py_ssize_t stride,
                       const double* a, const double* h, Py_ssize_t ahead, float* sum,
                       float* other)
