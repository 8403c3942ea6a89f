"""Losses of a number y: of the residual r = y − a, and deviances of the mean eᵃ. Those of the
residual are of one form, with conjugate

    φ*(−α) = −y α + ε |α| + (γ/2) α²   on   l ≤ α ≤ u:

    squared ½ r²                              ε = 0, γ = 1, no bounds
    absolute |r|                              ε = 0, γ = 0, ±1
    ε-insensitive max(0, |r| − ε)             γ = 0, ±1
    squared ε-insensitive max(0, |r| − ε)²    γ = ½, no bounds
    Huber: ½ r² up to |r| ≤ δ, linear beyond  ε = 0, γ = 1, ±δ
    quantile a: max(a r, (a − 1) r)           ε = 0, γ = 0, a − 1 and a

The losses with γ = 0 take γ as an argument, which smooths them. `Deviance` describes the others.
Source: Shalev-Shwartz and Zhang,
Accelerated proximal stochastic dual coordinate ascent, section 5; the printed ‖x‖²/(2λn) there is
‖x‖²/(λn).
"""

from libc.math cimport INFINITY, ceil, fabs

import numpy as np

from rrmlinear.losses.base cimport ClippedLoss, ScalarLoss
from rrmlinear.simd.losses.clipped_arrays cimport clipped_t

cdef extern from "losses/deviance_arrays.h" nogil:
    double deviance_total(double p, const double* y, const double* c, const double* a,
                          Py_ssize_t n)
    void deviance_slopes(double p, const double* y, const double* a, double* out, Py_ssize_t n)
    void deviance_bends(double p, const double* y, const double* a, double* out, Py_ssize_t n)
    double deviance_tangent(double p, const double* y, const double* c, const double* a,
                            double* out, Py_ssize_t n)
    double deviance_balance(double p, const double* y, const double* c, const double* a,
                            Py_ssize_t n)
    double deviance_conjugate(double p, const double* y, const double* c, const double* alpha,
                              Py_ssize_t n)
    double deviance_score(double p, double y, double u)
    bint deviance_takes(double p, double y, double u)


cdef class ResidualLoss(ClippedLoss):
    """max over l ≤ α ≤ u of r α − ε |α| − (γ/2) α², l ≤ 0 ≤ u, γ being ``smoothing``."""

    cdef double epsilon
    cdef double lower
    cdef double upper

    cdef clipped_t _clipped(self) noexcept nogil:
        cdef clipped_t form
        form.lower, form.upper, form.epsilon = self.lower, self.upper, self.epsilon
        form.smoothing, form.by_sign = self.smoothing, 0
        return form

    cdef double _best(self, double r, double s) noexcept nogil:
        # the α that attains the maximum for a curvature s
        cdef double pull = r - self.epsilon if r > self.epsilon else \
            r + self.epsilon if r < -self.epsilon else 0
        if pull == 0:
            return 0
        if s == 0:
            return self.upper if pull > 0 else self.lower
        pull /= s
        return self.lower if pull < self.lower else self.upper if pull > self.upper else pull

    cdef double value(self, double y, double score) noexcept nogil:
        cdef double r = y - score, alpha = self._best(r, self.smoothing)
        return alpha * (r - self.smoothing / 2 * alpha) - self.epsilon * fabs(alpha)

    cdef double derivative(self, double y, double score) noexcept nogil:
        return -self._best(y - score, self.smoothing)

    cdef double second_derivative(self, double y, double score) noexcept nogil:
        # |r| − ε, cut by the bound on its side
        cdef double r = y - score, pull = fabs(r) - self.epsilon
        cdef double bound = self.upper if r > 0 else -self.lower
        if pull < 0 or pull == 0 < self.epsilon:
            return 0
        return 1 / self.smoothing if pull < bound * self.smoothing else 0

    cdef double conjugate(self, double y, double alpha) noexcept nogil:
        if alpha < self.lower or alpha > self.upper:
            return INFINITY
        return alpha * (self.smoothing / 2 * alpha - y) + self.epsilon * fabs(alpha)

    cdef bint admits(self, double y, double alpha) noexcept nogil:
        return self.lower <= alpha <= self.upper

    cdef double dual_step(self, double y, double score, double alpha,
                          double curvature) noexcept nogil:
        return self._best(curvature * alpha + y - score, curvature + self.smoothing)

    def box(self, y):
        return np.full(len(y), self.lower), np.full(len(y), self.upper), self.epsilon

    cdef int _form(self, double epsilon, double smoothing, double lower,
                   double upper) except -1:
        if not 0 <= smoothing < INFINITY:
            raise ValueError(f"smoothing must be at least 0 and finite, got {smoothing}")
        self.epsilon, self.smoothing = epsilon, smoothing
        self.lower, self.upper, self.lipschitz = lower, upper, max(-lower, upper)
        return 0


cdef class Squared(ResidualLoss):
    """½ r²."""

    def __init__(self):
        self._form(0, 1, -INFINITY, INFINITY)


cdef class Absolute(ResidualLoss):
    """|r|."""

    def __init__(self, double smoothing=0.0):
        self._form(0, smoothing, -1, 1)

    def _smoothed(self, smoothing):
        return Absolute(smoothing)


cdef class EpsilonInsensitive(ResidualLoss):
    """max(0, |r| − ε)."""

    def __init__(self, double epsilon=0.1, double smoothing=0.0):
        self._form(checked_epsilon(epsilon), smoothing, -1, 1)

    def _smoothed(self, smoothing):
        return EpsilonInsensitive(self.epsilon, smoothing)


cdef class SquaredEpsilonInsensitive(ResidualLoss):
    """max(0, |r| − ε)²."""

    def __init__(self, double epsilon=0.1):
        self._form(checked_epsilon(epsilon), 0.5, -INFINITY, INFINITY)


cdef class Huber(ResidualLoss):
    """½ r²/γ where |r| ≤ γ δ, δ (|r| − γ δ/2) beyond; γ is 1 unless it is smoothed further."""

    def __init__(self, double delta=1.0, double smoothing=1.0):
        if not 0 < delta < INFINITY:
            raise ValueError(f"delta must be positive and finite, got {delta}")
        self._form(0, smoothing, -delta, delta)

    def _smoothed(self, smoothing):
        return Huber(self.upper, smoothing)


cdef class Quantile(ResidualLoss):
    """max(a r, (a − 1) r), 0 < a < 1: least at the a-quantile."""

    def __init__(self, double quantile=0.5, double smoothing=0.0):
        if not 0 < quantile < 1:
            raise ValueError(f"quantile must lie between 0 and 1, got {quantile}")
        self._form(0, smoothing, quantile - 1, quantile)

    def _smoothed(self, smoothing):
        return Quantile(self.upper, smoothing)


cdef double checked_epsilon(double epsilon) except -1:
    if not 0 <= epsilon < INFINITY:
        raise ValueError(f"epsilon must be at least 0 and finite, got {epsilon}")
    return epsilon


# The hinge at every threshold between ordered levels.

cdef class OrdinalHinge(ScalarLoss):
    """Σ_r max(0, 1 − s_r (a − θ_r)), s_r = 1 where the level y is above threshold r, else −1.

    Levels y are 0 … R for R thresholds θ_0 < θ_1 < …: the loss is 0 if the score a is above the
    thresholds below its level, and below the others, by 1 at least. With the one threshold 0 it is
    the hinge of labels −1 (level 0) and 1. ``smoothing`` γ adds (γ/2) α² to the conjugate.

    φ is piecewise linear: its derivative rises by 1 at R kinks, from −y to R − y, and −α is a
    subgradient. Raises ValueError for thresholds that are not finite and rising. Source: Rennie and
    Srebro, Fast maximum score matrix factorization for collaborative prediction, 2005, all
    thresholds.
    """

    cdef readonly object thresholds
    cdef const double[::1] theta
    cdef Py_ssize_t R

    def __init__(self, thresholds, double smoothing=0.0):
        array = np.array(thresholds, dtype=np.float64)
        if array.ndim != 1 or array.size == 0:
            raise ValueError(f"thresholds must be a list of numbers, got {thresholds!r}")
        if not (np.isfinite(array).all() and (np.diff(array) > 0).all()):
            raise ValueError(f"thresholds must be finite and rise, got {array.tolist()}")
        if not 0 <= smoothing < INFINITY:
            raise ValueError(f"smoothing must be at least 0 and finite, got {smoothing}")
        self.thresholds, self.theta, self.R = array, array, len(array)
        self.smoothing, self.lipschitz = smoothing, self.R

    def _smoothed(self, smoothing):
        return OrdinalHinge(self.thresholds, smoothing)

    cdef inline double _kink(self, Py_ssize_t level, Py_ssize_t* below,
                             Py_ssize_t* above) noexcept nogil:
        # the next kink in rising order: θ_r + 1 of thresholds below the level, θ_r − 1 of others
        cdef double low = self.theta[below[0]] + 1 if below[0] < level else INFINITY
        cdef double high = self.theta[above[0]] - 1 if above[0] < self.R else INFINITY
        if low <= high:
            below[0] += 1
            return low
        above[0] += 1
        return high

    cdef double _hinges(self, Py_ssize_t level, double score) noexcept nogil:
        cdef Py_ssize_t r
        cdef double total = 0, part
        for r in range(self.R):
            part = 1 - (score - self.theta[r]) if r < level else 1 + (score - self.theta[r])
            if part > 0:
                total += part
        return total

    cdef double _best(self, Py_ssize_t level, double score, double centre,
                      double s) noexcept nogil:
        # the α that maximizes −φ*(−α) − a α − (s/2) (α − centre)², φ without smoothing
        cdef Py_ssize_t j, below = 0, above = level
        cdef double rise = -level, beyond, kink
        for j in range(self.R):
            kink = self._kink(level, &below, &above)
            if s > 0:
                beyond = (score - kink) / s - centre + (level - j)
            else:
                beyond = score - kink
            if beyond <= 0:
                break
            rise += beyond if s > 0 and beyond < 1 else 1
        return -rise

    cdef double value(self, double y, double score) noexcept nogil:
        if self.smoothing == 0:
            return self._hinges(<Py_ssize_t> y, score)
        cdef double alpha = self._best(<Py_ssize_t> y, score, 0, self.smoothing)
        return -alpha * score - self.conjugate(y, alpha)

    cdef double derivative(self, double y, double score) noexcept nogil:
        return -self._best(<Py_ssize_t> y, score, 0, self.smoothing)

    cdef double second_derivative(self, double y, double score) noexcept nogil:
        cdef double value = -self._best(<Py_ssize_t> y, score, 0, self.smoothing)
        return 0 if value == ceil(value) else 1 / self.smoothing

    cdef double conjugate(self, double y, double alpha) noexcept nogil:
        cdef Py_ssize_t level = <Py_ssize_t> y, _j, last, below = 0, above = level
        cdef double kink = 0
        if alpha > level or alpha < level - self.R:
            return INFINITY
        # the kink at which the derivative passes −α attains the maximum
        last = <Py_ssize_t> ceil(level - alpha)
        for _j in range(last if last > 1 else 1):
            kink = self._kink(level, &below, &above)
        return -alpha * kink - self._hinges(level, kink) + self.smoothing / 2 * alpha * alpha

    cdef double dual_step(self, double y, double score, double alpha,
                          double curvature) noexcept nogil:
        cdef double s = curvature + self.smoothing
        return self._best(<Py_ssize_t> y, score, curvature * alpha / s, s)


# Half unit deviances of a mean μ = eᵃ whose variance is a power of it.

cdef class Deviance(ScalarLoss):
    """Half the unit deviance of y from the mean μ = eᵃ, the variance being μ^p, 1 ≤ p ≤ 2:

        p = 1, Poisson, y ≥ 0     eᵃ − y a + y log y − y             φ*(u) = t log t − y log y − u
        p = 2, gamma, y > 0       y e⁻ᵃ + a − log y − 1               φ*(u) = s log s + u + u log y
        between, Tweedie, y ≥ 0   e^((2−p)a)/(2−p) + y e^(−(p−1)a)/(p−1) − y^(2−p)/((p−1)(2−p))

    with t = u + y ≥ 0 and s = 1 − u ≥ 0. Between, φ*(u) = u a − φ(a) at the a with φ'(a) = u, found
    by Newton's steps; for y = 0 it is (u log u − u)/(2 − p), u ≥ 0. The loss is 0 at a = log y. It
    is convex and differentiable, and φ' has no Lipschitz constant: ``smoothing`` is 0. For p > 2
    φ'' changes its sign.

    Raises ValueError for other p. Source: Jørgensen, The theory of dispersion models, 1997.
    """

    cdef readonly double power

    def __init__(self, double power):
        if not 1 <= power <= 2:
            raise ValueError(f"power must lie in [1, 2], got {power:g}")
        self.power, self.step_work = power, 270

    cdef bint has_derivative(self) noexcept nogil:
        return True

    cdef double value(self, double y, double score) noexcept nogil:
        cdef double one = 1
        return deviance_total(self.power, &y, &one, &score, 1)

    cdef double derivative(self, double y, double score) noexcept nogil:
        cdef double out
        deviance_slopes(self.power, &y, &score, &out, 1)
        return out

    cdef double second_derivative(self, double y, double score) noexcept nogil:
        cdef double out
        deviance_bends(self.power, &y, &score, &out, 1)
        return out

    cdef double conjugate(self, double y, double alpha) noexcept nogil:
        cdef double one = 1
        return deviance_conjugate(self.power, &y, &one, &alpha, 1)

    cdef bint admits(self, double y, double alpha) noexcept nogil:
        return deviance_takes(self.power, y, -alpha)

    cdef double dual_step(self, double y, double score, double alpha,
                          double curvature) noexcept nogil:
        # α' = −φ'(u) at the root u of u − a + q (φ'(u) + α), which lies between a and the u with
        # φ'(u) = −α. Newton's steps, or a halving of the bracket where a step leaves it or is more
        # than half of the one before.
        cdef double slope = self.derivative(y, score), u = score, q = curvature, value, move
        cdef double end = deviance_score(self.power, y, -alpha)
        cdef double low = min(score, max(end, score - q * (slope + alpha)))
        cdef double high = max(score, min(end, score - q * (slope + alpha)))
        cdef double last = 2 * (high - low)
        for _ in range(MOST_HALVINGS):
            slope = self.derivative(y, u)
            value = u - score + q * (slope + alpha)
            if value > 0:
                high = u
            else:
                low = u
            move = -value / (1 + q * self.second_derivative(y, u))
            if fabs(move) <= 1e-16 * fabs(u) or not low < high:
                break
            if not low < u + move < high or fabs(move) > last / 2:
                move = low + (high - low) / 2 - u
            last = fabs(move)
            if u + move == u:
                break
            u += move
        # the slope, or where q is large α less the change of the score: the digits that are there
        value = alpha + (u - score) / q
        return value if q > 1 and self.admits(y, value) else -self.derivative(y, u)

    cdef double total(self, const double* y, const double* cost, const double* scores,
                      Py_ssize_t n) noexcept nogil:
        return deviance_total(self.power, y, cost, scores, n)

    cdef void all_derivatives(self, const double* y, const double* scores, double* out,
                              Py_ssize_t n) noexcept nogil:
        deviance_slopes(self.power, y, scores, out, n)

    cdef void all_second_derivatives(self, const double* y, const double* scores, double* out,
                                     Py_ssize_t n) noexcept nogil:
        deviance_bends(self.power, y, scores, out, n)

    cdef double tangent(self, const double* y, const double* cost, const double* scores,
                        double* out, Py_ssize_t n) noexcept nogil:
        return deviance_tangent(self.power, y, cost, scores, out, n)

    cdef double balance(self, const double* y, const double* cost, const double* scores,
                        Py_ssize_t n) noexcept nogil:
        return deviance_balance(self.power, y, cost, scores, n)

    cdef double total_conjugate(self, const double* y, const double* cost, const double* alphas,
                                Py_ssize_t n) noexcept nogil:
        return deviance_conjugate(self.power, y, cost, alphas, n)


# Halvings of a bracket, more than floating point has.
cdef int MOST_HALVINGS = 2200
