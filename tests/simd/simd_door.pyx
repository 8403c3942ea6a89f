"""The kernels of rrmlinear.simd as functions of arrays, for tests alone."""

from libc.stdint cimport int64_t

from rrmlinear.data.rows cimport Rows
from rrmlinear.simd.barrier cimport flag_t, flags_meet
from rrmlinear.simd.columns cimport (
    columns_add, columns_times, vector_axpy, vector_dot, vector_dot3, vector_moved,
)
from rrmlinear.simd.gram cimport row_outer, row_squares
from rrmlinear.simd.products cimport (
    row_axpy, row_dot, row_squared_norm, rows_add, rows_times, thresholded_dot,
)
from rrmlinear.simd.rows cimport (
    row_index, row_part, row_t, row_value, rows_get, rows_prefetch, rows_prefetch_begin,
)


def entries(Rows rows, Py_ssize_t i, begin=None, end=None):
    """([(index, value)], bias, its index) of row i, or of its part between two features."""
    cdef row_t row = rows_get(&rows.c, i)
    cdef Py_ssize_t t
    rows_prefetch_begin(&rows.c, i)
    rows_prefetch(&rows.c, i)
    if begin is not None:
        row = row_part(row, begin, end)
    stored = [(row_index(&row, row.kind, t), row_value(&row, row.kind, t))
              for t in range(row.length)]
    return stored, row.bias, row.bias_index


def dot(Rows rows, Py_ssize_t i, const double[::1] v, double threshold=0):
    cdef row_t row = rows_get(&rows.c, i)
    return thresholded_dot(&row, &v[0], threshold) if threshold else row_dot(&row, &v[0])


def squared_norm(Rows rows, Py_ssize_t i):
    cdef row_t row = rows_get(&rows.c, i)
    return row_squared_norm(&row)


def axpy(Rows rows, Py_ssize_t i, double step, double[::1] w):
    cdef row_t row = rows_get(&rows.c, i)
    row_axpy(&row, step, &w[0])


def outer(Rows rows, Py_ssize_t i, double h, double[:, ::1] total):
    cdef row_t row = rows_get(&rows.c, i)
    row_outer(&row, h, &total[0, 0], total.shape[1])


def outer_squares(Rows rows, Py_ssize_t i, double h, double[::1] total):
    cdef row_t row = rows_get(&rows.c, i)
    row_squares(&row, h, &total[0])


def times(Rows rows, Py_ssize_t begin, Py_ssize_t end, const double[::1] w, double[::1] out):
    rows_times(&rows.c, begin, end, &w[0], &out[0])


def add(Rows rows, Py_ssize_t begin, Py_ssize_t end, const double[::1] c, const double[::1] a,
        double[::1] total):
    rows_add(&rows.c, begin, end, &c[0], &a[0], &total[0])


def long_dot(const double[::1] a, const double[::1] c):
    return vector_dot(&a[0], &c[0], a.shape[0])


def long_axpy(double[::1] a, double x, const double[::1] c):
    vector_axpy(&a[0], x, &c[0], a.shape[0])


def long_dot3(const double[::1] a, const double[::1] b, const double[::1] c):
    return vector_dot3(&a[0], &b[0], &c[0], a.shape[0])


def long_moved(const double[::1] a, double x, const double[::1] c, double[::1] out):
    vector_moved(&a[0], x, &c[0], a.shape[0], &out[0])


def matrix_times(const double[:, ::1] A, const double[::1] v, double[::1] out):
    columns_times(&A[0, 0], A.shape[0], A.shape[1], &v[0], &out[0])


def matrix_add(const double[:, ::1] A, const double[::1] weights, double[::1] out):
    columns_add(&A[0, 0], A.shape[0], A.shape[1], &weights[0], &out[0])


def meet(double[:, ::1] flags, int n_threads, int me, int64_t[::1] board, int64_t rounds,
         int64_t pause):
    """Write each round's number on the board and meet twice; how often another thread's number was
    not that round's between the two. Thread 0 works a while before it comes.
    """
    cdef int64_t number, wrong = 0, spins
    cdef double work = 1
    cdef int t
    cdef flag_t* all_flags = <flag_t*> &flags[0, 0]
    with nogil:
        for number in range(1, rounds + 1):
            if me == 0:
                for spins in range(pause):
                    work = work * 0.5 + 1
            board[me] = number + (work < 0)
            flags_meet(all_flags, n_threads, me)
            for t in range(n_threads):
                wrong += board[t] != number
            flags_meet(all_flags, n_threads, me)
    return wrong
