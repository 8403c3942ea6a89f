from libc.stdint cimport int8_t, int16_t, int64_t

cdef extern from "short/grams.h" nogil:
    enum:
        BYTE_ROWS
        BYTE_COLUMNS
        LARGEST_BYTE

    bint has_byte_products()
    void short_bytes(const int16_t* q, const int64_t* chosen, const float* factors,
                     const float* ones, Py_ssize_t rows, Py_ssize_t stride, Py_ssize_t panels,
                     Py_ssize_t last, int8_t* bytes, float* squares)
    void byte_gram(const int8_t* bytes, Py_ssize_t rows, Py_ssize_t panels, Py_ssize_t first,
                   double* sums)
