# Both reorder `a` and return its element of rank `rank` (0 … n−1), in O(n) whatever the numbers
# are, and add to `work` the number of elements that their sweeps go over.

from rrmlinear.simd.newton cimport bracket_narrow, bracket_t
from rrmlinear.simd.steps cimport steps_t

cdef double select_by_comparison(double* a, Py_ssize_t n, Py_ssize_t rank,
                                 Py_ssize_t* work) noexcept nogil
# Faster for thousands of numbers, none of which may be NaN.
cdef double select_by_digits(double* a, Py_ssize_t n, Py_ssize_t rank,
                             Py_ssize_t* work) noexcept nogil


# The root of an equation Σ_j clip(p_j − c_j θ, l_j, u_j) = e θ + z, of whatever kind its terms are.
#
# The left side falls in θ and the right side does not. Terms come as a struct that their own module
# knows, with functions that go over all of them in a call: the value of the equation at θ and the
# kinks inside a bracket. A call a pass costs nothing, and where newton() is given an inline
# function the compiler leaves none.

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


# Where a sum of falling steps crosses 0, the weighted median behind the best intercept;
# simd/steps.h has the sum.

# A b with S(b−) ≥ 0 ≥ S(b+), the middle of them where there are many: searched from `guess`, and
# `move` away from it. `memory` has room for 3 · parts · n numbers. Needs a step that is not 0.
cdef double steps_root(const steps_t* steps, double guess, double move,
                       double* memory) noexcept nogil


cdef class Slope:
    cdef double derivative(self, double t) except *


cdef double lowest_of(Slope slope, double part, rose=*) except *
