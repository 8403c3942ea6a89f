"""Some columns of sparse data less their centres: products, and sweeps over them."""

from libc.math cimport fabs

import numpy as np

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
