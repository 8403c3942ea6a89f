"""Losses of all scores at once, in the margins m_j = cost + s_j − s_y, j ≠ y:

    Crammer–Singer, max-of-hinge     max(0, max_j m_j)                             cost 1
    the same, smoothed by γ          max of u'm − (γ/2) ‖u‖² over u ≥ 0, Σ u ≤ 1   cost 1
    soft-max-of-hinge                γ log(1 + Σ_j exp(m_j/γ))                     cost 1
    softmax, multinomial logistic    the same with γ = 1                           cost 0

Source: Shalev-Shwartz and Zhang, Accelerated proximal stochastic dual coordinate ascent, section 5.
"""

from libc.math cimport INFINITY, sqrt
from libc.string cimport memcpy

from rrmlinear.losses.block_base cimport RIGID, BlockLoss
from rrmlinear.projections.class_blocks cimport (
    simplex_block, simplex_workspace, ww_block_shark, ww_theta, ww_theta_walrus, ww_workspace,
)
from rrmlinear.simd.class_blocks cimport (
    simplex_conjugate, simplex_derivative, simplex_gap, simplex_value, ww_clip, ww_derivative,
    ww_gap, ww_loss, ww_smooth_gap, ww_smooth_loss, ww_squares, ww_unconstrained,
)

cdef extern from "classes/softmax_blocks.h" nogil:
    Py_ssize_t softmax_workspace(Py_ssize_t k)
    double softmax_value(const double* margins, double gamma, Py_ssize_t k)
    void softmax_derivative(const double* margins, double gamma, Py_ssize_t k, double* p)
    double softmax_conjugate(const double* b, double c, double gamma, double cost, Py_ssize_t k)
    double softmax_gap(const double* margins, const double* b, double c, double gamma,
                       Py_ssize_t k)
    double softmax_block(const double* margins, const double* b, double q, double c, double gamma,
                         Py_ssize_t k, double* new_b, double* work)


# A block counts as at its bound if its sum is less than this below it, since the sum rounds.
cdef double SUM_ROUNDING = 1e-13
# Classes whose probability is smaller add nothing to a second derivative.
cdef double MIN_SHARE = 1e-20


cdef class WholeLoss(BlockLoss):
    """A loss whose derivatives lie in the simplex b ≥ 0, Σ b ≤ 1."""

    def lipschitz(self, Py_ssize_t k):
        return 1.0

    cdef void confine(self, double* block, double weight, Py_ssize_t k) noexcept nogil:
        """Negative entries become 0, then all are scaled where Σ b > c."""
        cdef Py_ssize_t j
        cdef double total = 0
        for j in range(k):
            block[j] = max(0, min(block[j], weight))
            total += block[j]
        if total > weight:
            for j in range(k):
                block[j] *= weight / total


cdef class SimplexLoss(WholeLoss):
    """max of u'm − (γ/2) ‖u‖² over u ≥ 0, Σ u ≤ 1, γ being ``smoothing``.

    (c φ)*(−b) = −Σ b + γ/(2c) ‖b‖² on b ≥ 0, Σ b ≤ c, to a rounding of 1e-10 c. A block is solved
    exactly in O(k).
    """

    cdef Py_ssize_t workspace(self, Py_ssize_t k) noexcept nogil:
        return simplex_workspace(k)

    cdef double value(self, const double* margins, Py_ssize_t k) noexcept nogil:
        return simplex_value(margins, self.smoothing, k)

    cdef void derivative(self, const double* margins, double* block, Py_ssize_t k) noexcept nogil:
        simplex_derivative(margins, self.smoothing, k, block)

    cdef double conjugate(self, const double* block, double weight, Py_ssize_t k) noexcept nogil:
        return simplex_conjugate(block, weight, self.smoothing, k)

    cdef double gap(self, const double* margins, const double* block, double weight,
                    Py_ssize_t k) noexcept nogil:
        return simplex_gap(margins, block, weight, self.smoothing, k)

    cdef double solve_block(self, const double* margins, const double* block, double curvature,
                            double weight, double* new_block, double* work,
                            Py_ssize_t k) noexcept nogil:
        return simplex_block(margins, block, curvature, weight, self.smoothing, k, new_block, work)

    cdef double rates(self, const double* block, double curvature, double* e,
                      Py_ssize_t k) noexcept nogil:
        cdef double free = 1 / (self.smoothing + curvature), total = 0
        cdef Py_ssize_t j
        for j in range(k):
            e[j] = free if block[j] > 0 else 0
            total += block[j]
        if total >= 1 - SUM_ROUNDING:
            return 0      # at the bound Σ b = 1 the true class's dual, 1 − Σ b, stays 0
        return 1 / curvature if curvature > 0 else RIGID


cdef class CrammerSinger(SimplexLoss):
    """max(0, max_j m_j)."""

    def __init__(self):
        self.cost = 1.0

    @property
    def bounds(self):
        return INFINITY, 1.0

    def _smoothed(self, smoothing):
        return SmoothCrammerSinger(smoothing)


cdef class SmoothCrammerSinger(SimplexLoss):
    """The Crammer–Singer loss smoothed by γ > 0."""

    def __init__(self, double smoothing=1.0):
        if not 0 < smoothing < INFINITY:
            raise ValueError(f"smoothing must be positive and finite, got {smoothing}")
        self.cost, self.smoothing = 1.0, smoothing


cdef class EntropicLoss(WholeLoss):
    """γ log(1 + Σ_j exp(m_j/γ)), the maximum with an entropy for its smoothing.

    (c φ)*(−b) = γ [Σ b_j log(b_j/c) + (c − Σ b) log(1 − Σ b/c)] − cost Σ b on b ≥ 0, Σ b ≤ c, to a
    rounding of 1e-10 c. A block is solved by Newton's method to 1e-12 c. In the Euclidean norm of
    the margins the modulus of φ*, ``smoothing``, is 2γ.
    """

    cdef double gamma

    cdef Py_ssize_t workspace(self, Py_ssize_t k) noexcept nogil:
        return softmax_workspace(k)

    cdef double value(self, const double* margins, Py_ssize_t k) noexcept nogil:
        return softmax_value(margins, self.gamma, k)

    cdef void derivative(self, const double* margins, double* block, Py_ssize_t k) noexcept nogil:
        softmax_derivative(margins, self.gamma, k, block)

    cdef double conjugate(self, const double* block, double weight, Py_ssize_t k) noexcept nogil:
        return softmax_conjugate(block, weight, self.gamma, self.cost, k)

    cdef double gap(self, const double* margins, const double* block, double weight,
                    Py_ssize_t k) noexcept nogil:
        return softmax_gap(margins, block, weight, self.gamma, k)

    cdef double solve_block(self, const double* margins, const double* block, double curvature,
                            double weight, double* new_block, double* work,
                            Py_ssize_t k) noexcept nogil:
        return softmax_block(margins, block, curvature, weight, self.gamma, k, new_block, work)

    cdef double rates(self, const double* block, double curvature, double* e,
                      Py_ssize_t k) noexcept nogil:
        cdef double own = 1
        cdef Py_ssize_t j
        for j in range(k):
            e[j] = 0
            if block[j] > MIN_SHARE:
                e[j] = block[j] / (self.gamma + curvature * block[j])
            own -= block[j]
        own = max(0, own)
        return own / (self.gamma + curvature * own)


cdef class SoftmaxOfHinge(EntropicLoss):
    """γ log(1 + Σ_{j≠y} exp((1 + s_j − s_y)/γ)), above the Crammer–Singer loss by up to γ log k.

    γ is the argument ``smoothing``.
    """

    def __init__(self, double smoothing=1.0):
        if not 0 < smoothing < INFINITY:
            raise ValueError(f"smoothing must be positive and finite, got {smoothing}")
        self.cost, self.gamma, self.smoothing = 1.0, smoothing, 2 * smoothing
        self.step_work = 300


cdef class Softmax(EntropicLoss):
    """log Σ_j exp(s_j − s_y), the loss of multinomial logistic regression."""

    def __init__(self):
        self.cost, self.gamma, self.smoothing, self.step_work = 0.0, 1.0, 2.0, 300


# The Weston–Watkins loss φ(m) = Σ_{j≠y} max(0, m_j), m_j = 1 + s_j − s_y, and its block solvers.
#
# Smoothed by γ it is Σ_{j≠y} max over 0 ≤ b ≤ 1 of b m_j − (γ/2) b², with (c φ)*(−b) =
# −Σ b + γ/(2c) ‖b‖² on 0 ≤ b_j ≤ c.
#
# Source: Wang and Scott, An Exact Solver for the Weston–Watkins SVM Subproblem.

cdef class WestonWatkins(BlockLoss):
    """The loss. Blocks are solved exactly in O(k): Newton steps find the root of a knapsack."""

    def __init__(self, double smoothing=0.0):
        if not 0 <= smoothing < INFINITY:
            raise ValueError(f"smoothing must be at least 0 and finite, got {smoothing}")
        self.cost, self.smoothing = 1.0, smoothing

    @property
    def bounds(self):
        return None if self.smoothing > 0 else (1.0, INFINITY)

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


# The distance of several scores from several targets.

cdef class Distance(BlockLoss):
    """‖y − s‖₂ of k scores s and targets y, or with a smoothing γ > 0 the Huber function of it.

    It is max over ‖α‖₂ ≤ 1 of (y − s)'α − (γ/2) ‖α‖². `VectorRisk` has its formulas over all
    examples; its methods as a block loss of classes give NaN.
    """

    def __init__(self, double smoothing=0.0):
        if not 0 <= smoothing < INFINITY:
            raise ValueError(f"smoothing must be at least 0 and finite, got {smoothing}")
        self.smoothing = smoothing

    def _smoothed(self, smoothing):
        return Distance(smoothing)
