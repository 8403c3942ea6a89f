from libc.stdint cimport int64_t

from rrmlinear.simd.rows cimport row_t


cdef extern from "blocks.h" nogil:
    Py_ssize_t block_stride(Py_ssize_t k)
    void block_scores(const row_t* row, const double* W, Py_ssize_t stride, Py_ssize_t whole,
                      double* scores)
    void block_scores_some(const row_t* row, const double* W, Py_ssize_t stride,
                           const int64_t* places, Py_ssize_t n, double* scores)
    void block_update(const row_t* row, double* W, Py_ssize_t stride, const double* steps)
    void block_update_some(const row_t* row, double* W, Py_ssize_t stride, const int64_t* places,
                           const double* steps, Py_ssize_t n)
    void block_margins(const double* scores, Py_ssize_t k, Py_ssize_t k8, Py_ssize_t label,
                       double cost, double scale, double* margins)

    ctypedef struct block_change_t:
        Py_ssize_t n
        double sum
        double linear
        double squared

    block_change_t block_change(const double* margins, double cost, const double* old, double* new,
                                Py_ssize_t k8, Py_ssize_t label, double rounding, double* steps)
    Py_ssize_t block_pack_steps(const double* steps, Py_ssize_t columns, int64_t base,
                                int64_t* places, double* packed)
    void add_squares(const double* W, Py_ssize_t rows, Py_ssize_t stride, double* sums)
