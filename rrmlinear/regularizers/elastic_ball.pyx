"""The elastic net in constraint form."""

from libc.math cimport INFINITY, NAN

from rrmlinear.projections.elastic cimport elastic_ball_project, elastic_ball_support
from rrmlinear.regularizers.base cimport BOUNDARY_ROUNDING, Regularizer
from rrmlinear.simd.thresholds cimport elastic_size


cdef class ElasticBall(Regularizer):
    """0 where gamma ‖w‖₁ + ½‖w‖² ≤ radius, and infinite elsewhere: the constraint form.

    Minima over the ball are those of θ (gamma ‖w‖₁ + ½‖w‖²), θ ≥ 0 the multiplier of the
    constraint: ``ElasticNet(theta * gamma, theta)``. The conjugate, max ⟨v, w⟩ over the ball, is
    finite everywhere, attained at w = S(v, θ gamma)/θ, S the soft threshold, where t = θ² solves
    Σ max(v_j² − gamma² t, 0) = 2 radius t; its gradient is not Lipschitz. gamma ≥ 0 and
    radius > 0, both finite; with gamma = 0 the ball is that of ‖w‖ ≤ √(2 radius).
    """

    cdef readonly double gamma
    cdef readonly double radius

    def __init__(self, double gamma, double radius):
        if not 0 <= gamma < INFINITY:
            raise ValueError(f"gamma must be at least 0 and finite, got {gamma}")
        if not 0 < radius < INFINITY:
            raise ValueError(f"radius must be positive and finite, got {radius}")
        self.gamma, self.radius, self.modulus, self.linear = gamma, radius, 0, False

    cdef double value(self, const double* w, Py_ssize_t n) noexcept nogil:
        cdef double size = elastic_size(w, n, 1, self.gamma).size
        return 0 if size <= self.radius * (1 + BOUNDARY_ROUNDING) else INFINITY

    cdef double conjugate(self, const double* v, Py_ssize_t n) noexcept nogil:
        return elastic_ball_support(v, n, self.gamma, self.radius, NULL)

    cdef void prox(self, double* w, double step, Py_ssize_t n) noexcept nogil:
        if elastic_ball_project(w, n, self.gamma, self.radius, False, w) < 0:
            w[0] = NAN

    cdef void gradient_of_conjugate(self, const double* v, double* w, Py_ssize_t n) noexcept nogil:
        elastic_ball_support(v, n, self.gamma, self.radius, w)
