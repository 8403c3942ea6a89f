"""The interface of losses of k scores to solvers. What a loss does not offer is NaN, never 0."""

from libc.math cimport INFINITY, NAN

from rrmlinear.simd.blocks cimport block_margins

import numpy as np

from rrmlinear.losses.base import check_smoothing

cdef double RIGID = 1e100

# What `_each` computes.
cdef enum:
    VALUE
    DERIVATIVE
    CONJUGATE
    GAP
    CONFINE
    SOLVE


cdef class BlockLoss:
    """A loss of the k scores of one example, c · φ(m), in the margins m_j = cost + s_j − s_y.

    Its dual variable is a block b of k numbers, b_y = 0, which moves the weights by
    (Σ b) x for the true class and −b_j x for class j. Arrays have k entries, k a multiple of 8,
    aligned to 64 bytes; margins of the true class and of padding are excluded (−1e300) and their b
    is zero. ``weight`` is the example's cost c.
    """

    @property
    def differentiable(self):
        """Whether φ has no kink."""
        return self.smoothing > 0

    cdef Py_ssize_t workspace(self, Py_ssize_t k) noexcept nogil:
        """Doubles of scratch memory that solve_block needs."""
        return 0

    cdef double value(self, const double* margins, Py_ssize_t k) noexcept nogil:
        """φ(m) for weight 1."""
        return NAN

    cdef void derivative(self, const double* margins, double* block, Py_ssize_t k) noexcept nogil:
        """Set block to ∂φ/∂m for weight 1, or to a subgradient where φ has a kink."""
        cdef Py_ssize_t j
        for j in range(k):
            block[j] = NAN

    cdef double conjugate(self, const double* block, double weight, Py_ssize_t k) noexcept nogil:
        """(c φ)*(−b), the term that the dual objective subtracts."""
        return NAN

    cdef double gap(self, const double* margins, const double* block, double weight,
                    Py_ssize_t k) noexcept nogil:
        """The gap of this example, c φ(m) + (c φ)*(−b) − Σ b_j (m_j − cost) ≥ 0."""
        cdef Py_ssize_t j
        cdef double linear = 0
        for j in range(k):
            if block[j] != 0:
                linear += block[j] * (margins[j] - self.cost)
        return weight * self.value(margins, k) + self.conjugate(block, weight, k) - linear

    cdef void confine(self, double* block, double weight, Py_ssize_t k) noexcept nogil:
        """Cut a block to the domain of the conjugate: 0 ≤ b_j ≤ c."""
        cdef Py_ssize_t j
        for j in range(k):
            block[j] = max(0, min(block[j], weight))

    cdef double solve_block(self, const double* margins, const double* block, double curvature,
                            double weight, double* new_block, double* work,
                            Py_ssize_t k) noexcept nogil:
        """Set new_block to the block that maximizes the dual, all others fixed; return its Σ b.

        ``curvature`` is ‖x‖² > 0.
        """
        return NAN

    cdef double rates(self, const double* block, double curvature, double* e,
                      Py_ssize_t k) noexcept nogil:
        """Set e to the rates at which entries of a block of weight 1 move; return the true class's.

        The derivative of the block of `solve_block` by the margins is diag(e) − e e'/(e_y + Σ e).
        e_j = 0 for entries at a bound. With curvature 0 the block is the `derivative` of a smooth
        loss. Where e_y is RIGID the derivative is diag(e).
        """
        return NAN

    def box(self, y):
        """None: dual blocks are no intervals."""
        return None

    @property
    def bounds(self):
        """(u, v) if φ(m) = max Σ p_j m_j over 0 ≤ p_j ≤ u with Σ p_j ≤ v; None for other losses."""
        return None

    def pieces(self, y):
        """None: dual blocks are no sums of clipped lines."""
        return None

    def lipschitz(self, Py_ssize_t k):
        """The Lipschitz constant of φ in the Euclidean norm of the k − 1 margins."""
        return INFINITY

    def smoothed(self, double smoothing):
        """This loss with (smoothing/2) ‖b‖² added to its conjugate for weight 1.

        It lies below this loss φ by at most (smoothing/2) lipschitz(k)². Raises ValueError for a
        smooth loss, and for a smoothing that is not positive and finite.
        """
        check_smoothing(self, smoothing)
        return self._smoothed(smoothing)

    def _smoothed(self, smoothing):
        raise TypeError(f"{type(self).__name__} cannot be smoothed")

    def values(self, scores, labels):
        """φ at the margins of each row of ``scores`` (n × k) against its class 0 … k − 1.

        Here and below ``weights`` and ``curvatures`` have n entries or are one number, and
        ValueError is raised for labels outside 0 … k − 1 and for arrays of other shapes.
        """
        return self._each(VALUE, scores, labels, None, 1.0, 1.0)

    def derivatives(self, scores, labels):
        """∂φ/∂m of each row, n × k, zero for its own class."""
        return self._each(DERIVATIVE, scores, labels, None, 1.0, 1.0)

    def conjugates(self, blocks, labels, weights=1.0):
        """(c φ)*(−b) of each row of ``blocks`` (n × k), without the entry of its own class."""
        return self._each(CONJUGATE, blocks, labels, blocks, weights, 1.0)

    def gaps(self, scores, labels, blocks, weights=1.0):
        """The gap of each row."""
        return self._each(GAP, scores, labels, blocks, weights, 1.0)

    def confined(self, blocks, labels, weights=1.0):
        """Each row of ``blocks`` cut to the domain of its conjugate, n × k."""
        return self._each(CONFINE, blocks, labels, blocks, weights, 1.0)

    def solve_blocks(self, scores, labels, blocks, curvatures, weights=1.0):
        """The block of each row that maximizes the dual, n × k, from the given blocks."""
        return self._each(SOLVE, scores, labels, blocks, weights, curvatures)

    def _each(self, int what, scores, labels, blocks, weights, curvatures):
        scores = np.ascontiguousarray(scores, dtype=np.float64)
        if scores.ndim != 2 or np.shape(labels) != scores.shape[:1]:
            raise ValueError(
                f"scores must be n × k and labels n, got {scores.shape} and {np.shape(labels)}"
            )
        blocks = np.zeros(scores.shape) if blocks is None else np.asarray(blocks, dtype=np.float64)
        if blocks.shape != scores.shape:
            raise ValueError(f"blocks must be {scores.shape} as the scores are, got {blocks.shape}")
        cdef Py_ssize_t n = scores.shape[0], k = scores.shape[1], k8 = (k + 7) // 8 * 8, i
        cdef Py_ssize_t[::1] label = np.array(labels, dtype=np.intp)
        numbers = np.empty((2, n))
        numbers[0], numbers[1] = weights, curvatures
        cdef double[:, ::1] given = numbers
        if n and not 0 <= np.min(label) <= np.max(label) < k:
            raise ValueError(f"labels must be classes 0 to {k - 1}, got {np.unique(labels)}")
        result = np.zeros_like(scores) if what in (DERIVATIVE, CONFINE, SOLVE) else np.zeros(n)
        memory = np.zeros(3 * k8 + self.workspace(k8) + 8)
        cdef Py_ssize_t skipped = -memory.ctypes.data % 64 // 8
        memory = memory[skipped:]
        cdef double[::1] held = memory
        cdef double* margins = &held[0]
        cdef double* block = margins + k8
        cdef double* new_block = block + k8
        for i in range(n):
            memory[:k], memory[k8:k8 + k] = scores[i], blocks[i]
            block[label[i]] = 0
            block_margins(margins, k, k8, label[i], self.cost, 1, margins)
            if what == VALUE:
                result[i] = self.value(margins, k8)
            elif what == CONJUGATE:
                result[i] = self.conjugate(block, given[0, i], k8)
            elif what == GAP:
                result[i] = self.gap(margins, block, given[0, i], k8)
            else:
                if what == DERIVATIVE:
                    self.derivative(margins, new_block, k8)
                elif what == CONFINE:
                    memory[2 * k8:3 * k8] = memory[k8:2 * k8]
                    self.confine(new_block, given[0, i], k8)
                else:
                    self.solve_block(margins, block, given[1, i], given[0, i], new_block,
                                     new_block + k8, k8)
                result[i] = memory[2 * k8:2 * k8 + k]
        return result
