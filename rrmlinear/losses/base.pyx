"""What solvers know of a loss. What a loss does not offer is not a number, never a silent zero."""

from libc.math cimport NAN


cdef class BlockLoss:
    """A loss of the k scores of one example, c · φ(m), in the margins m_j = cost + s_j − s_y.

    Its dual variable is a block b of k numbers, b_y = 0, which moves the weights by
    (Σ b) x for the true class and −b_j x for class j. Arrays have k entries, k a multiple of 8,
    aligned to 64 bytes; margins of the true class and of padding are excluded (−1e300) and their b
    is zero. ``weight`` is the example's cost c.
    """

    cdef Py_ssize_t workspace(self, Py_ssize_t k) noexcept nogil:
        """Doubles of scratch memory that solve_block needs."""
        return 0

    cdef double value(self, const double* margins, Py_ssize_t k) noexcept nogil:
        """φ(m) for weight 1."""
        return NAN

    cdef double conjugate(self, const double* block, double weight, Py_ssize_t k) noexcept nogil:
        """(c φ)*(−b), in the sign that the dual objective subtracts."""
        return NAN

    cdef double gap(self, const double* margins, const double* block, double weight,
                    Py_ssize_t k) noexcept nogil:
        """This example's part of the duality gap, c φ(m) + (c φ)*(−b) − Σ b_j (m_j − cost) ≥ 0."""
        cdef Py_ssize_t j
        cdef double linear = 0
        for j in range(k):
            if block[j] != 0:
                linear += block[j] * (margins[j] - self.cost)
        return weight * self.value(margins, k) + self.conjugate(block, weight, k) - linear

    cdef double solve_block(self, const double* margins, const double* block, double curvature,
                            double weight, double* new_block, double* work,
                            Py_ssize_t k) noexcept nogil:
        """Set new_block to what maximizes the dual, all others fixed, and return its Σ b.

        ``curvature`` is ‖x‖² > 0.
        """
        return NAN
