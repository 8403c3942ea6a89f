"""F(w) = Σ_i c_i φ(x_i'w, y_i) over all examples, and under conditions on its duals."""

from libc.math cimport NAN, INFINITY

from rrmlinear.simd.products cimport rows_add, rows_times
from rrmlinear.data.rows cimport Rows, cached_rows
from rrmlinear.losses.base cimport ScalarLoss
from rrmlinear.risks.terms cimport ScalarTerms, one_or_all

import numpy as np

from rrmlinear.risks.base import Conditioned, Unconditioned
from rrmlinear.risks.hessian import Hessian
from rrmlinear.risks.shares import Shares


cdef class ScalarRisk:
    """F of a loss of one score. Scores, derivatives and duals have n entries, weights ``shape``.

    F(w) = at(scores(w)).value and ∇F(w) = gradient(at(scores(w)).derivatives). Minus the
    derivatives are duals α; they move the weights by Σ c_i α_i x_i = gradient(α).

    ``condition`` binds the duals: an `Intercept`, a `Budget`, or both. With an intercept F is the
    minimum over b of Σ c_i φ(x_i'w + b, y_i). ``rows.bias`` > 0 is then the value of an appended
    column that scores leave out, and `complete` gives the weight b / bias that it has in a Result.

    ``threads`` share the products with the data if these are large enough; the same number of
    threads gives the same bits. Sums are in double precision for data of any precision.

    Raises ValueError for a loss of several scores, and with an intercept for rows without such a
    column and without a cost above 0.
    """

    def __cinit__(self, Rows rows not None, loss, const double[::1] y not None,
                  const double[::1] costs not None, int threads=1, condition=None):
        if not isinstance(loss, ScalarLoss):
            raise ValueError(
                f"this risk takes a loss of one score, and {type(loss).__name__} is one of several"
            )
        self.bias = 1
        if condition is not None and condition.has_intercept:
            self.bias = self._bias(rows)
            rows = rows.with_bias(-1.0)
        self.rows, self.loss, self.y, self.cost = rows, loss, y, costs
        self.labels, self.costs = np.asarray(y), np.asarray(costs)
        self.n = rows.c.n_rows
        self.threads = threads
        self.shares = Shares(rows, threads)
        self.terms = ScalarTerms(loss, y, costs)
        self.spec = condition
        self.condition = None if condition is None else condition.over(self.terms)

    def _bias(self, rows):
        if not rows.bias > 0:
            raise ValueError(f"an intercept takes an appended column, and bias is {rows.bias}")
        return rows.bias

    @property
    def offers(self):
        """See `Risk.offers`."""
        if self.offered is None:
            own = {"hessian", "box"} if self.condition is None else self.condition.offers
            envelope = {"envelope"} if self.loss.has_envelope() else set()
            self.offered = frozenset({"gram"} | envelope | own)
        return self.offered

    @property
    def shape(self):
        """The shape of the weights."""
        return (self.rows.width,)

    @property
    def separate(self):
        """(d, k): d weights in each of k columns; each example uses one column."""
        return self.rows.width, 1

    @property
    def lipschitz(self):
        """The Lipschitz constant of the loss."""
        return self.loss.lipschitz

    def smoothed(self, double smoothing):
        """The risk with (smoothing/2) α² added to the conjugate of the loss."""
        return self.of_loss(self.loss.enveloped(smoothing))

    def of_loss(self, loss):
        """The risk with another loss."""
        rows = self.rows
        if self.spec is not None and self.spec.has_intercept:
            rows = rows.with_bias(self.bias)
        return ScalarRisk(rows, loss, self.y, self.cost, self.threads, self.spec)

    def scores(self, const double[::1] w not None):
        """X w."""
        result = np.empty(self.n)
        self.shares.run(self._scores, w, result)
        return result

    def _scores(self, const double[::1] w not None, double[::1] out not None, Py_ssize_t part,
                Py_ssize_t begin, Py_ssize_t end):
        cdef Py_ssize_t first, last
        if w.shape[0] == 0:
            out[begin:end] = 0
        elif begin < end:
            for first, last in self.rows.spans(begin, end):
                with nogil:
                    rows_times(&self.rows.c, first, last, &w[0], &out[0])

    def at(self, scores, warm=None):
        """F at these scores."""
        if self.condition is None:
            return Unconditioned(self, self.terms, scores)
        return Conditioned(self, self.terms, scores, self.condition, warm)

    def gram(self, costs=None):
        """G = Σ c_i x_i x_i', d × d: Σ c_i a_i² ≥ v'G⁻¹v for v = Σ c_i a_i x_i.

        If the duals sum to 0, rows are centred by their mean weighted with costs. Other ``costs``
        may be given in place of those of the examples.
        """
        free = (np.ones(self.n),) if "balance" in self.offers else ()
        return Hessian(self.rows, self.costs if costs is None else costs, free).matrix()

    def gradient(self, const double[::1] derivatives not None):
        """Σ c_i s_i x_i."""
        result = np.zeros(self.rows.width)
        others = np.empty((self.shares.threads - 1, self.rows.width))
        self.shares.run(self._gradient, derivatives, result, others)
        for sums in others:
            result += sums
        return result

    def _gradient(self, const double[::1] derivatives not None, out, others, Py_ssize_t part,
                  Py_ssize_t begin, Py_ssize_t end):
        # the first part adds to out, every other part to an array of its own
        cdef double[::1] sum = others[part - 1] if part else out
        cdef Py_ssize_t first, last
        if part:
            sum[:] = 0
        if begin < end and sum.shape[0]:
            for first, last in self.rows.spans(begin, end):
                with nogil:
                    rows_add(&self.rows.c, first, last, &self.cost[0], &derivatives[0], &sum[0])

    def conjugate(self, alphas):
        """Σ (c_i φ)*(−c_i α_i) = Σ c_i φ*(−α_i); infinite where the condition does not hold."""
        if self.condition is not None and not self.condition.admits(alphas):
            return INFINITY
        return self.terms.conjugate(alphas)

    def dual_steps(self, scores, alphas, curvatures, warm=None):
        """(α', warm): the duals that maximize Σ c_i [−φ*(−α_i') − s_i α_i' − ½ q_i (α_i' − α_i)²].

        ``alphas`` and ``curvatures``, q > 0, have n entries or are one number. In variables
        c_i α_i under ½ L ‖·‖², q_i is L c_i. From α = 0 with q = μ the steps are −φ_μ'(s_i), the
        derivatives of the loss smoothed by μ.
        """
        if self.condition is None:
            return self.terms.dual_steps(scores, alphas, curvatures), None
        return self.condition.dual_steps(scores, alphas, curvatures, warm)

    def sweep(self, w, alphas, double curvature, bint value=True, warm=None):
        """(α', Σ c_i α_i' x_i, F(w), warm), α' the `dual_steps` at scores X w.

        Without a condition it reads the rows once from memory. F(w) is NaN without ``value``.
        """
        if self.condition is not None:
            scores = self.scores(w)
            steps, warm = self.dual_steps(scores, alphas, curvature, warm)
            return steps, self.gradient(steps), self.at(scores).value if value else NAN, warm
        steps, image = np.empty(self.n), np.zeros(self.rows.width)
        others = np.empty((self.shares.threads - 1, self.rows.width))
        block = cached_rows(self.rows)
        values = self.shares.run(self._sweep, w, one_or_all(alphas, self.n), curvature, value,
                                 steps, image, others, block)
        for sums in others:
            image += sums
        return steps, image, sum(values) if value else NAN, None

    def _sweep(self, const double[::1] w not None, const double[::1] alpha not None,
               double curvature, bint value, double[::1] out not None, image, others,
               Py_ssize_t block, Py_ssize_t part, Py_ssize_t begin, Py_ssize_t end):
        # the first part adds to image, every other part to an array of its own
        cdef double[::1] sum = others[part - 1] if part else image
        cdef Py_ssize_t alpha_step = alpha.shape[0] > 1, i, stop, first, last
        cdef double[::1] scores = np.zeros(max(1, min(block, end - begin)))
        cdef double total = 0
        cdef double* s = &scores[0]
        if part:
            sum[:] = 0
        for first, last in self.rows.spans(begin, end):
            with nogil:
                i = first
                while i < last:
                    stop = min(i + block, last)
                    if w.shape[0]:
                        rows_times(&self.rows.c, i, stop, &w[0], s - i)
                    if value:
                        total += self.loss.total(&self.y[i], &self.cost[i], s, stop - i)
                    self.loss.all_dual_steps(&self.y[i], s, &alpha[i * alpha_step], alpha_step,
                                             &curvature, 0, &out[i], stop - i)
                    if sum.shape[0]:
                        rows_add(&self.rows.c, i, stop, &self.cost[0], &out[0], &sum[0])
                    i = stop
        return total

    def duals(self, alphas):
        """The duals α in the form that a Result holds."""
        return alphas

    def complete(self, w, at=None):
        """The weights w in the form that a Result holds: with the best intercept, if there is one.

        ``at`` is F at their scores, if known.
        """
        if self.spec is None or not self.spec.has_intercept:
            return w
        at = self.at(self.scores(w)) if at is None else at
        return np.append(w, at.intercept / self.bias)
