from libc.stdint cimport int32_t, int64_t, uint64_t

from rrmlinear.simd.rows cimport row_t
from rrmlinear.solvers.dual.blocks._block_state cimport BlockState, scratch_t


cdef class BlockDescent(BlockState):
    # of `ascend`: its passes, the next after which the rate is looked at, and the last
    cdef readonly int passes
    cdef int due, last
    cdef Py_ssize_t visits, visits_before
    cdef readonly double primal, dual     # after the last pass, estimated unless it was measured
    cdef readonly bint is_measured, has_ended
    cdef double omega, gap_before, last_gap
    cdef double widest                    # range of a gradient in the pass; infinity: not looked at
    cdef readonly list rows_of_passes     # (primal, dual, whether they were measured) of each pass
    cdef int64_t[::1] places

    cdef int _whole_pass(self, uint64_t seed, double quiet, double calm, double bound) except -1
    cdef int _measure_all(self) except -1
    cdef double _hidden(self, double lipschitz) except -1
    cdef void _visit(self, Py_ssize_t i, int parity, int team, int thread) noexcept nogil
    cdef void _visit_face(self, Py_ssize_t i, int parity, int team, int thread) noexcept nogil
    cdef Py_ssize_t _base(self, const row_t* row, Py_ssize_t p) noexcept nogil
    cdef Py_ssize_t _solve(self, Py_ssize_t i, scratch_t* mine, Py_ssize_t label, Py_ssize_t n8,
                           const int32_t* classes, bint record) noexcept nogil
