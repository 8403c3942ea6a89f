from libc.stdint cimport int32_t

from rrmlinear.simd.rows cimport row_t
from rrmlinear.solvers.dual.blocks._block_memory cimport scratch_t
from rrmlinear.solvers.dual.blocks._block_state cimport BlockState


cdef class BlockDescent(BlockState):

    cdef void _visit(self, Py_ssize_t i, int parity, int team, int thread) noexcept nogil
    cdef void _visit_face(self, Py_ssize_t i, int parity, int team, int thread) noexcept nogil
    cdef Py_ssize_t _base(self, const row_t* row, Py_ssize_t p) noexcept nogil
    cdef Py_ssize_t _solve(self, Py_ssize_t i, scratch_t* mine, Py_ssize_t label, Py_ssize_t n8,
                           const int32_t* classes, bint record) noexcept nogil
