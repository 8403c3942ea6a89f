"""Quadratic programs on the simplex that grow one variable at a time, and sums of planes."""

from libc.math cimport INFINITY, fabs, fmin
from libc.stdint cimport uint8_t

import numpy as np

from rrmlinear.core.deadline import check_time
from rrmlinear.simd.columns cimport columns_add, columns_times, vector_axpy
from rrmlinear.solvers.bundle._active_set cimport INSIDE, OUTSIDE, REFUSED, SimplexSteps
from rrmlinear.solvers.bundle._active_set import grown

# Limit on steps for each variable: more than any program has needed.
cdef Py_ssize_t STEPS_PER_VARIABLE = 50
# Multiplications between two looks at the clock.
cdef Py_ssize_t CHECKED_WORK = 1 << 24
# The minimum over the set is recomputed up to this often; a violation left then is rounding.
cdef int MAX_REFINEMENTS = 2
# Rounding of β'g, relative to Σ β_j (|b_j| + Q_jj).
cdef double VIOLATION_ROUNDING = 4 * 2.220446049250313e-16


cdef class SimplexQP(SimplexSteps):
    """minimize ½ β'Qβ − b'β over β ≥ 0, Σ β_i = 1, Q symmetric and positive semidefinite.

    `append` adds variables and `keep` drops them. `solve` starts at the end of the last one, with
    β_i = 0 for new variables, and never ends at a larger objective. It is an active-set method with
    an updated Cholesky factor, exact up to rounding, also for singular Q and equal variables. A
    variable that would make the factor singular enters along the direction without curvature until
    another leaves.
    """

    cdef double[::1] b
    cdef bint settled               # β is the minimum over the set
    cdef bint ended
    cdef int refined

    def __cinit__(self, Py_ssize_t capacity=16):
        self.b = np.zeros(1)
        self._grow(max(capacity, 1))

    def _grow(self, Py_ssize_t capacity):
        self.grow(capacity)
        self.b = grown(self.b, (capacity,))

    def __len__(self):
        return self.set.size

    @property
    def beta(self):
        """The solution, a copy."""
        return np.array(self.set.beta[:self.set.size])

    @property
    def gradient(self):
        """Qβ − b at the solution, a copy."""
        return np.array(self.g[:self.set.size])

    @property
    def objective(self):
        """½ β'Qβ − b'β."""
        return float(self.beta @ (self.gradient - self.b[:self.set.size])) / 2

    def append(self, products, double b):
        """Add a variable: its products with those before it and with itself, and its b."""
        cdef Py_ssize_t size = self.set.size, i
        row = np.ascontiguousarray(products, dtype=np.float64)
        if row.shape != (size + 1,):
            raise ValueError(f"products must be {size + 1} numbers, got shape {row.shape}")
        if not (np.isfinite(row).all() and np.isfinite(b)):
            raise ValueError("products and b must be finite")
        cdef const double[::1] entries = row
        if size == self.set.capacity:
            self._grow(2 * size)
        for i in range(size + 1):
            self.set.Q[size, i] = self.set.Q[i, size] = entries[i]
        self.b[size], self.set.beta[size], self.set.state[size] = b, 0, OUTSIDE
        self.set.size = size + 1
        if size == 0:
            self.start(np.ones(1))

    def replace(self, Q, b):
        """Replace Q and b; the next `solve` starts at β."""
        size = self.set.size
        Q, b = np.asarray(Q, dtype=np.float64), np.asarray(b, dtype=np.float64)
        if Q.shape != (size, size) or b.shape != (size,):
            raise ValueError(
                f"Q and b must be of {size} variables, got shapes {Q.shape} and {b.shape}")
        np.asarray(self.set.Q)[:size, :size] = Q
        np.asarray(self.b)[:size] = b
        self.set.factor()

    def start(self, beta):
        """Start the next `solve` at the positive part of β, scaled to a sum of 1."""
        size = self.set.size
        beta = np.maximum(np.asarray(beta, dtype=np.float64), 0)
        if beta.shape != (size,) or not 0 < beta.sum() < np.inf:
            raise ValueError(f"beta must be {size} finite numbers, one of them above 0")
        chosen = np.flatnonzero(beta)
        np.asarray(self.set.beta)[:size] = beta / beta.sum()
        np.asarray(self.set.state)[:size] = np.where(beta > 0, INSIDE, OUTSIDE)
        np.asarray(self.set.order)[:len(chosen)] = chosen
        self.set.active = len(chosen)
        self.set.factor()

    def keep(self, chosen):
        """Drop all others, which must have β_i = 0; ``chosen`` is in rising order."""
        active = self.set.active
        chosen = np.asarray(chosen, dtype=np.intp)
        size, place = len(chosen), np.full(self.set.size, -1)
        place[chosen] = np.arange(size)
        Q, order = np.asarray(self.set.Q), np.asarray(self.set.order)
        kept = place[order[:active]]
        if (kept < 0).any():
            raise ValueError("a variable with a weight cannot go")
        Q[:size, :size] = Q[np.ix_(chosen, chosen)]
        for array in [np.asarray(self.b), np.asarray(self.g), np.asarray(self.set.beta),
                      np.asarray(self.set.state)]:
            array[:size] = array[chosen]
        order[:active] = kept
        self.set.size = size

    def solve(self, double tolerance=0):
        """Lower the objective to at most ``tolerance`` above its minimum, or as far as rounding
        lets it. Returns a bound on its excess, β'g − min g with g = Qβ − b. Raises TimeIsUpError
        after the deadline, β being no worse than before.
        """
        cdef double violation
        cdef Py_ssize_t j, size = self.set.size, left = STEPS_PER_VARIABLE * (size + 20)
        cdef Py_ssize_t some
        if size == 0:
            raise ValueError("a simplex of no variables is empty")
        for j in range(size):
            if self.set.state[j] == REFUSED:
                self.set.state[j] = OUTSIDE
        self.settled, self.refined, self.ended = False, 0, False
        while True:
            some = min(left, max(1, CHECKED_WORK // (size * size)))
            with nogil:
                violation = self._solve(tolerance, some)
            left -= some
            if self.ended or left == 0:
                return violation
            check_time()

    cdef double _solve(self, double tolerance, Py_ssize_t most_steps) noexcept nogil:
        # From β, whose support is the set, towards the minimum. Each step lowers the objective, so
        # that β is no worse than before wherever this ends.
        cdef double violation = INFINITY, rounding, pivot
        cdef Py_ssize_t entering, number
        for number in range(most_steps + 1):
            if self.set.is_stale():
                self.set.factor()
                self.settled = False
            self._look()
            violation = self._violation(&entering, &rounding)
            if violation <= tolerance or violation <= rounding:
                self.ended = True
                break
            if number == most_steps:
                break
            if not self.settled or entering < 0:
                if entering < 0:
                    if self.refined == MAX_REFINEMENTS:
                        self.ended = True
                        break       # a violation within the set itself is rounding
                    self.refined += 1
                self._descend(False)
                self.settled = True
                continue
            pivot = self.set.pivot(entering)
            if not self.set.is_independent(entering, pivot):
                self.settled = False
                if not self._exchange(entering, pivot):
                    self.set.state[entering] = REFUSED
                continue
            self.set.enter(entering, pivot)
            if not self._descend(True):
                self.set.leave(self.set.active - 1)
                self.set.state[entering] = REFUSED
        return violation

    cdef void _look(self) noexcept nogil:
        # Scale β to a sum of 1, and set g to the gradient there.
        cdef double total = 0
        cdef Py_ssize_t i, j
        for i in range(self.set.active):
            total += self.set.beta[self.set.order[i]]
        for j in range(self.set.size):
            self.g[j] = -self.b[j]
        for i in range(self.set.active):
            j = self.set.order[i]
            self.set.beta[j] /= total
            vector_axpy(&self.g[0], self.set.beta[j], &self.set.Q[j, 0], self.set.size)

    cdef double _violation(self, Py_ssize_t* entering, double* rounding) noexcept nogil:
        # β'g − min g, a bound on the objective minus its minimum; the variable with that g among
        # those that may enter, or −1; and the part of the bound that may be rounding.
        cdef double mean = 0, least = INFINITY, scale = 0, enters = INFINITY
        cdef Py_ssize_t i, j
        entering[0] = -1
        for i in range(self.set.active):
            j = self.set.order[i]
            mean += self.set.beta[j] * self.g[j]
            scale += self.set.beta[j] * (fabs(self.b[j]) + self.set.Q[j, j])
        for j in range(self.set.size):
            least = fmin(least, self.g[j])
            if self.set.state[j] == OUTSIDE and self.g[j] < enters:
                enters = self.g[j]
                entering[0] = j
        rounding[0] = VIOLATION_ROUNDING * scale
        if enters >= mean - rounding[0]:
            entering[0] = -1
        return mean - least


def minimize_on_simplex(Q, b, start=None):
    """minimize ½ β'Qβ − b'β over β ≥ 0, Σ β_i = 1; returns β.

    Q is n × n, symmetric and positive semidefinite, b and ``start`` have n entries. ValueError for
    other shapes and for numbers that are not finite.
    """
    Q, b = np.asarray(Q, dtype=np.float64), np.asarray(b, dtype=np.float64)
    qp = SimplexQP(len(b))
    for j in range(len(b)):
        qp.append(Q[j, :j + 1], b[j])
    if start is not None:
        qp.start(start)
    qp.solve()
    return qp.beta


# Products with the planes of a model and their sums, and derivatives kept in a byte each.

cdef enum:
    MAX_NUMBERS = 16     # different numbers in a table, which is searched from its start


def products(const double[:, ::1] A not None, const double[::1] v not None,
             double[::1] out not None):
    """out ← A v."""
    with nogil:
        columns_times(&A[0, 0], A.shape[0], A.shape[1], &v[0], &out[0])


def add_combination(const double[:, ::1] A not None, const double[::1] weights not None,
                    double[::1] out not None):
    """out ← out + A' weights."""
    with nogil:
        columns_add(&A[0, 0], A.shape[0], A.shape[1], &weights[0], &out[0])


def pack(const double[::1] array not None):
    """(codes, table), table[codes] equal to the array, or None if more than MAX_NUMBERS differ."""
    cdef Py_ssize_t i, n = array.shape[0]
    cdef int code = 0, count = 0
    cdef double x
    table, codes = np.zeros(MAX_NUMBERS), np.empty(n, dtype=np.uint8)
    cdef double[::1] known = table
    cdef uint8_t[::1] out = codes
    with nogil:
        for i in range(n):
            x = array[i]
            if code == count or known[code] != x:
                code = 0
                while code < count and known[code] != x:
                    code += 1
                if code == count:
                    if count == MAX_NUMBERS:
                        count += 1
                        break
                    known[count] = x
                    count += 1
            out[i] = code
    return None if count > MAX_NUMBERS else (codes, table[:count].copy())
