"""The distance of several scores from several targets."""

from libc.math cimport INFINITY

from rrmlinear.losses.block_base cimport BlockLoss


cdef class Distance(BlockLoss):
    """‖y − s‖₂ of k scores s and targets y, or with a smoothing γ > 0 the Huber function of it.

    It is max over ‖α‖₂ ≤ 1 of (y − s)'α − (γ/2) ‖α‖². `VectorRisk` has its formulas over all
    examples; its methods as a block loss of classes give NaN.
    """

    def __init__(self, double smoothing=0.0):
        if not 0 <= smoothing < INFINITY:
            raise ValueError(f"smoothing must be at least 0 and finite, got {smoothing}")
        self.smoothing = smoothing

    def _smoothed(self, smoothing):
        return Distance(smoothing)
