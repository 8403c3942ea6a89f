"""The Weston–Watkins loss φ(m) = Σ_{j≠y} max(0, m_j), m_j = 1 + s_j − s_y, and its block solvers.

Smoothed by γ it is Σ_{j≠y} max over 0 ≤ b ≤ 1 of b m_j − (γ/2) b², with (c φ)*(−b) =
−Σ b + γ/(2c) ‖b‖² on 0 ≤ b_j ≤ c.

Source: Wang and Scott, An Exact Solver for the Weston–Watkins SVM Subproblem.
"""

from libc.math cimport INFINITY, sqrt
from libc.string cimport memcpy

from rrmlinear.losses.block_base cimport RIGID, BlockLoss
from rrmlinear.projections.blocks.weston_watkins cimport (
    ww_block_shark, ww_theta, ww_theta_walrus, ww_workspace,
)
from rrmlinear.simd.class_blocks cimport (
    ww_clip, ww_derivative, ww_gap, ww_loss, ww_smooth_gap, ww_smooth_loss, ww_squares,
    ww_unconstrained,
)


cdef class WestonWatkins(BlockLoss):
    """The loss, with the block solved exactly in O(k): a knapsack root by warm-started Newton."""

    def __init__(self, double smoothing=0.0):
        if not 0 <= smoothing < INFINITY:
            raise ValueError(f"smoothing must be at least 0 and finite, got {smoothing}")
        self.cost, self.smoothing = 1.0, smoothing

    def lipschitz(self, Py_ssize_t k):
        return sqrt(max(0, k - 1))

    def _smoothed(self, smoothing):
        return WestonWatkins(smoothing)

    cdef Py_ssize_t workspace(self, Py_ssize_t k) noexcept nogil:
        return k + ww_workspace(k)

    cdef double value(self, const double* margins, Py_ssize_t k) noexcept nogil:
        if self.smoothing > 0:
            return ww_smooth_loss(margins, self.smoothing, k)
        return ww_loss(margins, k)

    cdef void derivative(self, const double* margins, double* block, Py_ssize_t k) noexcept nogil:
        ww_derivative(margins, self.smoothing, k, block)

    cdef double conjugate(self, const double* block, double weight, Py_ssize_t k) noexcept nogil:
        cdef double total = -ww_loss(block, k)      # −Σ b, no entry of which is negative
        if self.smoothing > 0 and total < 0:
            total += self.smoothing / (2 * weight) * ww_squares(block, k)
        return total

    cdef double gap(self, const double* margins, const double* block, double weight,
                    Py_ssize_t k) noexcept nogil:
        if self.smoothing > 0 and weight > 0:
            return ww_smooth_gap(margins, block, weight, self.smoothing, k)
        return ww_gap(margins, block, weight, k)

    cdef double solve_block(self, const double* margins, const double* block, double curvature,
                            double weight, double* new_block, double* work,
                            Py_ssize_t k) noexcept nogil:
        cdef double theta = ww_unconstrained(margins, block, 1 / curvature, k, work)
        cdef double e = 1
        if self.smoothing > 0:
            e += self.smoothing / (weight * curvature)
        theta = ww_theta(work, k, e * weight, e, theta, work + k)
        return ww_clip(work, k, weight, e, theta, new_block)

    cdef double rates(self, const double* block, double curvature, double* e,
                      Py_ssize_t k) noexcept nogil:
        cdef double free = 1 / (self.smoothing + curvature)
        cdef Py_ssize_t j
        for j in range(k):
            e[j] = free if 0 < block[j] < 1 else 0
        return 1 / curvature if curvature > 0 else RIGID


cdef class WestonWatkinsWalrus(WestonWatkins):
    """The same block by the paper's sort and sweep, O(k log k)."""

    def __init__(self):
        super().__init__()

    cdef double solve_block(self, const double* margins, const double* block, double curvature,
                            double weight, double* new_block, double* work,
                            Py_ssize_t k) noexcept nogil:
        cdef double theta
        ww_unconstrained(margins, block, 1 / curvature, k, work)
        theta = ww_theta_walrus(work, k, weight, work + k)
        return ww_clip(work, k, weight, 1, theta, new_block)


cdef class WestonWatkinsShark(WestonWatkins):
    """The same block by Shark's greedy coordinate steps, to a KKT violation of ``tolerance``.

    Where nothing moves any more, the dual's derivative in every entry that could move is at most
    the tolerance, and the gap at most tolerance · Σ C_i (k − 1).
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
