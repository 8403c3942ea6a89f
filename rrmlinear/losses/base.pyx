"""The interface of losses of one score to solvers. What a loss does not offer is NaN, never 0."""

from libc.math cimport INFINITY, NAN, isinf

import numpy as np

from rrmlinear.simd.losses.clipped_arrays cimport (
    clipped_along, clipped_conjugate, clipped_derivatives, clipped_gaps, clipped_steps,
    clipped_tangent, clipped_total,
)
from rrmlinear.simd.columns cimport vector_dot3, vector_moved

cdef enum:
    CHUNK = 1024  # examples whose numbers stay in a cache between the loops of `along`

# What `_each` computes.
cdef enum:
    VALUE
    DERIVATIVE
    SECOND_DERIVATIVE
    CONJUGATE
    DUAL_STEP


cdef class ScalarLoss:
    """A loss φ(a) of one score a = x'w against a label y, and its conjugate.

    The dual variable α of an example moves the weights by c α x, c its cost, and α ∈ −∂φ(a) at the
    optimum. Labels stay outside: y is an argument.
    """

    def __cinit__(self):
        self.lipschitz = INFINITY

    cdef bint has_derivative(self) noexcept nogil:
        """Whether φ has no kink; overridden where φ' has no Lipschitz constant either."""
        return self.smoothing > 0

    @property
    def differentiable(self):
        """Whether φ has no kink."""
        return bool(self.has_derivative())

    cdef double value(self, double y, double score) noexcept nogil:
        """φ(a)."""
        return NAN

    cdef double derivative(self, double y, double score) noexcept nogil:
        """φ'(a), or a subgradient where φ has a kink."""
        return NAN

    cdef double second_derivative(self, double y, double score) noexcept nogil:
        """φ''(a) of a smooth loss; at a kink of φ', the φ'' of one side."""
        return NAN

    cdef double conjugate(self, double y, double alpha) noexcept nogil:
        """φ*(−α), infinite for α outside the domain."""
        return NAN

    cdef bint admits(self, double y, double alpha) noexcept nogil:
        """Whether α is inside the domain; overridden where that takes less than the conjugate."""
        return not isinf(self.conjugate(y, alpha))

    cdef double dual_step(self, double y, double score, double alpha,
                          double curvature) noexcept nogil:
        """The α' that maximizes −φ*(−α') − a α' − ½ curvature (α' − α)², curvature > 0."""
        return NAN

    cdef double total(self, const double* y, const double* cost, const double* scores,
                      Py_ssize_t n) noexcept nogil:
        """Σ c_i φ(a_i)."""
        cdef Py_ssize_t i
        cdef double total = 0
        for i in range(n):
            total += cost[i] * self.value(y[i], scores[i])
        return total

    cdef void all_derivatives(self, const double* y, const double* scores, double* out,
                              Py_ssize_t n) noexcept nogil:
        """φ'(a_i)."""
        cdef Py_ssize_t i
        for i in range(n):
            out[i] = self.derivative(y[i], scores[i])

    cdef void all_second_derivatives(self, const double* y, const double* scores, double* out,
                                     Py_ssize_t n) noexcept nogil:
        """φ''(a_i)."""
        cdef Py_ssize_t i
        for i in range(n):
            out[i] = self.second_derivative(y[i], scores[i])

    cdef double tangent(self, const double* y, const double* cost, const double* scores,
                        double* out, Py_ssize_t n) noexcept nogil:
        """Σ c_i φ(a_i), and φ'(a_i) in ``out``."""
        self.all_derivatives(y, scores, out, n)
        return self.total(y, cost, scores, n)

    cdef double balance(self, const double* y, const double* cost, const double* scores,
                        Py_ssize_t n) noexcept nogil:
        """The b at which Σ c_i φ'(s_i + b) = 0, nearly, where a formula gives it; else NaN."""
        return NAN

    cdef double along(self, const double* y, const double* cost, const double* scores,
                      const double* moves, double x, double* moved, double* derivatives,
                      double* total, Py_ssize_t n) noexcept nogil:
        """Σ c_i φ'(s_i) d_i at scores s = a + x d, d the ``moves``: one way through memory.

        ``total`` takes Σ c_i φ(s_i), ``moved`` s and ``derivatives`` φ'(s_i). NULL leaves out the
        total, or both arrays.
        """
        cdef double[CHUNK] some_scores
        cdef double[CHUNK] some_derivatives
        cdef double* s = some_scores
        cdef double* out = some_derivatives
        cdef double rate = 0, value = 0
        cdef Py_ssize_t begin = 0, size
        while begin < n:
            size = min(<Py_ssize_t> CHUNK, n - begin)
            if moved != NULL:
                s, out = moved + begin, derivatives + begin
            vector_moved(scores + begin, x, moves + begin, size, s)
            if total != NULL:
                value += self.tangent(y + begin, cost + begin, s, out, size)
            else:
                self.all_derivatives(y + begin, s, out, size)
            rate += vector_dot3(cost + begin, out, moves + begin, size)
            begin += size
        if total != NULL:
            total[0] = value
        return rate

    cdef double total_conjugate(self, const double* y, const double* cost, const double* alphas,
                                Py_ssize_t n) noexcept nogil:
        """Σ c_i φ*(−α_i) of examples with a cost."""
        cdef Py_ssize_t i
        cdef double total = 0
        for i in range(n):
            if cost[i] > 0:
                total += cost[i] * self.conjugate(y[i], alphas[i])
        return total

    cdef void all_dual_steps(self, const double* y, const double* scores, const double* alphas,
                             Py_ssize_t alpha_step, const double* curvatures,
                             Py_ssize_t curvature_step, double* out, Py_ssize_t n) noexcept nogil:
        """The dual steps; an array's step is 0 for one number for all examples, else 1."""
        cdef Py_ssize_t i
        for i in range(n):
            out[i] = self.dual_step(y[i], scores[i], alphas[i * alpha_step],
                                    curvatures[i * curvature_step])

    cdef double gap(self, double y, double score, double alpha) noexcept nogil:
        """φ(a) + φ*(−α) + a α ≥ 0: the gap of an example."""
        return self.value(y, score) + self.conjugate(y, alpha) + score * alpha

    cdef void all_gaps(self, const double* y, const double* scores, const double* alphas,
                       double* out, Py_ssize_t n) noexcept nogil:
        """The gaps of some examples."""
        cdef Py_ssize_t i
        for i in range(n):
            out[i] = self.gap(y[i], scores[i], alphas[i])

    def box(self, y):
        """Arrays l ≤ 0 ≤ u over labels y and a number ε such that φ*(−α) is
        −y α + ε |α| + (smoothing/2) α² on l ≤ α ≤ u; None if φ* has another form.
        """
        return None

    @property
    def has_box(self):
        """Whether φ* has the form that `box` describes: φ is quadratic or linear in pieces."""
        return self.box(np.zeros(0)) is not None

    def pieces(self, y):
        """A list of (t, o, l, u), numbers or arrays over labels y with l ≤ 0 ≤ u, one of each for
        an interval on which −φ*(−α) + (smoothing/2) α² is linear with derivative t; None if there
        are none. The dual step is the sum of clip((q α + t − a)/(q + smoothing) − o, l, u).
        """
        box = self.box(y)
        if box is None:
            return None
        lower, upper, epsilon = box
        if epsilon == 0:
            return [(y, 0.0, lower, upper)]
        return [(y - epsilon, 0.0, 0.0, upper), (y + epsilon, 0.0, lower, 0.0)]

    def smoothed(self, double smoothing):
        """This loss with (smoothing/2) α² added to its conjugate.

        It lies below this loss φ by at most (smoothing/2) lipschitz². Raises ValueError for a
        smooth loss, and for a smoothing that is not positive and finite.
        """
        check_smoothing(self, smoothing)
        return self._smoothed(smoothing)

    def enveloped(self, double curvature):
        """This loss with (curvature/2) α² added to its conjugate, where it may be smooth already.

        Losses with a kink have one, and smooth losses that say so by `has_envelope`.
        """
        return self._smoothed(self.smoothing + curvature)

    def has_envelope(self):
        """Whether `enveloped` takes this loss, and its duals have bounds at which they stay."""
        return self.lipschitz < INFINITY and self.pieces(np.ones(0)) is not None

    def _smoothed(self, smoothing):
        raise TypeError(f"{type(self).__name__} cannot be smoothed")

    def values(self, y, scores):
        """φ at arrays of labels and scores."""
        return self._each(VALUE, y, scores, 0.0, 1.0)

    def derivatives(self, y, scores):
        """φ' at arrays of labels and scores."""
        return self._each(DERIVATIVE, y, scores, 0.0, 1.0)

    def second_derivatives(self, y, scores):
        """φ'' at arrays of labels and scores."""
        return self._each(SECOND_DERIVATIVE, y, scores, 0.0, 1.0)

    def conjugates(self, y, alphas):
        """φ*(−α) at arrays of labels and dual variables."""
        return self._each(CONJUGATE, y, 0.0, alphas, 1.0)

    def count_bounded(self, const double[::1] y not None, const double[::1] alphas not None,
                      double growth):
        """The number of duals that are not 0 and leave the domain times this factor."""
        cdef Py_ssize_t i, count = 0
        with nogil:
            for i in range(alphas.shape[0]):
                if alphas[i] != 0 and not self.admits(y[i], alphas[i] * growth):
                    count += 1
        return count

    def dual_steps(self, y, scores, alphas, curvatures):
        """The dual steps from α at scores a, for arrays of each."""
        return self._each(DUAL_STEP, y, scores, alphas, curvatures)

    def _each(self, int what, y, scores, alphas, curvatures):
        given = [np.asarray(each, dtype=np.float64) for each in (y, scores, alphas, curvatures)]
        shape = np.broadcast(*given).shape
        # one number for all stays one
        y, scores, alphas, curvatures = [
            (each if each.shape in ((), shape) else np.broadcast_to(each, shape)).ravel()
            for each in given
        ]
        cdef const double[::1] label = y, score = scores, alpha = alphas, q = curvatures
        cdef Py_ssize_t label_step = label.shape[0] > 1, score_step = score.shape[0] > 1
        cdef Py_ssize_t alpha_step = alpha.shape[0] > 1, q_step = q.shape[0] > 1
        result = np.empty(shape)
        cdef double[::1] out = result.reshape(-1)
        cdef Py_ssize_t i
        for i in range(out.shape[0]):
            if what == VALUE:
                out[i] = self.value(label[i * label_step], score[i * score_step])
            elif what == DERIVATIVE:
                out[i] = self.derivative(label[i * label_step], score[i * score_step])
            elif what == SECOND_DERIVATIVE:
                out[i] = self.second_derivative(label[i * label_step], score[i * score_step])
            elif what == CONJUGATE:
                out[i] = self.conjugate(label[i * label_step], alpha[i * alpha_step])
            else:
                out[i] = self.dual_step(label[i * label_step], score[i * score_step],
                                        alpha[i * alpha_step], q[i * q_step])
        return result


def check_smoothing(loss, double smoothing):
    """Raise ValueError unless a loss can be smoothed by this number."""
    if loss.differentiable:
        raise ValueError(
            f"{type(loss).__name__} needs no smoothing: it is smooth, with smoothing "
            f"{loss.smoothing:g}"
        )
    if not 0 < smoothing < INFINITY:
        raise ValueError(f"smoothing must be positive and finite, got {smoothing}")


# Losses of one score whose dual is a clipped line, as arrays: hinges and losses of a residual.

cdef class ClippedLoss(ScalarLoss):
    """max over l ≤ α ≤ u of r α − ε |α| − (γ/2) α², r = y − a, γ being ``smoothing``.

    A subclass defines l, u and ε (clipped_arrays.h) and the methods of one example.
    """

    cdef clipped_t _clipped(self) noexcept nogil:
        cdef clipped_t form
        form.lower = form.upper = form.epsilon = 0
        form.smoothing, form.by_sign = self.smoothing, 0
        return form

    cdef double total(self, const double* y, const double* cost, const double* scores,
                      Py_ssize_t n) noexcept nogil:
        cdef clipped_t form = self._clipped()
        return clipped_total(&form, y, cost, scores, n)

    cdef void all_derivatives(self, const double* y, const double* scores, double* out,
                              Py_ssize_t n) noexcept nogil:
        cdef clipped_t form = self._clipped()
        clipped_derivatives(&form, y, scores, out, n)

    cdef double tangent(self, const double* y, const double* cost, const double* scores,
                        double* out, Py_ssize_t n) noexcept nogil:
        cdef clipped_t form = self._clipped()
        return clipped_tangent(&form, y, cost, scores, out, n)

    cdef double along(self, const double* y, const double* cost, const double* scores,
                      const double* moves, double x, double* moved, double* derivatives,
                      double* total, Py_ssize_t n) noexcept nogil:
        cdef clipped_t form = self._clipped()
        return clipped_along(&form, y, cost, scores, moves, x, moved, derivatives, total, n)

    cdef double total_conjugate(self, const double* y, const double* cost, const double* alphas,
                                Py_ssize_t n) noexcept nogil:
        cdef clipped_t form = self._clipped()
        return clipped_conjugate(&form, y, cost, alphas, n)

    cdef void all_dual_steps(self, const double* y, const double* scores, const double* alphas,
                             Py_ssize_t alpha_step, const double* curvatures,
                             Py_ssize_t curvature_step, double* out, Py_ssize_t n) noexcept nogil:
        cdef clipped_t form = self._clipped()
        clipped_steps(&form, y, scores, alphas, alpha_step, curvatures, curvature_step, out, n)

    cdef void all_gaps(self, const double* y, const double* scores, const double* alphas,
                       double* out, Py_ssize_t n) noexcept nogil:
        cdef clipped_t form = self._clipped()
        clipped_gaps(&form, y, scores, alphas, out, n)
