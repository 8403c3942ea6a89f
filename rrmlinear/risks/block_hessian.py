"""The second derivative of a sum over examples of functions of k scores, by its active classes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.array_rows import scaled_csr
from rrmlinear.data.rows import Rows
from rrmlinear.risks._class_sums import ClassSums, pair_parts, pair_work

Array = NDArray[np.float64]
Places = NDArray[np.int64]

# Rows that store at least this fraction of the features are multiplied as dense ones, by BLAS.
MIN_DENSITY = 0.1
# Limit on the entries of a dense copy of the active rows.
MAX_COPIED_ENTRIES = 30_000_000

# The same for products: of active rows that store at least this fraction of the features, from the
# second product on.
MIN_FULL = 0.5
# Limit on the entries of this copy, and those that are multiplied at once: they stay in the cache.
MAX_FULL_ENTRIES, CACHED_ENTRIES = 10_000_000, 100_000

# Rows that are copied as dense ones at once.
CHUNK = 4096
# Eigenvalues of the intercepts' own part, scaled to a diagonal of 1, below this count as 0.
MIN_EIGENVALUE = 1e-13


class BlockHessian(ClassSums):
    """Σ_i x_i x_i' ⊗ M_i over weights d × k as vectors, row by row; M_i = diag(e) − e e'/Σe.

    The a-th active row, ``active[a]`` of the data, has rates e > 0 for its classes from begin[a] to
    begin[a + 1], the largest first, and e = 0 for all others. M_i takes equal entries to 0. So
    with z_ij = x_i ⊗ (e_j − e_r), r the first class and j another, this is Z'Z for the p rows of
    Z = L'(z_ij), where L L' = diag(e) − e e'/Σe over the other classes of a row:
    L = diag(root) (I − tilt tilt').

    With ``free`` intercepts it is Z' P Z, P the projection off the Z_b of the k intercepts: the
    second derivative of the minimum over these, the Schur complement of their part in that of both.
    """

    __slots__ = ("copy", "free", "inverse", "n_products", "ones", "row_of_term", "term_classes")

    def __init__(
        self,
        rows: Rows,
        k: int,
        active: Places,
        begin: Places,
        classes: NDArray[np.int32],
        rates: Array,
        free: bool = False,
    ) -> None:
        n, counts = len(active), np.diff(begin)
        first = begin[:n]
        is_term = np.ones(len(classes), dtype=bool)
        is_term[first] = False
        #: Of each term (i, j) the place of i among the active rows, and (j, r).
        self.row_of_term = np.repeat(np.arange(n), counts - 1)
        self.term_classes = classes[is_term], classes[first][self.row_of_term]
        others, top = rates[is_term], rates[first]
        inverse = 1 / (np.bincount(self.row_of_term, others, n) + top)
        # with q = √(e/Σe) over the other classes: I − qq' = (I − tilt tilt')²
        tau = 1 / (1 + np.sqrt(top * inverse))
        tilt = np.sqrt(others * (inverse * tau)[self.row_of_term])
        shares = rates * np.repeat(inverse, counts)
        super().__init__(rows, k, active, begin, classes, rates, shares, np.sqrt(others), tilt)
        self.free, self.n_products = free, 0
        #: The active rows as a dense matrix, their rates, shares and first classes; made once.
        self.copy: tuple[Array, Array, Array, Places] | None = None
        if free:
            alone = Rows(np.empty(0), np.empty(0, np.int32), np.zeros(rows.shape[0] + 1, int), 0, 1)
            #: The same over the intercepts, whose rows have the Z_b, and the inverse of Z_b'Z_b.
            self.ones = BlockHessian(alone, k, active, begin, classes, rates)
            self.inverse = inverse_of(self.of_ones())

    def _projected(self, terms: Array) -> Array:
        if self.free:
            terms = terms - self.ones.times(self.inverse @ self.ones.adjoint(terms))
        return terms

    def times(self, p: Array) -> Array:
        """P Z p."""
        result = np.empty(self.size)
        self.forward(p, result, None)
        return self._projected(result)

    def adjoint(self, y: Array) -> Array:
        """Z'P y."""
        result = self.padded()
        self.backward(np.ascontiguousarray(self._projected(y)), result)
        return self._cut(result)

    def product(self, p: Array) -> Array:
        """The matrix times p: one pass over the active rows, and with intercepts two."""
        self.n_products += 1
        if self.free:
            terms = np.empty(self.size)
            self.forward(p, terms, None)
            return self.adjoint(terms)
        if self.is_full and self.n_products > 1:
            return self._product_of_copy(p)
        result = self.padded()
        self.forward(p, None, result)
        return self._cut(result)

    @property
    def is_full(self) -> bool:
        """Whether products read a dense copy of the active rows, by BLAS."""
        if self.free:
            return False
        entries, stored = len(self.active) * self.rows.width, self.rows.n_stored
        return entries <= MAX_FULL_ENTRIES and stored >= MIN_FULL * math.prod(self.rows.shape)

    def _product_of_copy(self, p: Array) -> Array:
        n, d = len(self.active), self.rows.width
        if self.copy is None:
            first = np.asarray(self.classes)[self.begin[:n]].astype(np.int64)
            self.copy = self.copied(0, n), *self.by_classes(0, n), first
        rows, rates, shares, first = self.copy
        weights = np.reshape(p, (d, self.k)).T
        result, chunk = np.zeros((d, self.k)), max(1, CACHED_ENTRIES // max(d, 1))
        for begin in range(0, n, chunk):
            some = slice(begin, begin + chunk)
            x = rows[some]
            scores, place = weights @ x.T, (first[some], np.arange(len(x)))
            scores -= scores[place]
            steps = scores - np.einsum("ji,ji->i", shares[:, some], scores)
            steps *= rates[:, some]
            steps[place] = 0
            steps[place] = -steps.sum(axis=0)
            result += x.T @ steps.T
        return result.ravel()

    def _cut(self, padded: Array) -> Array:
        return padded[: self.rows.width, : self.k].ravel()

    def matrix(self) -> Array:
        """All of it, d·k × d·k."""
        if self.free:
            rows, of_rows = self.rows.with_bias(1.0), (self.active, self.begin, self.classes)
            both, size = BlockHessian(rows, self.k, *of_rows, self.rates).matrix(), -self.k
            beside = both[:size, size:]
            return both[:size, :size] - beside @ self.inverse @ beside.T
        d, by_classes = self.rows.width, self._by_classes(self._pair_parts())
        return by_classes.transpose(1, 0, 3, 2).reshape(d * self.k, d * self.k)

    def _by_classes(self, parts: NDArray[Any]) -> NDArray[Any]:
        """All of it from its parts for each two classes, k × d × k × d."""
        d = self.rows.width
        by_classes = np.zeros((self.k, d, self.k, d), dtype=parts.dtype)
        for one in range(1, self.k):
            for other in range(one):
                part = parts[one * (one - 1) // 2 + other]
                by_classes[one, :, other] -= part
                by_classes[other, :, one] -= part
                by_classes[one, :, one] += part
                by_classes[other, :, other] += part
        return by_classes

    def _pair_parts(self) -> Array:
        """As `pair_parts`, by it or by matrix products, whichever is less work."""
        d = self.rows.width
        at_once, by_products = pair_work(self.rows, self.k, self.active, self.begin)
        if at_once < by_products:
            of_rows = (self.active, self.begin, self.classes, self.rates, self.shares)
            found: Array = pair_parts(self.rows, self.k, *of_rows)
            return found
        parts = np.zeros((self.k * (self.k - 1) // 2, d, d))
        for begin in range(0, len(self.active), CHUNK):
            end = min(begin + CHUNK, len(self.active))
            x, (rates, shares) = self.copied(begin, end), self.by_classes(begin, end)
            for one in range(1, self.k):
                for other in range(one):
                    weights = rates[one] * shares[other]
                    some = np.flatnonzero(weights)
                    if len(some):
                        y = x[some] * np.sqrt(weights[some])[:, np.newaxis]
                        parts[one * (one - 1) // 2 + other] += y.T @ y
        return parts

    def _active_rows(self) -> Any:
        """The active rows as a matrix, dense where they are nearly so or few."""
        n, stored = len(self.active), MIN_DENSITY * math.prod(self.rows.shape)
        few = n * self.rows.width <= MAX_COPIED_ENTRIES
        if self.rows.is_dense or (few and self.rows.n_stored >= stored):
            return self.copied(0, n)
        return scaled_csr(self.rows, self.active, np.ones(n))

    def gram(self, inverse: Array) -> Array:
        """P Z diag(g) Z' P for d·k numbers ``inverse``, g ≥ 0."""
        g = np.reshape(inverse, (self.rows.width, self.k))
        result, rows = np.zeros((self.size, self.size)), self._active_rows()
        for one in range(self.k):
            own, first = (entry == one for entry in self.term_classes)
            terms = np.flatnonzero(own | first)
            if len(terms) == 0:
                continue
            some, places = np.unique(self.row_of_term[terms], return_inverse=True)
            signs = np.where(own[terms], 1.0, -1.0)
            part = rows[some] * np.sqrt(g[:, one])
            products = part @ part.T
            if not isinstance(products, np.ndarray):
                products = products.toarray()
            products = products[np.ix_(places, places)] * signs
            result[np.ix_(terms, terms)] += products * signs[:, np.newaxis]
        self.bind(result)
        if self.free:
            columns = np.column_stack([self.ones.times(unit) for unit in np.eye(self.k)])
            scaled = columns @ self.inverse
            result -= scaled @ (columns.T @ result)
            result -= (result @ columns) @ scaled.T
        return result


def inverse_of(slopes: Array) -> Array:
    """A generalized inverse."""
    diagonal = slopes.diagonal()
    root = np.divide(1, np.sqrt(diagonal), out=np.zeros(len(diagonal)), where=diagonal > 0)
    values, vectors = np.linalg.eigh(root[:, np.newaxis] * slopes * root)
    some = values > MIN_EIGENVALUE
    part = root[:, np.newaxis] * vectors[:, some]
    return np.asarray((part / values[some]) @ part.T)
