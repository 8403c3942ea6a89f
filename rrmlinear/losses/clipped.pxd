from rrmlinear.losses.base cimport ScalarLoss
from rrmlinear.simd.clipped_arrays cimport clipped_t


cdef class ClippedLoss(ScalarLoss):
    cdef clipped_t _clipped(self) noexcept nogil
