"""The hinge at every threshold between ordered levels."""

from libc.math cimport INFINITY, ceil

from rrmlinear.losses.base cimport ScalarLoss

import numpy as np


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
