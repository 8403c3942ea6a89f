"""Newton steps on a face of an elastic net, by an inverse that is kept from face to face."""

from libc.math cimport INFINITY, fmin

from rrmlinear.simd.columns cimport gram_pull, rank_one, vector_dot

import numpy as np

# A feature whose square beside the others of the face is at most this part of its own depends on
# them.
cdef double DEPENDENT = 1e-10
# The inverse with another modulus serves if it is at most this factor off.
cdef double NEAR_MODULUS = 1.5
# Time of a step in products with the inverse, without those of the features that come and go.
cdef double STEP_PRODUCTS = 4


cdef class FaceInverse:
    """(G + modulus)⁻¹ over the features in use. A feature that comes or goes takes a rank-one
    update, and the inverse of a modulus near by serves: steps have the best length.
    """

    def __cinit__(self):
        self.inverse, self.at = np.zeros((0, 0)), np.zeros(0, dtype=np.intp)
        self.order = np.zeros(0, dtype=np.intp)

    cdef void grow(self, const double[:, :] gram) except *:
        """Go on with a matrix of more features behind those so far."""
        cdef Py_ssize_t d = gram.shape[0], before = self.at.shape[0]
        places = np.full((2, d), -1, dtype=np.intp)
        places[0, :before], places[1, :before] = self.at, self.order
        self.matrix, self.at, self.order = gram, places[0], places[1]
        self.left, self.column = np.zeros(d), np.zeros(d)
        self.move, self.change = np.zeros(d), np.zeros(d)

    cdef bint _suits(self, double modulus) noexcept nogil:
        return self.modulus <= NEAR_MODULUS * modulus and modulus <= NEAR_MODULUS * self.modulus

    cdef double work(self, const double* w, const Py_ssize_t* some, Py_ssize_t k,
                     double modulus) noexcept nogil:
        """The multiplications of a step at these weights."""
        cdef Py_ssize_t t, size = 0, new = 0, old = 0
        cdef double whole
        for t in range(k):
            if w[t] != 0:
                size += 1
                new += self.at[some[t]] < 0
        old = self.count - (size - new)
        whole = <double>size * size * size / 3
        if self._suits(modulus):
            whole = fmin(whole, <double>(new + old) * size * size)
        return whole + STEP_PRODUCTS * size * size

    cdef place_t step(self, const double* gram, Py_ssize_t stride, double* w, double* pull,
                      const Py_ssize_t* place, const Py_ssize_t* some, Py_ssize_t k, double l1,
                      double modulus) except? STUCK nogil:
        """Take a step from the k weights w of the features ``some``, whose Gram matrix is ``gram``;
        ``place`` are those of all features there. Weights that it would turn become 0, if the
        objective falls to there, or the step ends at the first that does.
        """
        cdef Py_ssize_t t, p, n, first = -1, alone = -1
        cdef double bound = 1, x, down = 0
        self.spent = 0
        if not self._suits(modulus):
            self.count = 0
            for t in range(self.at.shape[0]):
                self.at[t] = -1
            self.modulus = modulus
        p = self.count
        while p > 0:
            p -= 1
            t = place[self.order[p]]
            if t < 0 or w[t] == 0:
                self._remove(p)
        for t in range(k):
            if w[t] != 0 and self.at[some[t]] < 0 and not self._add(some[t]):
                alone = t
                break
        n = self.count
        if alone >= 0:  # it changes for the others, and the fit stays, until one of them is 0
            down = -(pull[alone] - modulus * w[alone] - (l1 if w[alone] > 0 else -l1))
        for p in range(n):
            t = place[self.order[p]]
            self.left[p] = pull[t] - modulus * w[t] - (l1 if w[t] > 0 else -l1)
            if alone >= 0:
                down += self.move[p] * self.left[p]
        if alone >= 0:
            self.order[n] = some[alone]
            self.left[n] = pull[alone] - modulus * w[alone] - (l1 if w[alone] > 0 else -l1)
            self.move[n] = -1
            bound = INFINITY
            for p in range(n + 1):
                self.move[p] = self.move[p] if down > 0 else -self.move[p]
                t = place[self.order[p]]
                x = self.move[p]
                if x * w[t] < 0 and -w[t] / x < bound:
                    bound, first = -w[t] / x, p
            if first < 0:
                return STUCK
            for p in range(n + 1):
                self.move[p] *= bound
            self.move[first] = -w[place[self.order[first]]]
            self._pull(gram, stride, place, k, n + 1)
            self._go(w, pull, place, k, n + 1, 1)
            return AT_EDGE
        self.spent += <double>n * n
        for p in range(n):
            x = vector_dot(&self.inverse[p, 0], &self.left[0], n)
            t = place[self.order[p]]
            self.move[p] = x
            if (w[t] + x) * w[t] < 0:
                if -w[t] / x < bound:
                    bound, first = -w[t] / x, p
                self.move[p] = -w[t]
        if self._move(gram, stride, w, pull, place, k, modulus, first >= 0):
            return AT_EDGE if first >= 0 else INSIDE
        if first < 0:
            return STUCK
        for p in range(n):
            self.move[p] = bound * vector_dot(&self.inverse[p, 0], &self.left[0], n)
        self.move[first] = -w[place[self.order[first]]]
        if not self._move(gram, stride, w, pull, place, k, modulus, False):
            return STUCK
        return AT_EDGE if w[place[self.order[first]]] == 0 else INSIDE

    cdef bint _move(self, const double* gram, Py_ssize_t stride, double* w, double* pull,
                    const Py_ssize_t* place, Py_ssize_t k, double modulus,
                    bint to_end) noexcept nogil:
        # go along the moves as far as is best, at most to their end, or nowhere else if ``to_end``
        cdef Py_ssize_t t, p, n = self.count
        cdef double down = 0, curve = 0, length
        self._pull(gram, stride, place, k, n)
        for p in range(n):
            t = place[self.order[p]]
            down += self.left[p] * self.move[p]
            curve += self.move[p] * (modulus * self.move[p] - self.change[t])
        if not (down > 0 and curve > 0):
            return False
        length = fmin(down / curve, 1)
        if to_end and length < 1:
            return False
        self._go(w, pull, place, k, n, length)
        return True

    cdef void _pull(self, const double* gram, Py_ssize_t stride, const Py_ssize_t* place,
                    Py_ssize_t k, Py_ssize_t n) noexcept nogil:
        # what the first n moves do to the pulls
        cdef Py_ssize_t t, p
        self.spent += <double>k * n
        for t in range(k):
            self.change[t] = 0
        for p in range(n):
            t = place[self.order[p]]
            gram_pull(gram, stride, k, &t, &self.move[p], 1, &self.change[0])

    cdef void _go(self, double* w, double* pull, const Py_ssize_t* place, Py_ssize_t k,
                  Py_ssize_t n, double length) noexcept nogil:
        # go this part of the way along the first n moves; a weight that ends at 0 is exactly 0
        cdef Py_ssize_t t, p
        for t in range(k):
            pull[t] += length * self.change[t]
        for p in range(n):
            t = place[self.order[p]]
            w[t] = 0 if length == 1 and self.move[p] == -w[t] else w[t] + length * self.move[p]

    cdef bint _add(self, Py_ssize_t j) except -1 nogil:
        # False where the feature depends on the others, as in `move`
        cdef Py_ssize_t p, n = self.count, room
        cdef double rest, own = self.matrix[j, j] + self.modulus
        if n == self.inverse.shape[0]:
            with gil:
                room = min(2 * n + 16, self.matrix.shape[0])
                larger = np.zeros((room, room))
                larger[:n, :n] = self.inverse
                self.inverse = larger
        for p in range(n):
            self.column[p] = self.matrix[j, self.order[p]]
        rest = own
        self.spent += 2 * <double>n * n
        for p in range(n):
            self.move[p] = vector_dot(&self.inverse[p, 0], &self.column[0], n)
            rest -= self.move[p] * self.column[p]
        if rest <= DEPENDENT * own:
            return False
        self.move[n] = -1
        for p in range(n + 1):
            self.inverse[p, n] = self.inverse[n, p] = 0
        rank_one(&self.inverse[0, 0], self.inverse.shape[1], n + 1, 1 / rest, &self.move[0])
        self.order[n], self.at[j] = j, n
        self.count = n + 1
        return True

    cdef void _remove(self, Py_ssize_t p) noexcept nogil:
        cdef Py_ssize_t r, last = self.count - 1
        cdef double own
        self.spent += <double>last * last
        self.at[self.order[p]] = -1
        if p != last:
            self.order[p] = self.order[last]
            self.at[self.order[p]] = p
            for r in range(last + 1):  # lines change places, then columns
                own = self.inverse[p, r]
                self.inverse[p, r], self.inverse[last, r] = self.inverse[last, r], own
            for r in range(last + 1):
                own = self.inverse[r, p]
                self.inverse[r, p], self.inverse[r, last] = self.inverse[r, last], own
        for r in range(last):
            self.move[r] = self.inverse[last, r]
        own = self.inverse[last, last]
        if own > 0:
            rank_one(&self.inverse[0, 0], self.inverse.shape[1], last, -1 / own, &self.move[0])
        self.count = last
