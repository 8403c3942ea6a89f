"""Losses of one score whose dual is a clipped line, as arrays: hinges and losses of a residual."""

from rrmlinear.losses.base cimport ScalarLoss
from rrmlinear.simd.clipped_arrays cimport (
    clipped_along, clipped_conjugate, clipped_derivatives, clipped_gaps, clipped_steps, clipped_t,
    clipped_tangent, clipped_total,
)


cdef class ClippedLoss(ScalarLoss):
    """max over l ≤ α ≤ u of r α − ε |α| − (γ/2) α², r = y − a, γ being ``smoothing``.

    A subclass defines l, u and ε (clipped_arrays.h) and the methods of one example.
    """

    cdef clipped_t _clipped(self) noexcept nogil:
        cdef clipped_t form
        form.lower = form.upper = form.epsilon = 0
        form.smoothing, form.by_sign = self.smoothing, 0
        return form

    cdef double total(self, const double* y, const double* cost, const double* scores,
                      Py_ssize_t n) noexcept nogil:
        cdef clipped_t form = self._clipped()
        return clipped_total(&form, y, cost, scores, n)

    cdef void all_derivatives(self, const double* y, const double* scores, double* out,
                              Py_ssize_t n) noexcept nogil:
        cdef clipped_t form = self._clipped()
        clipped_derivatives(&form, y, scores, out, n)

    cdef double tangent(self, const double* y, const double* cost, const double* scores,
                        double* out, Py_ssize_t n) noexcept nogil:
        cdef clipped_t form = self._clipped()
        return clipped_tangent(&form, y, cost, scores, out, n)

    cdef double along(self, const double* y, const double* cost, const double* scores,
                      const double* moves, double x, double* moved, double* derivatives,
                      double* total, Py_ssize_t n) noexcept nogil:
        cdef clipped_t form = self._clipped()
        return clipped_along(&form, y, cost, scores, moves, x, moved, derivatives, total, n)

    cdef double total_conjugate(self, const double* y, const double* cost, const double* alphas,
                                Py_ssize_t n) noexcept nogil:
        cdef clipped_t form = self._clipped()
        return clipped_conjugate(&form, y, cost, alphas, n)

    cdef void all_dual_steps(self, const double* y, const double* scores, const double* alphas,
                             Py_ssize_t alpha_step, const double* curvatures,
                             Py_ssize_t curvature_step, double* out, Py_ssize_t n) noexcept nogil:
        cdef clipped_t form = self._clipped()
        clipped_steps(&form, y, scores, alphas, alpha_step, curvatures, curvature_step, out, n)

    cdef void all_gaps(self, const double* y, const double* scores, const double* alphas,
                       double* out, Py_ssize_t n) noexcept nogil:
        cdef clipped_t form = self._clipped()
        clipped_gaps(&form, y, scores, alphas, out, n)
