"""Functions of a norm: its powers, and the indicator of its ball."""

from libc.math cimport INFINITY, NAN, fabs, pow

from rrmlinear.regularizers.base cimport BOUNDARY_ROUNDING, Norm, Regularizer

# The search for θ ends when the bracket is shorter than this fraction of its ends, or after
# MAX_STEPS steps.
cdef double BRACKET_RESOLUTION = 2.0 ** -52
cdef int MAX_STEPS = 2000


cdef class OfNorm(Regularizer):
    """V(N(w)) for a norm N and a convex V that does not fall on z ≥ 0; Ω*(v) = V*(N°(v)).

    The prox u of step V(N) is that of θ N at the θ with V'(N(u)) = θ/step: N(u) falls in θ, and the
    z with V'(z) = θ/step rises (lemma 16 of Yang, Mahdavi, Jin and Zhu, An Efficient Primal
    Dual Prox Method for Non-Smooth Optimization). Raises TypeError for what is no norm.
    """

    cdef readonly Norm norm

    cdef double level(self, double t) noexcept nogil:
        """The z with V'(z) = t."""
        return NAN

    cdef double rate(self, double z) noexcept nogil:
        """V'(z), from the right."""
        return NAN

    cdef void prox(self, double* w, double step, Py_ssize_t n) noexcept nogil:
        cdef double most = self.norm.dual_norm(w, n), size, theta
        cdef Py_ssize_t j
        if most == 0 or step == 0:
            return
        size = self.norm.value(w, n)
        if size <= self.level(0):
            return
        theta = self.threshold(w, n, step, size, min(most, step * self.rate(size)))
        self.norm.prox(w, theta, n)
        # w − prox has lost digits if w is far outside the ball; N has the known value.
        size = self.norm.value(w, n)
        if size == 0:
            return
        size = self.level(theta / step) / size
        for j in range(n):
            w[j] *= size

    cdef double excess(self, const double* w, Py_ssize_t n, double step,
                       double theta) noexcept nogil:
        return self.norm.value_of_prox(w, theta, n) - self.level(theta / step)

    cdef double threshold(self, const double* w, Py_ssize_t n, double step, double at_zero,
                          double high) noexcept nogil:
        # The θ of [0, high], from below. Chandrupatla, A new hybrid quadratic/bisection algorithm
        # for finding the zero of a nonlinear function without using derivatives, 1997.
        cdef double a = high, b = 0, c = 0, fa, fb, fc, part = 0.5, x, fx, xi, phi, tolerance
        cdef int _step
        fa, fb = self.excess(w, n, step, high), at_zero - self.level(0)
        fc = fb
        if fa == 0:
            return a
        for _step in range(MAX_STEPS):
            x = a + part * (b - a)
            fx = self.excess(w, n, step, x)
            if fx != fx:
                return NAN
            if (fx > 0) == (fa > 0):
                c, fc = a, fa
            else:
                c, b, fc, fb = b, a, fb, fa
            a, fa = x, fx
            if fa == 0:
                return a
            tolerance = BRACKET_RESOLUTION * max(a, b) / fabs(b - a)
            if tolerance >= 0.5:
                break
            xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
            part = 0.5
            if phi * phi < xi and (1 - phi) * (1 - phi) < 1 - xi:
                part = (fa / (fb - fa) * fc / (fb - fc)
                        + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb))
            part = min(max(part, tolerance), 1 - tolerance)
        return a if fa > 0 else b


cdef class NormPower(OfNorm):
    """N(w)^power, power > 1; its conjugate is (power − 1) (N°(v)/power)^(power/(power − 1)).

    With the groups of a group norm and power 2 it is the (Σ_g ‖w_g‖)² of multiple kernels.
    """

    cdef readonly double power

    def __init__(self, norm, double power=2.0):
        if not 1 < power < INFINITY:
            raise ValueError(f"power must be above 1 and finite, got {power}")
        self.norm, self.power = checked_norm(norm), power
        self.modulus, self.linear, self.length = 0, False, self.norm.length

    def over(self, shape, *, bint intercept=False):
        return NormPower(self.norm.over(shape, intercept=intercept), self.power)

    cdef double value(self, const double* w, Py_ssize_t n) noexcept nogil:
        return pow(self.norm.value(w, n), self.power)

    cdef double derivative(self, const double* w, const double* d, Py_ssize_t n) noexcept nogil:
        cdef double rate = self.rate(self.norm.value(w, n))
        return rate * self.norm.derivative(w, d, n) if rate != 0 else 0

    cdef double conjugate(self, const double* v, Py_ssize_t n) noexcept nogil:
        cdef double z = self.level(self.norm.dual_norm(v, n))
        return (self.power - 1) * pow(z, self.power)

    cdef double level(self, double t) noexcept nogil:
        return pow(t / self.power, 1 / (self.power - 1))

    cdef double rate(self, double z) noexcept nogil:
        return self.power * pow(z, self.power - 1)


cdef class NormBall(OfNorm):
    """0 where N(w) ≤ radius, and infinite elsewhere: a norm in constraint form.

    The conjugate is radius · N°(v), finite everywhere; the prox is the projection on the ball,
    whatever the step. radius > 0, finite. Minima over the ball are those of θ N(w), θ ≥ 0 the
    multiplier of the constraint.
    """

    cdef readonly double radius

    def __init__(self, norm, double radius):
        if not 0 < radius < INFINITY:
            raise ValueError(f"radius must be positive and finite, got {radius}")
        self.norm, self.radius = checked_norm(norm), radius
        self.modulus, self.linear, self.length = 0, False, self.norm.length

    def over(self, shape, *, bint intercept=False):
        return NormBall(self.norm.over(shape, intercept=intercept), self.radius)

    cdef double value(self, const double* w, Py_ssize_t n) noexcept nogil:
        return 0 if self.norm.value(w, n) <= self.radius * (1 + BOUNDARY_ROUNDING) else INFINITY

    cdef double conjugate(self, const double* v, Py_ssize_t n) noexcept nogil:
        return self.radius * self.norm.dual_norm(v, n)

    cdef void prox(self, double* w, double step, Py_ssize_t n) noexcept nogil:
        OfNorm.prox(self, w, 1, n)

    cdef double level(self, double t) noexcept nogil:
        return self.radius

    cdef double rate(self, double z) noexcept nogil:
        return INFINITY


cdef Norm checked_norm(norm):
    if not (isinstance(norm, Norm) and norm.degree == 1):
        raise TypeError(f"a norm is needed, got {type(norm).__name__}")
    return norm
