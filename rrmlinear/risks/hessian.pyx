"""The second derivative of F(w) = Σ_i c_i φ(x_i'w, y_i), as a matrix or by its products."""

from rrmlinear.simd.gram cimport row_outer, row_squares
from rrmlinear.simd.products cimport rows_add, rows_times
from rrmlinear.simd.row_products cimport row_axpy, row_dot
from rrmlinear.simd.rows cimport row_t, rows_get, rows_prefetch
from rrmlinear.data.rows cimport Rows

import numpy as np

from rrmlinear.core.deadline import check_time
from rrmlinear.data.array_rows import scaled_csr
from rrmlinear.data.memory import nonzeros

# Rows that store at least this fraction of the features may be multiplied as dense ones.
MIN_DENSITY = 0.2
# A pair of stored values and the copy of an entry, in multiplications of BLAS: the matrix of
# covtype takes 21 ms by pairs and 66 by copies; that of splice, whose rows are full, 0.68 and 0.14.
PAIR_COST, COPY_COST = 11.0, 70.0
# Limit on the entries of a dense copy of the active rows.
MAX_COPIED_ENTRIES = 30_000_000
# Below this number of entries a dense copy is faster, however few values the rows store.
MAX_SMALL_ENTRIES = 100_000

# Products with at least this number of dense values, of which half the rows are active, read them
# once from memory: smaller ones stay in the caches.
MIN_BLOCKED_ENTRIES = 1_000_000

# A column may be by the root of this number longer than the rest of it beside an intercept: the
# others are centred in a copy.
MAX_LOST = 1e6

cdef enum:
    LOOKAHEAD = 3        # rows between a prefetch and its use
    CHUNK = 4096         # rows that are scaled in a dense copy at once
    BLOCK_BYTES = 1 << 17   # of rows that a product reads twice, the second time from cache
    MIN_BLOCK_ROWS = 16
    CHECKED_WORK = 1 << 28  # multiplications between two looks at the clock: some 0.1 s


cdef class Hessian:
    """Σ_i h_i x_i x_i' less Σ_v u_v u_v' / m_v, u_v = Σ h_i v_i x_i, m_v = Σ h_i v_i².

    h ≥ 0 has n entries; only rows with h_i > 0 are read. ``free`` are the v, n numbers each and
    orthogonal to each other (Σ h_i v_i v'_i = 0): with them it is the second derivative of the
    minimum over numbers b_v of Σ c_i φ(x_i'w + Σ_v b_v v_i, y_i), as with v = 1 over an intercept.
    """

    cdef readonly Rows rows
    cdef readonly Py_ssize_t k         # scores of an example: 1
    cdef readonly object active        # the rows with h_i > 0
    cdef object weights, free
    cdef const double[::1] h
    cdef const Py_ssize_t[::1] row_of
    cdef object given_roots            # √h_i of the active rows, once asked for
    cdef object units                  # √h_i v_i of the active rows, as vectors of length 1
    cdef object lines                  # the u_v / √m_v
    cdef object held                   # the active rows times √h_i, once made

    def __init__(self, Rows rows not None, h, free=()):
        self.rows, self.weights, self.h, self.k = rows, h, h, 1
        self.active = nonzeros(h)
        self.row_of = self.active
        self.given_roots, self.free = None, free
        self.units, self.lines = [], []
        for v in free:
            unit = self.roots * v[self.active]
            length = np.linalg.norm(unit)
            if length > 0:
                unit /= length
                self.units.append(unit)
                self.lines.append(self._adjoint(unit))

    def among(self, chosen):
        """The part of some of the active rows."""
        h = np.zeros(self.rows.shape[0])
        h[self.active[chosen]] = self.weights[self.active[chosen]]
        return Hessian(self.rows, h, self.free)

    @property
    def size(self):
        """The number of active rows."""
        return len(self.active)

    @property
    def roots(self):
        """√h_i of the active rows."""
        if self.given_roots is None:
            self.given_roots = np.sqrt(self.weights[self.active])
        return self.given_roots

    def matrix(self):
        """All of it, d × d."""
        if not self._suits_pairs():
            return self._dense_matrix()
        result = self._sparse_matrix()
        for line in self.lines:
            result -= np.outer(line, line)
        return result

    def _is_dense(self):
        n, d = self.rows.shape
        return self.rows.n_stored >= MIN_DENSITY * n * d

    def matrix_after(self, Hessian other not None, matrix):
        """All of it, from that of another one over the same rows if few h_i differ; else None."""
        if other.rows is not self.rows or self.units or other.units or not self._suits_pairs():
            return None
        change = Hessian(self.rows, self.weights - other.weights)
        return matrix + change._sparse_matrix() if 2 * change.size <= self.size else None

    def _suits_pairs(self):
        if not self._is_dense():
            return True
        # along units a dense copy keeps more digits
        if self.rows.is_dense or self.units:
            return False
        stored, d = self.rows.n_stored / max(1, self.rows.shape[0]), self.rows.width
        return PAIR_COST * stored * stored < d * (COPY_COST + d)

    def _dense_matrix(self):
        d = self.rows.width
        check_time()
        if self._is_plain():
            result = self._plain_matrix()
            if result is not None:
                return result
        if self.size <= CHUNK and self._is_copied():
            z = self._factor()
            return z.T @ z
        result = np.zeros((d, d))
        # one piece of memory for all: new ones cost as much as the products where malloc trims
        place = np.empty((min(CHUNK, self.size), d))
        for begin in range(0, self.size, CHUNK):
            check_time()
            part = self._copied(begin, min(begin + CHUNK, self.size), place)
            result += part.T @ part
        return result

    def _is_plain(self):
        # whether Z is the matrix of the caller times one number, less its parts along the units
        rows = self.rows
        if not rows.is_dense or rows.bias >= 0 or rows.blocks is not None:
            return False
        return self.size == rows.shape[0] > 0 and (self.roots == self.roots[0]).all()

    def _plain_matrix(self):
        # None where too few digits are left beside the parts along the units
        values, d = self.rows.values, self.rows.width
        result = np.zeros((d, d))
        for begin in range(0, self.size, CHUNK):
            check_time()
            part = values[begin:begin + CHUNK].astype(np.float64, copy=False)
            result += part.T @ part     # of one array: BLAS computes a half of it
        result *= self.roots[0] ** 2
        whole = result.diagonal().copy()
        for line in self.lines:
            result -= np.outer(line, line)
        rest = result.diagonal()
        return result if (rest * MAX_LOST >= whole).all() else None

    def _copied(self, Py_ssize_t begin, Py_ssize_t end, place=None):
        # active rows times √h_i, less their parts along the units, in the rows of a place if given
        cdef Py_ssize_t a, j, v, d = self.rows.width, n_free = len(self.units), first, last
        cdef const double[:, ::1] unit = np.array(self.units).reshape(n_free, self.size)
        cdef const double[:, ::1] line = np.array(self.lines).reshape(n_free, d)
        cdef double part
        result = np.empty((end - begin, d)) if place is None else place[:end - begin]
        result.fill(0.0)
        cdef double[:, ::1] out = result
        cdef const double[::1] root = self.roots
        cdef row_t row
        if d:
            for first, last in self.rows.spans_among(self.active[begin:end]):
                with nogil:
                    for a in range(begin + first, begin + last):
                        row = rows_get(&self.rows.c, self.row_of[a])
                        row_axpy(&row, root[a], &out[a - begin, 0])
                        for v in range(n_free):
                            part = unit[v, a]
                            for j in range(d):
                                out[a - begin, j] -= part * line[v, j]
        return result

    def gram(self, inverse):
        """Z diag(g) Z', Z the p × d factor with Z'Z this matrix; ``inverse`` is g ≥ 0 (d)."""
        if self._is_plain():
            result = self._plain_gram(inverse)
            if result is not None:
                return result
        z = self._factor()
        if isinstance(z, np.ndarray):
            return _weighted_gram(z, inverse)
        return self._beside_units(((z * inverse) @ z.T).toarray())

    @property
    def keeps_products(self):
        """Whether `row_products` take less than two calls of `gram`."""
        n = self.rows.shape[0]
        return self.rows.is_dense and self.rows.blocks is None and 4 * self.size ** 2 >= 3 * n * n

    def row_products(self):
        """X X', which `gram_of` takes: the same for all h."""
        values, bias = self.rows.values.astype(np.float64, copy=False), max(self.rows.bias, 0.0)
        return values @ values.T + bias * bias

    def gram_of(self, products, double inverse):
        """`gram` of equal ``inverse``, from `row_products`; None where the parts along the units
        leave too few digits.
        """
        roots = np.sqrt(inverse) * self.roots
        result = products[np.ix_(self.active, self.active)] * roots
        result *= roots[:, np.newaxis]
        return self._of_digits(result)

    def _beside_units(self, gram):
        # less the parts of both sides along the units
        for unit in self.units:
            gram -= np.outer(unit, unit @ gram)
            gram -= np.outer(gram @ unit, unit)
        return gram

    def _of_digits(self, gram):
        whole = gram.trace()
        gram = self._beside_units(gram)
        return gram if gram.trace() * MAX_LOST >= whole else None

    def _plain_gram(self, inverse):
        # None as in `_plain_matrix`
        z = self.rows.values.astype(np.float64, copy=False)
        result = _weighted_gram(z, self.roots[0] ** 2 * inverse)
        return self._of_digits(result)

    def times(self, p):
        """Z p."""
        if isinstance(self.held, np.ndarray):
            return self.held @ p
        return self._projected(self._times(p))

    def adjoint(self, a):
        """Z'a."""
        if isinstance(self.held, np.ndarray):
            return a @ self.held
        return self._adjoint(self._projected(a))

    def _projected(self, a):
        for unit in self.units:
            a = a - (unit @ a) * unit
        return a

    def _factor(self):
        # Z; for sparse rows without the projection off the units
        if self.held is None:
            if self._is_copied():
                self.held = self._copied(0, self.size)
            elif self.rows.is_dense:
                from scipy.sparse import csr_array

                self.held = csr_array(self._copied(0, self.size))
            else:
                self.held = scaled_csr(self.rows, self.active, self.roots)
        return self.held

    def _is_copied(self):
        entries = self.size * self.rows.width
        if self.rows.blocks is not None:  # blocks as large may be in memory beside it
            return 8 * entries <= self.rows.blocks.most_bytes
        return entries <= (MAX_COPIED_ENTRIES if self._is_dense() else MAX_SMALL_ENTRIES)

    def _sparse_matrix(self):
        cdef Py_ssize_t a, i, d = self.rows.width, end
        cdef Py_ssize_t work
        cdef row_t row
        result = np.zeros((d, d))
        cdef double[:, ::1] out = result
        for a, end in self.rows.spans_among(self.active) if d else ():
            while a < end:
                check_time()
                work = 0
                with nogil:
                    while a < end and work < CHECKED_WORK:
                        row = rows_get(&self.rows.c, self.row_of[a])
                        row_outer(&row, self.h[self.row_of[a]], &out[0, 0], d)
                        work += (row.length + 1) * (row.length + 1)
                        a += 1
        with nogil:
            for i in range(d):
                for a in range(i):
                    out[a, i] = out[i, a]
        return result

    def product(self, p):
        """This matrix times p."""
        if isinstance(self.held, np.ndarray):
            return self.held.T @ (self.held @ p)
        if self._is_blocked():
            return self._blocked_product(p)
        if self.units:
            return self._adjoint(self._projected(self._times(p)))
        return self._product(p)

    def _product(self, const double[::1] p not None):
        # in one pass over the rows
        result = np.zeros(self.rows.width)
        cdef double[::1] out = result
        cdef Py_ssize_t a, i, begin, end
        cdef row_t row
        for begin, end in self.rows.spans_among(self.active) if self.rows.width else ():
            with nogil:
                for a in range(begin, end):
                    if a + LOOKAHEAD < end:
                        rows_prefetch(&self.rows.c, self.row_of[a + LOOKAHEAD])
                    i = self.row_of[a]
                    row = rows_get(&self.rows.c, i)
                    row_axpy(&row, self.h[i] * row_dot(&row, &p[0]), &out[0])
        return result

    def _is_blocked(self):
        n, d = self.rows.shape
        return self.rows.is_dense and 2 * self.size > n and n * d >= MIN_BLOCKED_ENTRIES

    def _blocked_product(self, const double[::1] p not None):
        # Z'Z p in one way through memory: Z p along a unit is that of the line with p
        n = self.rows.shape[0]
        along = np.zeros(n)
        for unit, line in zip(self.units, self.lines):
            along[self.active] += (line @ p) / self.roots * unit
        result = np.zeros(self.rows.width)
        cdef Py_ssize_t row_bytes = self.rows.n_bytes // n + 1
        cdef Py_ssize_t block = max(MIN_BLOCK_ROWS, BLOCK_BYTES // row_bytes), i, j, stop
        cdef Py_ssize_t first, last
        cdef const double[::1] h = self.h, part = along
        cdef double[::1] out = result, scores = np.empty(block)
        cdef double* s = &scores[0]
        for first, last in self.rows.spans(0, n):
            with nogil:
                i = first
                while i < last:
                    stop = min(i + block, last)
                    rows_times(&self.rows.c, i, stop, &p[0], s - i)
                    for j in range(stop - i):
                        s[j] -= part[i + j]
                    rows_add(&self.rows.c, i, stop, &h[0], s - i, &out[0])
                    i = stop
        return result

    def _times(self, const double[::1] p not None):
        # the active rows times √h_i, times p
        result = np.zeros(self.size)
        cdef double[::1] out = result
        cdef const double[::1] root = self.roots
        cdef Py_ssize_t a, begin, end
        cdef row_t row
        for begin, end in self.rows.spans_among(self.active) if self.rows.width else ():
            with nogil:
                for a in range(begin, end):
                    row = rows_get(&self.rows.c, self.row_of[a])
                    out[a] = root[a] * row_dot(&row, &p[0])
        return result

    def _adjoint(self, const double[::1] factors not None):
        # Σ f_a √h_i x_i over the active rows
        result = np.zeros(self.rows.width)
        cdef double[::1] out = result
        cdef const double[::1] root = self.roots
        cdef Py_ssize_t a, begin, end
        cdef row_t row
        for begin, end in self.rows.spans_among(self.active) if self.rows.width else ():
            with nogil:
                for a in range(begin, end):
                    row = rows_get(&self.rows.c, self.row_of[a])
                    row_axpy(&row, root[a] * factors[a], &out[0])
        return result

    def diagonal(self):
        """Its diagonal."""
        result = np.zeros(self.rows.width)
        cdef double[::1] out = result
        cdef Py_ssize_t a, begin, end
        cdef row_t row
        for begin, end in self.rows.spans_among(self.active) if self.rows.width else ():
            with nogil:
                for a in range(begin, end):
                    row = rows_get(&self.rows.c, self.row_of[a])
                    row_squares(&row, self.h[self.row_of[a]], &out[0])
        for line in self.lines:
            result -= line * line
        return result


def _weighted_gram(z, inverse):
    # Z diag(inverse) Z', of one array: BLAS computes a half of it
    if (inverse == inverse[0]).all():
        return inverse[0] * (z @ z.T)
    z = z * np.sqrt(inverse)
    return z @ z.T
