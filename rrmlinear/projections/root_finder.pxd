# The root of an equation Σ_j clip(p_j − c_j θ, l_j, u_j) = e θ + z, of whatever kind its terms are.
#
# The left side falls in θ and the right side does not. Terms come as a struct that their own module
# knows, with functions that go over all of them in a call: the value of the equation at θ and the
# kinks inside a bracket. A call a pass costs nothing, and where newton() is given an inline
# function the compiler leaves none.

from rrmlinear.core.selection cimport select_by_digits
from rrmlinear.simd.newton cimport bracket_narrow, bracket_t

ctypedef double (*excess_at_t)(void* terms, double theta) noexcept nogil
ctypedef Py_ssize_t (*kinks_inside_t)(void* terms, const bracket_t* bracket,
                                      double* kinks) noexcept nogil


cdef inline bint median_search(excess_at_t excess_at, kinks_inside_t kinks_inside, void* terms,
                               bracket_t* bracket, double* kinks, double* theta) noexcept nogil:
    """Halves the kinks inside the bracket until ``kinks_inside`` returns none.

    True where ``theta`` is a root. O(n) on every input where the terms that a bracket decides are
    left out of later passes: algorithm 8 of "Regularized Risk Minimization by Nesterov's
    Accelerated Gradient Methods".
    """
    cdef Py_ssize_t count, work = 0
    cdef double excess
    while True:
        count = kinks_inside(terms, bracket, kinks)
        if count <= 0:
            return False
        theta[0] = select_by_digits(kinks, count, count // 2, &work)
        excess = excess_at(terms, theta[0])
        if excess == 0:
            return True
        bracket_narrow(bracket, theta[0], excess)
