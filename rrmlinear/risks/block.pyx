"""F(W) = Σ_i c_i φ(W'x_i, y_i) over all examples, for losses of k scores."""

from libc.math cimport INFINITY, NAN
from libc.stdint cimport int32_t, int64_t, uintptr_t
from libc.string cimport memcpy, memset

from rrmlinear.simd.blocks cimport block_margins
from rrmlinear.data.rows cimport Rows
from rrmlinear.losses.block_base cimport BlockLoss

import numpy as np

from rrmlinear.data.rows import aligned_zeros
from rrmlinear.risks._class_rates import ClassRates
from rrmlinear.risks.block_evaluation import BalancedEvaluation, BlockEvaluation
from rrmlinear.risks.block_hessian import BlockHessian
from rrmlinear.risks.class_products import ClassProducts
from rrmlinear.risks.hessian import Hessian


cdef struct room_t:            # scratch memory of one example: lines of k8 numbers
    double* line
    double* margin
    double* block
    double* new_block
    double* work


cdef class BlockRisk:
    """F of a loss of k scores. Scores, derivatives and duals are n × k, weights d × k.

    With a ``smoothing`` μ each loss is max over α of −φ*(−α) − s'α − ½ μ ‖α‖², in all k numbers
    of α. A ``condition`` is an `Intercept` or None: F is then the minimum over b ∈ R^k of the
    losses at scores W'x_i + b. For the rest, ``threads`` included, see `ScalarRisk`.
    """

    cdef readonly Rows rows
    cdef readonly BlockLoss loss
    cdef readonly object costs
    cdef readonly int threads
    cdef readonly double smoothing
    cdef readonly object terms         # F without the condition, as a function of the scores
    cdef readonly object rates_of_classes
    cdef readonly object labels
    cdef readonly object condition
    cdef object spec
    cdef readonly object products
    cdef double bias
    cdef const int32_t[::1] label
    cdef const double[::1] cost
    cdef Py_ssize_t n
    cdef Py_ssize_t k
    cdef Py_ssize_t k8

    def __cinit__(self, Rows rows not None, BlockLoss loss not None,
                  const int32_t[::1] label not None, Py_ssize_t k, const double[::1] costs not None,
                  int threads=1, double smoothing=0.0, condition=None):
        self.spec, self.terms, self.bias = condition, self, rows.bias
        if condition is not None:
            self.terms = BlockRisk(rows, loss, label, k, costs, threads, smoothing)
            rows = rows.with_bias(-1.0)
        self.rows, self.loss, self.label, self.cost, self.k = rows, loss, label, costs, k
        self.smoothing, self.labels = smoothing, np.asarray(label)
        self.costs = np.asarray(costs)[:, np.newaxis]
        self.rates_of_classes = ClassRates(loss, label, costs, k)
        self.condition = None if condition is None else condition.over(self.terms)
        self.n, self.k8 = rows.c.n_rows, (k + 7) // 8 * 8
        self.threads = threads
        self.products = ClassProducts(rows, costs, k, threads)

    @property
    def offers(self):
        """See `Risk.offers`."""
        plain = frozenset({"gram", "hessian"})
        return plain if self.condition is None else plain | self.condition.offers

    @property
    def shape(self):
        """The shape of the weights."""
        return (self.rows.width, self.k)

    @property
    def separate(self):
        """(d, 1): the Gram matrix of d features serves each column of weights."""
        return self.rows.width, 1

    @property
    def lipschitz(self):
        """The Lipschitz constant of the loss."""
        return self.loss.lipschitz(self.k)

    def smoothed(self, double smoothing):
        """The risk with this smoothing."""
        return BlockRisk(self.rows.with_bias(self.bias), self.loss, self.label, self.k, self.cost,
                         self.threads, smoothing, self.spec)

    def of_loss(self, BlockLoss loss not None):
        """The risk with another loss."""
        return BlockRisk(self.rows.with_bias(self.bias), loss, self.label, self.k, self.cost,
                         self.threads, 0.0, self.spec)

    cdef object _memory(self, room_t* room):
        # the memory is freed with the object returned
        memory = aligned_zeros(1, 4 * self.k8 + self.loss.workspace(self.k8))
        room.line = <double*> <uintptr_t> memory.ctypes.data
        room.margin, room.block = room.line + self.k8, room.line + 2 * self.k8
        room.new_block, room.work = room.line + 3 * self.k8, room.line + 4 * self.k8
        return memory

    def scores(self, w):
        """X W."""
        return self.products.scores(w)

    def at(self, scores, warm=None):
        """F at these scores."""
        if self.condition is None:
            return BlockEvaluation(self, self, scores)
        return BalancedEvaluation(self, self.terms, scores, self.condition, warm)

    cdef void _look(self, room_t* room, Py_ssize_t i, const double* scores) noexcept nogil:
        # room.margin = the margins of example i
        if scores != room.line:
            memcpy(room.line, scores, self.k * sizeof(double))
        block_margins(room.line, self.k, self.k8, self.label[i], self.loss.cost, 1, room.margin)

    cdef double _derive(self, room_t* room, Py_ssize_t i, bint value) noexcept nogil:
        # room.new_block = ∂φ/∂m at room.margin; returns φ if value
        cdef double squares = 0, linear = 0, sum = 0, b
        cdef Py_ssize_t j
        if self.smoothing == 0:
            self.loss.derivative(room.margin, room.new_block, self.k8)
            return self.loss.value(room.margin, self.k8) if value else 0
        memset(room.block, 0, self.k8 * sizeof(double))
        self.loss.solve_block(room.margin, room.block, self.smoothing, 1, room.new_block, room.work,
                              self.k8)
        if not value:
            return 0
        for j in range(self.k):
            b = room.new_block[j]
            if b != 0:
                linear += b * (room.margin[j] - self.loss.cost)
                squares += b * b
                sum += b
        return (linear - self.loss.conjugate(room.new_block, 1, self.k8)
                - self.smoothing / 2 * (squares + sum * sum))

    def total(self, const double[:, ::1] scores not None):
        """Σ c_i φ."""
        cdef Py_ssize_t i
        cdef double total = 0
        cdef room_t room
        _memory = self._memory(&room)
        with nogil:
            for i in range(self.n):
                self._look(&room, i, &scores[i, 0])
                if self.smoothing > 0:
                    total += self.cost[i] * self._derive(&room, i, True)
                else:
                    total += self.cost[i] * self.loss.value(room.margin, self.k8)
        return total

    def derivatives(self, scores):
        """∂φ/∂s_ij, whose sum over j is 0."""
        return self._tangent(scores, None, 0.0, False)[1]

    def tangent(self, scores):
        """(Σ c_i φ, ∂φ/∂s_ij): one way through memory."""
        return self._tangent(scores, None, 0.0, True)[:2]

    def along(self, scores, moves, double x, bint value, rates=None):
        """(d/dx Σ c_i φ, Σ c_i φ, ∂φ/∂s_ij, scores) at the scores + x · moves.

        The d/dx c_i φ are written to ``rates``.
        """
        total, derivatives, rate, scores = self._tangent(scores, moves, x, value, rates)
        return rate, total, derivatives, scores

    def rates(self, const double[:, ::1] scores not None, const double[:, ::1] moves not None,
              double x, const int64_t[::1] some not None, double[::1] rates not None):
        """Write d/dx c_i φ at the scores + x · moves to ``rates``, for ``some`` examples."""
        cdef Py_ssize_t a, i, j
        cdef double sum
        cdef room_t room
        _memory = self._memory(&room)
        with nogil:
            for a in range(some.shape[0]):
                i = some[a]
                for j in range(self.k):
                    room.line[j] = scores[i, j] + x * moves[i, j]
                self._look(&room, i, room.line)
                self._derive(&room, i, False)
                sum = 0
                for j in range(self.k):
                    sum += room.new_block[j] * (moves[i, j] - moves[i, self.label[i]])
                rates[i] = self.cost[i] * sum

    def _tangent(self, const double[:, ::1] scores not None, const double[:, ::1] moves=None,
                 double x=0, bint value=False, double[::1] rates=None):
        cdef bint along = moves is not None
        result = np.empty((self.n, self.k))
        place = np.empty((self.n, self.k)) if along else None
        cdef double[:, ::1] out = result, moved = place
        cdef Py_ssize_t i, j
        cdef double total = 0, rate = 0, sum
        cdef room_t room
        _memory = self._memory(&room)
        with nogil:
            for i in range(self.n):
                if along:
                    for j in range(self.k):
                        moved[i, j] = scores[i, j] + x * moves[i, j]
                    self._look(&room, i, &moved[i, 0])
                else:
                    self._look(&room, i, &scores[i, 0])
                total += self.cost[i] * self._derive(&room, i, value)
                self._balance(&room, i, 1, &out[i, 0])
                if along:
                    sum = 0
                    for j in range(self.k):
                        sum += out[i, j] * moves[i, j]
                    rate += self.cost[i] * sum
                    if rates is not None:
                        rates[i] = self.cost[i] * sum
        return total, result, rate, place

    cdef void _balance(self, room_t* room, Py_ssize_t i, double sign,
                       double* out) noexcept nogil:
        # new_block times sign, with the entry of the own class that makes the sum 0
        cdef Py_ssize_t j
        cdef double total = 0
        room.new_block[self.label[i]] = 0
        for j in range(self.k):
            total += room.new_block[j]
            out[j] = sign * room.new_block[j]
        out[self.label[i]] = -sign * total

    def gram(self):
        """Σ c_i x_i x_i', d × d, which serves each of the k columns of weights.

        With intercepts rows are centred by their mean weighted with costs.
        """
        free = () if self.condition is None else (np.ones(self.n),)
        return Hessian(self.rows, self.costs.ravel(), free).matrix()

    def hessian(self, derivatives):
        """∇²F where the losses have these derivatives: Σ c_i x_i x_i' ⊗ M_i, M_i the derivative of
        theirs by the scores. A loss with a kink has it with a smoothing alone.
        """
        active = self.rates_of_classes.active(derivatives, self.smoothing)
        return BlockHessian(self.rows, self.k, *active)

    def gradient(self, derivatives):
        """Σ c_i x_i s_i', d × k."""
        return self.products.adjoint(derivatives)

    def conjugate(self, const double[:, ::1] alphas not None):
        """Σ (c_i φ)*(−c_i α_i); infinite where the condition does not hold."""
        cdef Py_ssize_t i, j
        cdef double total = 0
        cdef room_t room
        if self.condition is not None and not self.condition.admits(np.asarray(alphas)):
            return INFINITY
        _memory = self._memory(&room)
        with nogil:
            for i in range(self.n):
                if self.cost[i] == 0:
                    continue
                for j in range(self.k):
                    room.block[j] = -self.cost[i] * alphas[i, j]
                room.block[self.label[i]] = 0
                total += self.loss.conjugate(room.block, self.cost[i], self.k8)
        return total

    def dual_steps(self, const double[:, ::1] scores not None, alphas, curvatures, warm=None):
        """(α', warm): the row α' of each example, n × k with sums 0, that maximizes
        −φ*(−α') − s_i'α' − ½ q_i ‖α' − α_i‖²; with intercepts all of them together.

        ``alphas`` is n × k or one row or number, ``curvatures``, q > 0, have n entries or are one
        number. From α = 0 with q = μ the steps are minus the derivatives of the loss smoothed by
        μ, if its smoothing is the same square, ½ μ ‖·‖² of k numbers.
        """
        if self.condition is not None:
            return self.condition.dual_steps(np.asarray(scores), alphas, curvatures, warm)
        result = np.empty((self.n, self.k))
        cdef double[:, ::1] out = result
        cdef const double[:, :] alpha = np.broadcast_to(np.float64(alphas), (self.n, self.k))
        cdef const double[:] q = np.broadcast_to(np.float64(curvatures), self.n)
        cdef Py_ssize_t i, j
        cdef room_t room
        _memory = self._memory(&room)
        with nogil:
            for i in range(self.n):
                self._look(&room, i, &scores[i, 0])
                for j in range(self.k):
                    room.block[j] = -alpha[i, j]
                room.block[self.label[i]] = 0
                self.loss.solve_block(room.margin, room.block, q[i], 1, room.new_block, room.work,
                                      self.k8)
                self._balance(&room, i, -1, &out[i, 0])
        return result, None

    def sweep(self, w, alphas, double curvature, bint value=True, warm=None):
        """(α', Σ c_i x_i α_i', F(W), warm), α' the `dual_steps` at scores X W.

        F(W) is NaN without ``value``.
        """
        scores = self.scores(w)
        steps, warm = self.dual_steps(scores, alphas, curvature, warm)
        return steps, self.gradient(steps), self.at(scores).value if value else NAN, warm

    def complete(self, w, at=None):
        """The weights W in the form that a Result holds: with the best intercepts, if any."""
        if self.condition is None:
            return w
        at = self.at(self.scores(w)) if at is None else at
        return np.vstack([w, at.intercept / self.bias])

    def duals(self, alphas):
        """The blocks b_i of the loss, n × k, times the costs; the entry of the own class is 0."""
        blocks = -self.costs * alphas
        blocks[np.arange(self.n), self.label] = 0
        return blocks
