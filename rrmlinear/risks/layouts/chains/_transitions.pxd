from libc.stdint cimport int32_t

from rrmlinear.data.rows cimport Rows
from rrmlinear.simd.chains.labels cimport chain_pairs_t


# Sequence s has its first position at `first`, and `length` positions; the features of its edges
# are rows first − s … first − s + length − 2. Sums over pairs are as the weights.
cdef class Transitions:
    cdef readonly Py_ssize_t k
    cdef readonly double scale
    cdef readonly bint logarithms
    cdef Py_ssize_t k8
    cdef bint best
    cdef bint fixed
    cdef Rows edges
    cdef object memory
    cdef const double[:, ::1] weights
    cdef chain_pairs_t constant
    # Numbers that `of` needs, and tables of a sequence that sums take, for sequences of up to
    # `most` positions.
    cdef Py_ssize_t room(self, Py_ssize_t most) noexcept nogil
    cdef Py_ssize_t tables(self, Py_ssize_t most) noexcept nogil
    # The transitions of a sequence.
    cdef chain_pairs_t of(self, Py_ssize_t s, Py_ssize_t first, Py_ssize_t length,
                          double* room) noexcept nogil
    # Σ over the pairs of a labelling of their weights.
    cdef double score(self, Py_ssize_t s, Py_ssize_t first, Py_ssize_t length,
                      const int32_t* y) noexcept nogil
    # sums += step · the features of the pairs of y, less those of the pairs of z where z is not
    # NULL; pairs that are the same in both are left out.
    cdef void count(self, Py_ssize_t s, Py_ssize_t first, Py_ssize_t length, const int32_t* y,
                    const int32_t* z, double step, double* sums) noexcept nogil
    # Σ of the squares of the sums that such a `count` has changed, which become 0.
    cdef double taken(self, Py_ssize_t s, Py_ssize_t first, Py_ssize_t length, const int32_t* y,
                      const int32_t* z, double* sums) noexcept nogil
    # sums += factor Σ_t x_t ⊗ the tables of a sequence, k × k for each of its edges.
    cdef void spread(self, Py_ssize_t s, Py_ssize_t first, Py_ssize_t length, const double* tables,
                     double factor, double* sums) noexcept nogil
    # Σ of the squares of the sums that such a `spread` has changed, which become 0.
    cdef double taken_tables(self, Py_ssize_t s, Py_ssize_t first, Py_ssize_t length,
                             double* sums) noexcept nogil
    # The same with the tables factor α_{t−1,i} E_t,ij v_tj: `gather` for each sequence and `finish`
    # at the end. `work` holds `tables` of them, in rows of k8 numbers.
    cdef void gather(self, chain_pairs_t E, Py_ssize_t s, Py_ssize_t first, Py_ssize_t length,
                     const double* alpha, const double* v, double factor, double* work,
                     double* sums) noexcept nogil
    cdef void finish(self, chain_pairs_t E, const double* work, double* sums) noexcept nogil
