"""Steps of elastic nets: Newton's by an inverse that is kept from face to face, and sweeps over
sparse columns.
"""

from libc.math cimport INFINITY, fabs, fmin, sqrt

import numpy as np

from rrmlinear.simd.columns cimport gram_pull, rank_one, wide_dot
from rrmlinear.solvers.loop.tolerances import FEW_ROUNDINGS
from rrmlinear.solvers.second_order.factors import leading_inverse

# An inverse of this many features or more is begun by one factor, not by an update for each.
cdef Py_ssize_t MANY = 32
# A feature whose square beside the others of the face is at most this part of its own depends on
# them.
cdef double DEPENDENT = 1e-10
# A C copy, which steps read.
cdef double ROUNDING = FEW_ROUNDINGS
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
        cdef Py_ssize_t t, p, n, first = -1
        cdef double bound = 1, x
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
        if self.count == 0:
            self._begin(w, some, k)
        for t in range(k):
            if w[t] != 0 and self.at[some[t]] < 0 and not self._add(some[t]):
                if self._change_for_others(gram, stride, w, pull, place, some[t], k, l1, modulus):
                    return AT_EDGE
        n = self.count
        for p in range(n):
            self.left[p] = self._downhill(w, pull, place[self.order[p]], l1, modulus)
        self.spent += <double>n * n
        for p in range(n):
            x = wide_dot(&self.inverse[p, 0], &self.left[0], n)
            t = place[self.order[p]]
            self.move[p] = x
            if (w[t] + x) * w[t] < 0:
                if -w[t] / x < bound:
                    bound, first = -w[t] / x, p
                self.move[p] = -w[t]
        if self._move(gram, stride, w, pull, place, k, n, modulus, first >= 0, False):
            return AT_EDGE if first >= 0 else INSIDE
        if first < 0:
            return STUCK
        for p in range(n):
            self.move[p] = bound * wide_dot(&self.inverse[p, 0], &self.left[0], n)
        self.move[first] = -w[place[self.order[first]]]
        if not self._move(gram, stride, w, pull, place, k, n, modulus, False, False):
            return STUCK
        return AT_EDGE if w[place[self.order[first]]] == 0 else INSIDE

    cdef double _downhill(self, const double* w, const double* pull, Py_ssize_t t, double l1,
                          double modulus) noexcept nogil:
        return pull[t] - modulus * w[t] - (l1 if w[t] > 0 else -l1)

    cdef bint _change_for_others(self, const double* gram, Py_ssize_t stride, double* w,
                                 double* pull, const Py_ssize_t* place, Py_ssize_t j,
                                 Py_ssize_t k, double l1, double modulus) noexcept nogil:
        # Change feature j, which depends on the others by ``move``, for them, until a weight is 0
        # or their fit, which stays but for small parts, is best. Returns whether one is 0; if not,
        # j stays while the others step: that does not change the slope along this change.
        cdef Py_ssize_t t, p, n = self.count, first = -1
        cdef double down = 0, bound = INFINITY
        self.order[n], self.move[n] = j, -1
        for p in range(n + 1):
            self.left[p] = self._downhill(w, pull, place[self.order[p]], l1, modulus)
            down += self.move[p] * self.left[p]
        for p in range(n + 1):
            self.move[p] = self.move[p] if down > 0 else -self.move[p]
            t = place[self.order[p]]
            if self.move[p] * w[t] < 0 and -w[t] / self.move[p] < bound:
                bound, first = -w[t] / self.move[p], p
        if first < 0:
            return False
        for p in range(n + 1):
            self.move[p] *= bound
        self.move[first] = -w[place[self.order[first]]]
        return self._move(gram, stride, w, pull, place, k, n + 1, modulus, False, True) == 1

    cdef double _move(self, const double* gram, Py_ssize_t stride, double* w, double* pull,
                      const Py_ssize_t* place, Py_ssize_t k, Py_ssize_t n, double modulus,
                      bint to_end, bint is_flat) noexcept nogil:
        # Go along the first n moves as far as is best, at most to their end, or nowhere else if
        # ``to_end``: returns what part. Where it ``is_flat`` a curvature may be rounding.
        cdef Py_ssize_t t, p
        cdef double down = 0, curve = 0, size = 0, length
        self._pull(gram, stride, place, k, n)
        for p in range(n):
            t = place[self.order[p]]
            down += self.left[p] * self.move[p]
            curve += self.move[p] * (modulus * self.move[p] - self.change[t])
            if is_flat:
                size += fabs(self.move[p]) * sqrt(gram[t * stride + t] + modulus)
        if is_flat and curve <= ROUNDING * size * size:
            curve = 0
        if not (down > 0 and (curve > 0 or is_flat)):
            return 0
        length = down / curve if down < curve else 1
        if to_end and length < 1:
            return 0
        self._go(w, pull, place, k, n, length)
        return length

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

    cdef int _begin(self, const double* w, const Py_ssize_t* some, Py_ssize_t k) except -1 nogil:
        # take the weights in use before one depends on the others at once, if these are MANY
        cdef Py_ssize_t t, p, n = 0
        for t in range(k):
            if w[t] != 0:
                self.order[n] = some[t]
                n += 1
        if n < MANY:
            return 0
        with gil:
            matrix = np.asarray(self.matrix)[np.ix_(self.order[:n], self.order[:n])]
            matrix.flat[:: n + 1] += self.modulus
            first = leading_inverse(matrix, DEPENDENT)
            n = len(first)
            self._make_room(n)
            np.asarray(self.inverse)[:n, :n] = first
        for p in range(n):
            self.at[self.order[p]] = p
        self.count = n
        self.spent += <double>n * n * n / 3
        return 0

    cdef int _make_room(self, Py_ssize_t n) except -1:
        # for n features
        cdef Py_ssize_t room = min(2 * n, self.matrix.shape[0]), before = self.inverse.shape[0]
        if n > before:
            larger = np.zeros((room, room))
            larger[:before, :before] = self.inverse
            self.inverse = larger
        return 0

    cdef bint _add(self, Py_ssize_t j) except -1 nogil:
        # False where the feature depends on the others, as in `move`
        cdef Py_ssize_t p, n = self.count
        cdef double rest, own = self.matrix[j, j] + self.modulus
        if n == self.inverse.shape[0]:
            with gil:
                self._make_room(n + 1)
        for p in range(n):
            self.column[p] = self.matrix[j, self.order[p]]
        rest = own
        self.spent += 2 * <double>n * n
        for p in range(n):
            self.move[p] = wide_dot(&self.inverse[p, 0], &self.column[0], n)
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


# Some columns of sparse data less their centres: products, and sweeps over them.

# Time of a stored value in a sweep in multiplications of a line of a Gram matrix: it is read and
# written at a place of its own, and twice.
cdef double VALUE_WORK = 8


cdef class SparseColumns:
    """z_j = (r_i (x_ij − centre_j))_i of the columns x_j taken so far, r = ``root``.

    ``columns`` are all columns (CSC), and centre_j = Σ_i r_i² x_ij / Σ_i r_i², or all are 0. The
    residual is ``aim`` − Σ_j w_j z_j; if centres are not 0, r'aim is. Centres stay apart: the
    residual is v + shift · r, with r'v = −shift r'r, so that z_j'(v + shift · r) is x_j'v plus
    shift · centre_j r'r.
    """

    def __cinit__(self, columns not None, const double[::1] root not None,
                  const double[::1] centre not None, const double[::1] aim not None):
        self.given_ends = np.asarray(columns.indptr, dtype=np.intp)
        self.given_places = np.asarray(columns.indices, dtype=np.int32)
        self.given_values = np.asarray(columns.data, dtype=np.float64)
        self.root, self.given_centre, self.aim = root, centre, aim
        self.mass = np.dot(root, root)
        self.ends, self.room = np.zeros(1, dtype=np.intp), np.zeros(root.shape[0])
        self.places, self.values = np.zeros(0, dtype=np.int32), np.zeros(0)
        self.centre = self.square = np.zeros(0)

    def add(self, const Py_ssize_t[::1] new not None):
        """Take more columns: their products with all."""
        cdef Py_ssize_t t, p, at, j, end, before = self.count, count = before + new.shape[0]
        cdef double centre
        end = self.ends[before]
        for t in range(new.shape[0]):
            end += self.given_ends[new[t] + 1] - self.given_ends[new[t]]
        if end > self.places.shape[0]:
            self.places = np.resize(self.places, 2 * end)
            self.values = np.resize(self.values, 2 * end)
        self.ends = np.append(self.ends, np.zeros(new.shape[0], dtype=np.intp))
        self.centre = np.append(self.centre, np.asarray(self.given_centre)[new])
        products = np.empty((new.shape[0], count))
        cdef double[:, ::1] out = products
        self.count = count
        with nogil:
            for t in range(new.shape[0]):
                end = self.ends[before + t]
                j = new[t]
                for at in range(self.given_ends[j], self.given_ends[j + 1]):
                    if self.root[self.given_places[at]] != 0:
                        self.places[end] = self.given_places[at]
                        self.values[end] = self.given_values[at] * self.root[self.places[end]]
                        end += 1
                self.ends[before + t + 1] = end
            for t in range(new.shape[0]):
                for at in range(self.ends[before + t], self.ends[before + t + 1]):
                    self.room[self.places[at]] += self.values[at]
                self.products(&self.room[0], 0, &out[t, 0])
                for at in range(self.ends[before + t], self.ends[before + t + 1]):
                    self.room[self.places[at]] = 0
                centre = self.mass * self.centre[before + t]
                for p in range(count):
                    out[t, p] -= centre * self.centre[p]
        self.square = np.append(self.square, products[:, before:].diagonal())
        return products

    def times(self, const double[::1] vector not None):
        """The product of each column with a vector, whose product with r is 0 if centres are not.
        """
        result = np.empty(self.count)
        cdef double[::1] out = result
        if self.count:
            self.products(&vector[0], 0, &out[0])
        return result

    def residual(self, const double[::1] weights not None):
        """That of weights."""
        cdef double shift = self.fit(&weights[0] if self.count else NULL)
        result = np.asarray(self.room) + shift * np.asarray(self.root)
        self.room[:] = 0
        return result

    cdef double work(self) noexcept nogil:
        """The multiplications of a sweep."""
        return VALUE_WORK * self.ends[self.count]

    cdef void products(self, const double* vector, double shift, double* out) noexcept nogil:
        # those of the columns with vector + shift · r
        cdef Py_ssize_t j, at
        cdef double total
        for j in range(self.count):
            total = shift * self.mass * self.centre[j]
            for at in range(self.ends[j], self.ends[j + 1]):
                total += self.values[at] * vector[self.places[at]]
            out[j] = total

    cdef double fit(self, const double* w) noexcept nogil:
        # make `room` v of the residual; returns the shift
        cdef Py_ssize_t j, at
        cdef double shift = 0
        self.room[:] = self.aim
        for j in range(self.count):
            if w[j] != 0:
                shift += w[j] * self.centre[j]
                for at in range(self.ends[j], self.ends[j + 1]):
                    self.room[self.places[at]] -= w[j] * self.values[at]
        return shift

    cdef void pulls(self, const double* w, double* out) noexcept nogil:
        """The products with the residual."""
        cdef double shift = self.fit(w)
        self.products(&self.room[0], shift, out)
        self.room[:] = 0

    cdef double sweep(self, int times, double l1, double modulus, bint positive, double rounding,
                      double* w, double* pull) noexcept nogil:
        """As `gram_sweep`, some times."""
        cdef Py_ssize_t j, at
        cdef int _number
        cdef double total, beyond, best, move, decrease = 0, shift = self.fit(w)
        for _number in range(times):
            for j in range(self.count):
                if self.square[j] <= 0:
                    continue
                total = shift * self.mass * self.centre[j] + self.square[j] * w[j]
                for at in range(self.ends[j], self.ends[j + 1]):
                    total += self.values[at] * self.room[self.places[at]]
                beyond = (total if positive else fabs(total)) - l1
                best = beyond / (self.square[j] + modulus) if beyond > 0 else 0
                best = best if total > 0 else -best
                move = best - w[j]
                if fabs(move) > rounding * fabs(best):
                    for at in range(self.ends[j], self.ends[j + 1]):
                        self.room[self.places[at]] -= move * self.values[at]
                    shift += move * self.centre[j]
                    w[j] = best
                    decrease += (self.square[j] + modulus) * move * move / 2
        self.products(&self.room[0], shift, pull)
        self.room[:] = 0
        return decrease
