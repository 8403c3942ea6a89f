"""Search along a line by the derivatives of a convex function, of Python or compiled."""

from libc.math cimport fabs, sqrt

cdef enum:
    MAX_STEPS = 40  # of a search that need not be exact

# While no x > 0 with a falling function is known, x is divided by this; the divisor is squared each
# time.
cdef double FIRST_FALL = 4.0


cdef class Slope:
    """The derivative of a convex function of one number t ≥ 0."""

    cdef double derivative(self, double t) except *:
        return 0.0


cdef class _Called(Slope):
    # that of a function of Python
    cdef object function

    cdef double derivative(self, double t) except *:
        return self.function(t)


def nearly_lowest(derivative, double part, rose=None):
    """An x ≥ 0 at which the derivative of a convex function is at most ``part`` of that at 0.

    0 where the function does not fall there. An x behind the lowest point may have a larger value
    than 0; where ``rose(x)`` says so, the search goes on. Steps begin at 1 and double, and two
    secants between points on both sides of the lowest are followed by the geometric middle, so
    that an x of any size is found soon. If that takes too long, it returns an x with a smaller
    value than at 0.
    """
    cdef _Called slope = _Called()
    slope.function = derivative
    return lowest_of(slope, part, rose)


cdef double lowest_of(Slope slope, double part, rose=None) except *:
    """`nearly_lowest` of a compiled derivative."""
    cdef double low = 0.0, low_rate = slope.derivative(0.0), high = 0.0, high_rate = 0.0
    cdef double near = -part * low_rate, fall = FIRST_FALL, x = 1.0, rate
    cdef bint between = False
    cdef int number
    if not low_rate < 0:
        return 0.0
    for number in range(MAX_STEPS):
        rate = slope.derivative(x)
        if fabs(rate) <= near and (rate <= 0 or rose is None or not rose(x)):
            return x
        if not between and not rate > 0:
            low, low_rate, x = x, rate, 2 * x
            continue
        if rate < 0:
            low, low_rate = x, rate
        else:
            high, high_rate, between = x, rate, True
        if number % 3 < 2:
            x = low - low_rate * (high - low) / (high_rate - low_rate)
        elif low > 0:
            x = sqrt(low) * sqrt(high)
        else:
            x, fall = high / fall, fall * fall
        if not low < x < high:
            break
    return low
