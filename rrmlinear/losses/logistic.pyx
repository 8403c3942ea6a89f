"""The logistic loss of the margin m = y a, y = ±1."""

from libc.math cimport INFINITY, exp, fabs, log, log1p

from rrmlinear.losses.base cimport ScalarLoss
from rrmlinear.simd.logistic_arrays cimport (
    LOGISTIC_STEPS, logistic_conjugate, logistic_curvatures, logistic_derivatives,
    logistic_dual_steps, logistic_tangent, logistic_total,
)


cdef class Logistic(ScalarLoss):
    """log(1 + e^{−m}), with conjugate b log b + (1 − b) log(1 − b) on 0 ≤ b ≤ 1."""

    def __init__(self):
        self.smoothing, self.lipschitz = 4, 1

    cdef double value(self, double y, double score) noexcept nogil:
        cdef double m = y * score
        return log1p(exp(-m)) if m > 0 else log1p(exp(m)) - m

    cdef double derivative(self, double y, double score) noexcept nogil:
        return -y * sigmoid(-y * score)

    cdef double second_derivative(self, double y, double score) noexcept nogil:
        return sigmoid(score) * sigmoid(-score)

    cdef double conjugate(self, double y, double alpha) noexcept nogil:
        cdef double b = y * alpha
        if b < 0 or b > 1:
            return INFINITY
        return (b * log(b) if b > 0 else 0) + ((1 - b) * log1p(-b) if b < 1 else 0)

    cdef bint admits(self, double y, double alpha) noexcept nogil:
        return 0 <= y * alpha <= 1

    cdef double total(self, const double* y, const double* cost, const double* scores,
                      Py_ssize_t n) noexcept nogil:
        return logistic_total(y, cost, scores, n)

    cdef void all_derivatives(self, const double* y, const double* scores, double* out,
                              Py_ssize_t n) noexcept nogil:
        logistic_derivatives(y, scores, out, n)

    cdef void all_second_derivatives(self, const double* y, const double* scores, double* out,
                                     Py_ssize_t n) noexcept nogil:
        logistic_curvatures(scores, out, n)

    cdef double tangent(self, const double* y, const double* cost, const double* scores,
                        double* out, Py_ssize_t n) noexcept nogil:
        return logistic_tangent(y, cost, scores, out, n)

    cdef double total_conjugate(self, const double* y, const double* cost, const double* alphas,
                                Py_ssize_t n) noexcept nogil:
        return logistic_conjugate(y, cost, alphas, n)

    cdef double dual_step(self, double y, double score, double alpha,
                          double curvature) noexcept nogil:
        # The root u of u + m + q (σ(u) − b) = 0, b' = σ(u), between −m + q (b − 1) and −m + q b
        # and between −m and log(b / (1 − b)), nearer to the latter for larger q. Halley's steps, or
        # a halving of the bracket where a step leaves it or is more than half of the one before.
        # After a step δ of Halley's the error is below q δ³, and that of two terms of σ too.
        cdef double m = y * score, q = curvature, b = y * alpha
        cdef double low = q * (b - 1) - m, high = q * b - m, u = -m, sigma, value, move
        cdef double last, slope, bend, rate
        if q > 1 and 0 < b < 1:
            u = log(b / (1 - b))
            low, high = max(low, min(u, -m)), min(high, max(u, -m))
        last = 2 * (high - low)
        for _ in range(LOGISTIC_STEPS):
            sigma = sigmoid(u)
            value = u + m + q * (sigma - b)
            if value > 0:
                high = u
            else:
                low = u
            slope = sigma * (1 - sigma)
            bend = slope * (0.5 - sigma)        # σ''/2
            rate = 1 / (1 + q * slope)
            move = -value * rate
            move /= max(1 + move * q * bend * rate, 0.5)
            if max(q, 1) * fabs(move * move * move) <= 1e-17:
                return y * (sigma + move * (slope + move * bend))
            if not low < u + move < high or fabs(move) > last / 2:
                move = low + (high - low) / 2 - u
            last = fabs(move)
            u += move
        return y * sigmoid(u)

    cdef void all_dual_steps(self, const double* y, const double* scores, const double* alphas,
                             Py_ssize_t alpha_step, const double* curvatures,
                             Py_ssize_t curvature_step, double* out, Py_ssize_t n) noexcept nogil:
        logistic_dual_steps(y, scores, alphas, alpha_step, curvatures, curvature_step, out, n)


cdef inline double sigmoid(double u) noexcept nogil:
    cdef double e = exp(-fabs(u))
    return 1 / (1 + e) if u >= 0 else e / (1 + e)
