# The marginals of a chain of labels, their entropy, and the best step along a change of them.
from libc.math cimport fabs

from rrmlinear.simd.elementary cimport entropy_slope, entropy_slope_t

# A search ends where the derivative has fallen by the factor DECREASE, and after MAX_TRIALS.
cdef enum:
    DECREASE = 10
    MAX_TRIALS = 12

cdef struct marginals_t:
    Py_ssize_t length, k
    Py_ssize_t stride           # doubles from one position to the next of `node_moves`
    const double* nodes         # length × k
    const double* node_moves
    const double* pairs         # of positions t and t + 1: k × k for each t < length − 1
    const double* pair_moves


cdef inline double marginals_step(const marginals_t* at, double tau, double linear,
                                  double cost, double square) noexcept nogil:
    """The x in [0, 1] at which the derivative τ H'(x) + linear − cost x square is nearly 0.

    H is the entropy after the step x. At x = 1 the first two terms add up to 0.
    """
    cdef double low = 0, high = 1, rate_low, rate_high = -cost * square, first, x, rate
    cdef entropy_slope_t slope = marginals_slope(at, 0)
    cdef int _trial
    first = rate_low = tau * slope.rate + linear
    if not first > 0:
        return 0
    if not rate_high < -first / DECREASE:
        return 1
    x = rate_low / (rate_low - rate_high)
    for _trial in range(MAX_TRIALS):
        slope = marginals_slope(at, x)
        rate = tau * slope.rate + linear - cost * x * square
        if fabs(rate) <= first / DECREASE:
            return x
        if rate > 0:
            low, rate_low = x, rate
        else:
            high, rate_high = x, rate
        x -= rate / (tau * slope.curvature - cost * square)
        if not low < x < high:
            x = (low + high) / 2
    return low


cdef inline entropy_slope_t marginals_slope(const marginals_t* at, double x) noexcept nogil:
    # H' and H'' at the marginals moved by x: entropies of pairs less those of inner positions.
    cdef Py_ssize_t t, k = at.k
    cdef entropy_slope_t part, result
    if at.length == 1:
        return entropy_slope(at.nodes, at.node_moves, x, k)
    result.rate = result.curvature = 0
    for t in range(at.length - 1):
        part = entropy_slope(at.pairs + t * k * k, at.pair_moves + t * k * k, x, k * k)
        result.rate += part.rate
        result.curvature += part.curvature
        if t + 1 < at.length - 1:
            part = entropy_slope(at.nodes + (t + 1) * k, at.node_moves + (t + 1) * at.stride, x, k)
            result.rate -= part.rate
            result.curvature -= part.curvature
    return result


cdef inline double marginals_entropy(const marginals_t* at) noexcept nogil:
    """H; −p log p is the derivative of the entropy along p, at p."""
    cdef Py_ssize_t t, k = at.k
    cdef double total = 0
    cdef const double* part
    if at.length == 1:
        return entropy_slope(at.nodes, at.nodes, 0, k).rate
    for t in range(at.length - 1):
        part = at.pairs + t * k * k
        total += entropy_slope(part, part, 0, k * k).rate
        if t + 1 < at.length - 1:
            part = at.nodes + (t + 1) * k
            total -= entropy_slope(part, part, 0, k).rate
    return total
