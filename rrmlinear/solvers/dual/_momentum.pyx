"""Operations of accelerated ascents on whole vectors, each in one pass through memory.

V are dual vectors, y centers and p the solution before; w = ∇Ω̃*(V) is computed in pieces and never
stored. Ω is the regularizer of the problem, Ω̃ = Ω + κ/2 ‖·‖² that of the inner problem.

Loops of their own serve Ω = (s/2)‖·‖²: on text, where W is larger than the caches, two thirds of
the time of looks and steps were calls and sums of one number after the other.
"""

from rrmlinear.simd.columns cimport momentum_look, momentum_look_t, momentum_step
from rrmlinear.regularizers.base cimport Regularizer

cdef enum:
    PIECE = 512     # entries at a time: few enough for the first-level cache


def look(Regularizer problem not None, Regularizer inner not None, const double[::1] V not None,
         const double[::1] y not None, const double[::1] p not None, double kappa):
    """(‖w − y‖², ‖y‖², (y − w)'(w − p), Ω(w), Ω*(V − κ y))."""
    cdef double w[PIECE]
    cdef double unshifted[PIECE]
    cdef Py_ssize_t begin = 0, j, m, n = V.shape[0]
    cdef double distance = 0, square = 0, uphill = 0, value = 0, conjugate = 0, away
    cdef momentum_look_t found
    if n and problem.linear and inner.linear:
        with nogil:
            found = momentum_look(&V[0], &y[0], &p[0], n, 1 / inner.modulus, kappa)
        value, conjugate = problem.modulus * found.weights / 2, found.own / (2 * problem.modulus)
        return found.distance, found.centre, found.uphill, value, conjugate
    with nogil:
        while begin < n:
            m = min(PIECE, n - begin)
            inner.gradient_of_conjugate(&V[begin], w, m)
            for j in range(m):
                away = y[begin + j] - w[j]
                distance += away * away
                square += y[begin + j] * y[begin + j]
                uphill += away * (w[j] - p[begin + j])
                unshifted[j] = V[begin + j] - kappa * y[begin + j]
            value += problem.value(w, m)
            conjugate += problem.conjugate(unshifted, m)
            begin += m
    return distance, square, uphill, value, conjugate


def step(Regularizer inner not None, double[::1] V not None, double[::1] y not None,
         double[::1] p not None, double kappa, double next_kappa, double beta):
    """y ← w + β (w − p), V ← V + κ' y' − κ y, p ← w, in place."""
    cdef double w[PIECE]
    cdef Py_ssize_t begin = 0, j, m, n = V.shape[0]
    cdef double center
    if n and inner.linear:
        with nogil:
            momentum_step(&V[0], &y[0], &p[0], n, 1 / inner.modulus, kappa, next_kappa, beta)
        return
    with nogil:
        while begin < n:
            m = min(PIECE, n - begin)
            inner.gradient_of_conjugate(&V[begin], w, m)
            for j in range(m):
                center = w[j] + beta * (w[j] - p[begin + j])
                V[begin + j] += next_kappa * center - kappa * y[begin + j]
                y[begin + j] = center
                p[begin + j] = w[j]
            begin += m
