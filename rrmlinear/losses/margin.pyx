"""Losses of the margin m = y a, y = ±1, that are pieces of lines or squares, the hinge family, and
the logistic loss.

With b = y α ≥ 0 the conjugate of the hinge family is −b + (γ/2) b² on 0 ≤ b ≤ B:

    hinge max(0, 1 − m)              γ = 0, B = 1
    smooth hinge                     γ > 0, B = 1
    squared hinge max(0, 1 − m)²     γ = ½, B = ∞

The conjugate of the generalized hinge is −min(b, 1) + (γ/2) b² on 0 ≤ b ≤ a.

Source: Shalev-Shwartz and Zhang, Accelerated proximal stochastic dual coordinate ascent, section 5;
Bartlett and Wegkamp, Classification with a reject option using a hinge loss, 2008.
"""

from libc.math cimport INFINITY, exp, fabs, log, log1p

import numpy as np

from rrmlinear.losses.base cimport ClippedLoss, ScalarLoss
from rrmlinear.simd.losses.clipped_arrays cimport clipped_t

cdef extern from "losses/logistic_arrays.h" nogil:
    enum:
        LOGISTIC_STEPS
    double logistic_total(const double* y, const double* c, const double* scores, Py_ssize_t n)
    void logistic_derivatives(const double* y, const double* scores, double* out, Py_ssize_t n)
    void logistic_curvatures(const double* scores, double* out, Py_ssize_t n)
    double logistic_tangent(const double* y, const double* c, const double* scores, double* out,
                            Py_ssize_t n)
    double logistic_conjugate(const double* y, const double* c, const double* alpha,
                              Py_ssize_t n)
    void logistic_gaps(const double* y, const double* scores, const double* alpha, double* out,
                       Py_ssize_t n)
    void logistic_dual_steps(const double* y, const double* scores, const double* alpha,
                             Py_ssize_t alpha_step, const double* q, Py_ssize_t q_step,
                             double* out, Py_ssize_t n)


cdef extern from "losses/generalized_arrays.h" nogil:
    double generalized_best(double pull, double s, double slope)
    double generalized_gain(double b, double margin, double smoothing)
    double generalized_total(double slope, double smoothing, const double* y, const double* c,
                             const double* scores, Py_ssize_t n)
    void generalized_derivatives(double slope, double smoothing, const double* y,
                                 const double* scores, double* out, Py_ssize_t n)
    double generalized_conjugate(double slope, double smoothing, const double* y, const double* c,
                                 const double* alpha, Py_ssize_t n)
    void generalized_steps(double slope, double smoothing, const double* y, const double* scores,
                           const double* alpha, Py_ssize_t alpha_step, const double* q,
                           Py_ssize_t q_step, double* out, Py_ssize_t n)


cdef double ROUNDING = 4e-16


cdef int check_positive_smoothing(double smoothing) except -1:
    if not 0 < smoothing < INFINITY:
        raise ValueError(f"smoothing must be positive and finite, got {smoothing}")
    return 0


cdef class HingeFamily(ClippedLoss):
    """max over 0 ≤ b ≤ B of (1 − m) b − (γ/2) b², γ being ``smoothing``."""

    cdef double upper

    cdef clipped_t _clipped(self) noexcept nogil:
        cdef clipped_t form
        form.lower, form.upper, form.epsilon, form.smoothing = 0, self.upper, 0, self.smoothing
        form.by_sign = 1
        return form

    cdef double _best(self, double slack) noexcept nogil:
        # the b that attains the maximum at 1 − m = slack
        cdef double b
        if self.smoothing == 0:
            return self.upper if slack > 0 else 0
        b = slack / self.smoothing
        return 0 if b < 0 else self.upper if b > self.upper else b

    cdef double value(self, double y, double score) noexcept nogil:
        cdef double slack = 1 - y * score, b = self._best(slack)
        return b * (slack - self.smoothing / 2 * b)

    cdef double derivative(self, double y, double score) noexcept nogil:
        return -y * self._best(1 - y * score)

    cdef double second_derivative(self, double y, double score) noexcept nogil:
        cdef double slack = 1 - y * score
        return 1 / self.smoothing if 0 < slack < self.upper * self.smoothing else 0

    cdef void all_second_derivatives(self, const double* y, const double* scores, double* out,
                                     Py_ssize_t n) noexcept nogil:
        cdef double most = self.upper * self.smoothing, curvature = 1 / self.smoothing, slack
        cdef Py_ssize_t i
        for i in range(n):
            slack = 1 - y[i] * scores[i]
            out[i] = curvature if (0 < slack) & (slack < most) else 0

    cdef double conjugate(self, double y, double alpha) noexcept nogil:
        cdef double b = y * alpha
        if b < 0 or b > self.upper:
            return INFINITY
        return b * (self.smoothing / 2 * b - 1)

    cdef double dual_step(self, double y, double score, double alpha,
                          double curvature) noexcept nogil:
        cdef double b = curvature * (y * alpha) + 1 - y * score
        b /= curvature + self.smoothing
        return y * (0 if b < 0 else self.upper if b > self.upper else b)

    def box(self, y):
        return *_sides(y, self.upper), 0.0

    cdef void _form(self, double smoothing, double upper) noexcept:
        self.smoothing, self.upper, self.lipschitz = smoothing, upper, upper


cdef class Hinge(HingeFamily):
    """max(0, 1 − m)."""

    def __init__(self):
        self._form(0, 1)

    def _smoothed(self, smoothing):
        return SmoothHinge(smoothing)


cdef class SmoothHinge(HingeFamily):
    """The hinge smoothed by γ: 0 from m ≥ 1, 1 − m − γ/2 up to m ≤ 1 − γ, (1 − m)²/(2γ) between."""

    def __init__(self, double smoothing=1.0):
        check_positive_smoothing(smoothing)
        self._form(smoothing, 1)

    def _smoothed(self, smoothing):
        return SmoothHinge(smoothing)


cdef class SquaredHinge(HingeFamily):
    """max(0, 1 − m)²; of another smoothing γ, max(0, 1 − m)²/(2γ)."""

    def __init__(self, double smoothing=0.5):
        check_positive_smoothing(smoothing)
        self._form(smoothing, INFINITY)

    def has_envelope(self):
        return True

    def _smoothed(self, smoothing):
        return SquaredHinge(smoothing)


cdef class GeneralizedHinge(ScalarLoss):
    """max(0, 1 − m, 1 − a m), a > 1: wrong decisions cost a times as much as doubtful ones.

    b is the sum of a part on [0, 1] that gains 1 − m and one on [0, a − 1] that gains −m.
    """

    cdef double slope

    def __init__(self, double slope=2.0, double smoothing=0.0):
        if not 1 < slope < INFINITY:
            raise ValueError(f"slope must lie above 1 and be finite, got {slope}")
        if not 0 <= smoothing < INFINITY:
            raise ValueError(f"smoothing must be at least 0 and finite, got {smoothing}")
        self.slope, self.lipschitz, self.smoothing = slope, slope, smoothing

    def _smoothed(self, smoothing):
        return GeneralizedHinge(self.slope, smoothing)

    cdef double value(self, double y, double score) noexcept nogil:
        cdef double z = y * score, b = generalized_best(1 - z, self.smoothing, self.slope)
        return generalized_gain(b, z, self.smoothing)

    cdef double derivative(self, double y, double score) noexcept nogil:
        return -y * generalized_best(1 - y * score, self.smoothing, self.slope)

    cdef double second_derivative(self, double y, double score) noexcept nogil:
        cdef double slack = 1 - y * score, first = self.smoothing
        cdef bint curved = 0 < slack < first or 1 + first < slack < 1 + self.slope * first
        return 1 / first if curved else 0

    cdef double conjugate(self, double y, double alpha) noexcept nogil:
        cdef double b = y * alpha
        if b < 0 or b > self.slope:
            return INFINITY
        return -generalized_gain(b, 0, self.smoothing)

    cdef double dual_step(self, double y, double score, double alpha,
                          double curvature) noexcept nogil:
        cdef double pull = curvature * (y * alpha) + 1 - y * score
        return y * generalized_best(pull, curvature + self.smoothing, self.slope)

    cdef double total(self, const double* y, const double* cost, const double* scores,
                      Py_ssize_t n) noexcept nogil:
        return generalized_total(self.slope, self.smoothing, y, cost, scores, n)

    cdef void all_derivatives(self, const double* y, const double* scores, double* out,
                              Py_ssize_t n) noexcept nogil:
        generalized_derivatives(self.slope, self.smoothing, y, scores, out, n)

    cdef double total_conjugate(self, const double* y, const double* cost, const double* alphas,
                                Py_ssize_t n) noexcept nogil:
        return generalized_conjugate(self.slope, self.smoothing, y, cost, alphas, n)

    cdef void all_dual_steps(self, const double* y, const double* scores, const double* alphas,
                             Py_ssize_t alpha_step, const double* curvatures,
                             Py_ssize_t curvature_step, double* out, Py_ssize_t n) noexcept nogil:
        generalized_steps(self.slope, self.smoothing, y, scores, alphas, alpha_step, curvatures,
                          curvature_step, out, n)

    def pieces(self, y):
        more = self.slope - 1
        return [(y, 0.0, *_sides(y, 1.0)), (0.0, y, *_sides(y, more))]


def _sides(y, double upper):
    # bounds of y b for 0 ≤ b ≤ upper
    return np.where(y > 0, 0.0, -upper), np.where(y > 0, upper, 0.0)


# The logistic loss of the margin m = y a, y = ±1.

cdef class Logistic(ScalarLoss):
    """log(1 + e^{−m}), with conjugate b log b + (1 − b) log(1 − b) on 0 ≤ b ≤ 1."""

    def __init__(self):
        self.smoothing, self.lipschitz, self.step_work = 4, 1, 70

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

    cdef void all_gaps(self, const double* y, const double* scores, const double* alphas,
                       double* out, Py_ssize_t n) noexcept nogil:
        logistic_gaps(y, scores, alphas, out, n)


cdef inline double sigmoid(double u) noexcept nogil:
    cdef double e = exp(-fabs(u))
    return 1 / (1 + e) if u >= 0 else e / (1 + e)


cdef Logistic OF_A_HIT = Logistic()


cdef class Binomial(ScalarLoss):
    """Half the deviance of a share y of hits, 0 ≤ y ≤ 1, from the probability σ(a):

    log(1 + eᵃ) − y a + y log y + (1 − y) log(1 − y): the logistic loss of label 1 plus (1 − y) a
    and a constant. Its duals are those of that loss less 1 − y. m trials count as a cost.
    """

    def __init__(self):
        self.smoothing, self.lipschitz, self.step_work = 4, 1, 70

    cdef double value(self, double y, double score) noexcept nogil:
        return OF_A_HIT.value(1, score) + (1 - y) * score + _entropy(y)

    cdef double derivative(self, double y, double score) noexcept nogil:
        return sigmoid(score) - y

    cdef double second_derivative(self, double y, double score) noexcept nogil:
        return OF_A_HIT.second_derivative(1, score)

    cdef void all_second_derivatives(self, const double* y, const double* scores, double* out,
                                     Py_ssize_t n) noexcept nogil:
        logistic_curvatures(scores, out, n)

    cdef double conjugate(self, double y, double alpha) noexcept nogil:
        return OF_A_HIT.conjugate(1, _of_hit(y, alpha)) - _entropy(y)

    cdef bint admits(self, double y, double alpha) noexcept nogil:
        return 0 <= _of_hit(y, alpha) <= 1

    cdef double dual_step(self, double y, double score, double alpha,
                          double curvature) noexcept nogil:
        return OF_A_HIT.dual_step(1, score, _of_hit(y, alpha), curvature) - (1 - y)


cdef double _of_hit(double y, double alpha) noexcept nogil:
    # the dual of a hit; rounding of σ(a) − y is no way out of [0, 1]
    cdef double b = alpha + (1 - y)
    if -ROUNDING <= b < 0:
        return 0
    return 1 if 1 < b <= 1 + ROUNDING else b


cdef double _entropy(double y) noexcept nogil:
    return (y * log(y) if y > 0 else 0) + ((1 - y) * log1p(-y) if y < 1 else 0)
