"""The Weston–Watkins loss φ(m) = Σ_{j≠y} max(0, m_j), m_j = 1 + s_j − s_y, and its block solvers.

Source: Wang and Scott, An Exact Solver for the Weston–Watkins SVM Subproblem.
"""

from libc.string cimport memcpy

from rrmlinear.losses.base cimport BlockLoss
from rrmlinear.projections.weston_watkins cimport (
    ww_block_shark, ww_clip, ww_gap, ww_loss, ww_theta_newton, ww_theta_walrus, ww_unconstrained,
    ww_workspace,
)


cdef class WestonWatkins(BlockLoss):
    """The loss, with the block solved exactly in O(k): a knapsack root by warm-started Newton."""

    def __init__(self):
        self.cost = 1.0

    cdef Py_ssize_t workspace(self, Py_ssize_t k) noexcept nogil:
        return k + ww_workspace(k)

    cdef double value(self, const double* margins, Py_ssize_t k) noexcept nogil:
        return ww_loss(margins, k)

    cdef double conjugate(self, const double* block, double weight, Py_ssize_t k) noexcept nogil:
        return -ww_loss(block, k)      # −Σ b, no entry of which is negative

    cdef double gap(self, const double* margins, const double* block, double weight,
                    Py_ssize_t k) noexcept nogil:
        return ww_gap(margins, block, weight, k)

    cdef double solve_block(self, const double* margins, const double* block, double curvature,
                            double weight, double* new_block, double* work,
                            Py_ssize_t k) noexcept nogil:
        cdef double theta = ww_unconstrained(margins, block, 1 / curvature, k, work)
        theta = ww_theta_newton(work, k, weight, theta, work + k)
        return ww_clip(work, k, weight, theta, new_block)


cdef class WestonWatkinsWalrus(WestonWatkins):
    """The same block by the paper's sort and sweep, O(k log k)."""

    cdef double solve_block(self, const double* margins, const double* block, double curvature,
                            double weight, double* new_block, double* work,
                            Py_ssize_t k) noexcept nogil:
        cdef double theta
        ww_unconstrained(margins, block, 1 / curvature, k, work)
        theta = ww_theta_walrus(work, k, weight, work + k)
        return ww_clip(work, k, weight, theta, new_block)


cdef class WestonWatkinsShark(WestonWatkins):
    """The same block by Shark's greedy coordinate steps, to a KKT violation of ``tolerance``.

    The dual's slope in an entry that could still move along it is then at most that, so a problem
    in which nothing moves any more has a gap of at most tolerance · Σ C_i (k − 1).
    """

    cdef readonly double tolerance

    def __init__(self, double tolerance=1e-6):
        super().__init__()
        self.tolerance = tolerance

    cdef double solve_block(self, const double* margins, const double* block, double curvature,
                            double weight, double* new_block, double* work,
                            Py_ssize_t k) noexcept nogil:
        ww_unconstrained(margins, block, 1 / curvature, k, work)
        memcpy(new_block, block, k * sizeof(double))
        return ww_block_shark(work, k, weight, curvature, self.tolerance, new_block)
