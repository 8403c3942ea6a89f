# The block problem of the Crammer–Singer loss, smoothed or not; simd/simplex_blocks.h has its
# formulas.

from rrmlinear.simd.class_blocks cimport simplex_newton, ww_newton
from rrmlinear.simd.newton cimport bracket_t

# The scratch memory for k classes, in doubles: v, k indices and 2k kinks.
cdef inline Py_ssize_t simplex_workspace(Py_ssize_t k) noexcept nogil:
    return 4 * k


cdef inline double simplex_block(const double* margins, const double* b, double q, double c,
                                 double gamma, Py_ssize_t k, double* new_b,
                                 double* work) noexcept nogil:
    """The new block; returns its Σ b."""
    return simplex_newton(margins, b, q, c, gamma, k, new_b, work, simplex_by_medians)


# The root of Σ max(0, v_j − θ) = e θ + z by the median search.
cdef double simplex_by_medians(const double* v, Py_ssize_t k, double e, double z,
                               double* scratch) noexcept nogil


# The Weston–Watkins block: minimize ½‖b‖² + ½(1'b)² − v'b over 0 ≤ b_j ≤ C, whose solution is
#
#     b_j = clip(v_j − θ, 0, C),   θ = Σ_j clip(v_j − θ, 0, C).
#
# Smoothing makes the first term (e/2) ‖b‖², e ≥ 1: then θ e = Σ_j clip(v_j − θ, 0, eC), and b is
# that clip over e. Three ways to θ or b: An Exact Solver for the Weston–Watkins SVM Subproblem,
# section 3.

# The scratch memory of the solvers for k classes, in doubles: k indices and 2k kinks.
cdef inline Py_ssize_t ww_workspace(Py_ssize_t k) noexcept nogil:
    return 3 * k


cdef inline double ww_theta(const double* v, Py_ssize_t k, double upper, double e, double theta,
                            double* work) noexcept nogil:
    """θ by Newton's method from a first guess, or should that not end by the median search."""
    cdef bracket_t open
    theta = ww_newton(v, k, upper, e, theta, &open)
    if theta != theta:
        theta = ww_theta_median(v, k, upper, e, open.low, open.high, work)
    return theta


# θ by the median search between bounds that hold it, for clips at `upper` = eC.
cdef double ww_theta_median(const double* v, Py_ssize_t k, double upper, double e, double low,
                            double high, double* work) noexcept nogil
# θ by sorting v and sweeping the kinks.
cdef double ww_theta_walrus(const double* v, Py_ssize_t k, double C, double* work) noexcept nogil
# b by greedy coordinate steps from the present b; returns Σ b.
cdef double ww_block_shark(const double* v, Py_ssize_t k, double C, double curvature,
                           double tolerance, double* b) noexcept nogil
