"""Quadratic programs on the simplex, that grow and shrink by a variable at a time."""

from libc.stdint cimport uintptr_t

import numpy as np

cdef extern from "simplex_qp.h" nogil:
    ctypedef struct qp_t:
        Py_ssize_t size, stride, active, changes
        double* Q
        double* L
        double* b
        double* beta
        double* g
        Py_ssize_t* order
        char* state
        double* step
        double* ones
        double* line
        double tau

    enum:
        QP_OUT
        QP_IN

    double qp_solve(qp_t* q, double tolerance, Py_ssize_t most_steps)
    void qp_factor(qp_t* q)

# More steps than any program has needed, a variable.
cdef Py_ssize_t STEPS = 50


cdef class SimplexQP:
    """minimize ½ β'Qβ − b'β over β ≥ 0, Σ β_i = 1, Q symmetric and positive semidefinite.

    Variables come by `append` and go by `keep`; `solve` starts where the last one ended, with β_i
    = 0 for what came since, and never ends at a larger objective. An active set with an updated
    Cholesky factor: exact but for rounding, singular Q and equal variables included.
    """

    cdef qp_t c
    cdef object memory

    def __cinit__(self, Py_ssize_t capacity=16):
        self.memory = None
        self._allocate(max(capacity, 1))
        self.c.size = self.c.active = self.c.changes = 0
        self.c.tau = 1

    def _allocate(self, Py_ssize_t stride):
        old, size = self.memory, self.c.size
        new = {name: np.zeros((stride, stride)) for name in ("Q", "L")}
        new |= {name: np.zeros(stride) for name in ("b", "beta", "g", "step", "ones", "line")}
        new["order"], new["state"] = np.zeros(stride, np.intp), np.zeros(stride, np.int8)
        if old is not None:
            for name, array in old.items():
                if array.ndim == 2:
                    new[name][:size, :size] = array[:size, :size]
                else:
                    new[name][:size] = array[:size]
        self.memory, self.c.stride = new, stride
        self.c.Q, self.c.L = _at(new["Q"]), _at(new["L"])
        self.c.b, self.c.beta, self.c.g = _at(new["b"]), _at(new["beta"]), _at(new["g"])
        self.c.step, self.c.ones, self.c.line = _at(new["step"]), _at(new["ones"]), _at(new["line"])
        self.c.order = <Py_ssize_t*> <uintptr_t> new["order"].ctypes.data
        self.c.state = <char*> <uintptr_t> new["state"].ctypes.data

    def __len__(self):
        return self.c.size

    @property
    def beta(self):
        """The solution, a copy."""
        return self.memory["beta"][:self.c.size].copy()

    @property
    def gradient(self):
        """Qβ − b at the solution, a copy."""
        return self.memory["g"][:self.c.size].copy()

    @property
    def objective(self):
        """½ β'Qβ − b'β."""
        size = self.c.size
        beta, b = self.memory["beta"][:size], self.memory["b"][:size]
        return float(beta @ (self.memory["g"][:size] - b)) / 2

    def append(self, products, double b):
        """One more variable: its products with those before it and with itself, and its b."""
        cdef Py_ssize_t size = self.c.size
        row = np.asarray(products, dtype=np.float64)
        if row.shape != (size + 1,):
            raise ValueError(f"products must be {size + 1} numbers, got shape {row.shape}")
        if not (np.isfinite(row).all() and np.isfinite(b)):
            raise ValueError("products and b must be finite")
        if size == self.c.stride:
            self._allocate(2 * size)
        Q = self.memory["Q"]
        Q[size, :size + 1] = Q[:size + 1, size] = row
        self.c.b[size], self.c.beta[size], self.c.state[size] = b, 0, QP_OUT
        self.c.size = size + 1
        if size == 0:
            self.start(np.ones(1))

    def replace(self, Q, b):
        """Other numbers for all variables, β being where the next `solve` starts."""
        cdef Py_ssize_t size = self.c.size
        Q, b = np.asarray(Q, dtype=np.float64), np.asarray(b, dtype=np.float64)
        if Q.shape != (size, size) or b.shape != (size,):
            raise ValueError(
                f"Q and b must be of {size} variables, got shapes {Q.shape} and {b.shape}")
        self.memory["Q"][:size, :size] = Q
        self.memory["b"][:size] = b
        qp_factor(&self.c)

    def start(self, beta):
        """The next `solve` starts from β, of which its positive part in proportion is taken."""
        cdef Py_ssize_t size = self.c.size
        beta = np.maximum(np.asarray(beta, dtype=np.float64), 0)
        if beta.shape != (size,) or not 0 < beta.sum() < np.inf:
            raise ValueError(f"beta must be {size} finite numbers, one of them above 0")
        chosen = np.flatnonzero(beta)
        self.memory["beta"][:size] = beta / beta.sum()
        self.memory["state"][:size] = beta > 0
        self.memory["order"][:len(chosen)] = chosen
        self.c.active = len(chosen)
        qp_factor(&self.c)

    def keep(self, chosen):
        """Leave all others out, of which none has a weight; ``chosen`` rise."""
        cdef Py_ssize_t size = len(chosen)
        old = self.c.size
        chosen = np.asarray(chosen, dtype=np.intp)
        place = np.full(old, -1)
        place[chosen] = np.arange(size)
        order = place[self.memory["order"][:self.c.active]]
        if (order < 0).any():
            raise ValueError("a variable with a weight cannot go")
        self.memory["Q"][:size, :size] = self.memory["Q"][np.ix_(chosen, chosen)]
        for name in ("b", "beta", "g", "state"):
            self.memory[name][:size] = self.memory[name][chosen]
        self.memory["order"][:self.c.active] = order
        self.c.size = size

    def solve(self, double tolerance=0):
        """Lower the objective to at most ``tolerance`` above its minimum, or as far as rounding
        lets it. Returns a bound of what it is above, β'g − min g with g = Qβ − b.
        """
        cdef double violation
        if self.c.size == 0:
            raise ValueError("a simplex of no variables is empty")
        with nogil:
            violation = qp_solve(&self.c, tolerance, STEPS * (self.c.size + 20))
        return violation


cdef double* _at(array):
    return <double*> <uintptr_t> array.ctypes.data


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
