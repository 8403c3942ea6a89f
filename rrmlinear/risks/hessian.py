"""The second derivative of F(w) = Σ_i c_i φ(x_i'w, y_i), as a matrix, and as one over its rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.cached import cached_property
from rrmlinear.core.deadline import check_time
from rrmlinear.data.array_rows import scaled_csr
from rrmlinear.data.rows import Rows
from rrmlinear.risks.products import RowSums

Array = NDArray[np.float64]

# Rows that store at least this fraction of the features may be multiplied as dense ones.
MIN_DENSITY = 0.2
# Limit on the entries of a dense copy of the active rows.
MAX_COPIED_ENTRIES = 30_000_000
# Below this number of entries a dense copy is faster, however few values the rows store.
MAX_SMALL_ENTRIES = 100_000

# Products with at least this number of dense values, of which half the rows are active, read them
# once from memory: smaller ones stay in the caches.
MIN_BLOCKED_ENTRIES = 1_000_000

# A pair of stored values and the copy of an entry, in multiplications of BLAS: the matrix of
# covtype takes 21 ms by pairs and 66 by copies; that of splice, whose rows are full, 0.68 and 0.14.
PAIR_COST, COPY_COST = 11.0, 70.0
# A column may be by the root of this number longer than the rest of it beside an intercept: the
# others are centred in a copy.
MAX_LOST = 1e6

# Rows that are scaled in a dense copy at once.
CHUNK = 4096


def row_cost(rows: Rows) -> float:
    """What an active row adds to the cost of `Hessian.matrix`, in multiplications of BLAS."""
    pairs, copied = _row_costs(rows)
    if rows.is_dense:
        return copied
    return min(pairs, copied) if is_nearly_full(rows) else pairs


def _row_costs(rows: Rows) -> tuple[float, float]:
    """The same by pairs of stored values, and in a dense copy."""
    stored, d = rows.n_stored / max(1, rows.shape[0]), rows.width
    return PAIR_COST * stored * stored, d * (COPY_COST + d)


def is_nearly_full(rows: Rows) -> bool:
    """Whether the rows are full enough that a dense copy is quicker."""
    n, d = rows.shape
    return rows.n_stored >= MIN_DENSITY * n * d


class Hessian(RowSums):
    """Σ_i h_i x_i x_i' less Σ_v u_v u_v' / m_v, u_v = Σ h_i v_i x_i, m_v = Σ h_i v_i².

    ``free`` are the v: with them it is the second derivative of the minimum over numbers b_v of
    Σ c_i φ(x_i'w + Σ_v b_v v_i, y_i), as with v = 1 over an intercept. It is Z'Z for Z = A of
    `RowSums` less its parts along units, (I − Σ_v q_v q_v') A.

    h ≥ 0 has n entries; only rows with h_i > 0 are read. The v have n numbers each and are
    orthogonal to each other (Σ h_i v_i v'_i = 0); q_v is the unit vector along √h_i v_i.
    """

    #: Scores of an example.
    k = 1

    def __init__(self, rows: Rows, h: Array, free: Sequence[Array] = ()) -> None:
        super().__init__(rows, h)
        self.free = free
        #: Z, once made: dense, or sparse and then A.
        self.held: Any = None

    @cached_property
    def units(self) -> list[Array]:
        """The q_v."""
        units = []
        for v in self.free:
            unit = self.roots * v[self.active]
            length = np.linalg.norm(unit)
            if length > 0:
                units.append(unit / length)
        return units

    @cached_property
    def lines(self) -> list[Array]:
        """The A'q_v = u_v / √m_v."""
        return [super(Hessian, self).adjoint(unit) for unit in self.units]

    def times(self, p: Array) -> Array:
        """Z p."""
        if isinstance(self.held, np.ndarray):
            return self.held @ p
        return self._projected(super().times(p))

    def adjoint(self, factors: Array) -> Array:
        """Z' times the factors."""
        if isinstance(self.held, np.ndarray):
            return factors @ self.held
        return super().adjoint(self._projected(factors))

    def _projected(self, a: Array) -> Array:
        """A vector less its parts along the units."""
        for unit in self.units:
            a = a - (unit @ a) * unit
        return a

    def product(self, p: Array) -> Array:
        """Z'Z p."""
        if isinstance(self.held, np.ndarray):
            return self.held.T @ (self.held @ p)
        multiply = self.blocked_product if self._is_blocked() else self.row_product
        return multiply(p, self._along_units(p))

    def _is_blocked(self) -> bool:
        if not self.rows.is_dense:
            return False
        n, d = self.rows.shape
        return 2 * self.size > n and n * d >= MIN_BLOCKED_ENTRIES

    def _along_units(self, p: Array) -> Array:
        """Of each row, the part of its score x_i'p along the units: A p along a unit is line'p."""
        along = np.zeros(self.rows.shape[0])
        for unit, line in zip(self.units, self.lines, strict=True):
            along[self.active] += (line @ p) / self.roots * unit
        return along

    def diagonal(self) -> Array:
        """That of Z'Z."""
        result = super().diagonal()
        for line in self.lines:
            result -= line * line
        return result

    def _factor(self) -> Any:
        """Z; for sparse rows A."""
        if self.held is None:
            if self._is_copied():
                self.held = self._copied(0, self.size)
            elif self.rows.is_dense:
                from scipy.sparse import csr_array

                self.held = csr_array(self._copied(0, self.size))
            else:
                self.held = scaled_csr(self.rows, self.active, self.roots)
        return self.held

    def _is_copied(self) -> bool:
        entries = self.size * self.rows.width
        if self.rows.blocks is not None:  # blocks as large may be in memory beside it
            return 8 * entries <= self.rows.blocks.most_bytes
        return entries <= (MAX_COPIED_ENTRIES if self.is_dense else MAX_SMALL_ENTRIES)

    @property
    def is_dense(self) -> bool:
        return is_nearly_full(self.rows)

    def _copied(self, begin: int, end: int, place: Array | None = None) -> Array:
        """Rows begin … end − 1 of Z as a dense matrix, in the rows of a place if given."""
        return self.copied_less(self.units, self.lines, begin, end, place)

    def matrix(self) -> Array:
        """All of it, d × d."""
        if not self._suits_pairs():
            return self._dense_matrix()
        result = self._paired_matrix()
        return self._dense_matrix() if result is None else result

    def _suits_pairs(self) -> bool:
        if not self.is_dense:
            return True
        pairs, copied = _row_costs(self.rows)
        return not self.rows.is_dense and pairs < copied

    def _paired_matrix(self) -> Array | None:
        """By pairs of stored values; None as `_plain_matrix` where a copy serves too."""
        if len(self.free) == 1 and self.rows.bias < 0 and (self.free[0] == 1).all():
            whole = RowSums(self.rows.with_bias(1.0), self.weights).by_pairs()
            result, sums = whole[:-1, :-1].copy(), whole[-1]
            lines = [sums[:-1] / math.sqrt(sums[-1])] if sums[-1] > 0 else []
        else:
            result, lines = self.by_pairs(), self.lines
        before = result.diagonal().copy()
        for line in lines:
            result -= np.outer(line, line)
        enough = not self.is_dense or (result.diagonal() * MAX_LOST >= before).all()
        return result if enough else None

    def _dense_matrix(self) -> Array:
        d = self.rows.width
        check_time()
        if self.rows.bias < 0 and self._is_plain():
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

    def _is_plain(self) -> bool:
        """Whether A is the matrix of the caller, and the column of the bias, times one number."""
        rows = self.rows
        is_whole = rows.is_dense and rows.blocks is None and self.size == rows.shape[0] > 0
        return bool(is_whole and (self.roots == self.roots[0]).all())

    def _plain_matrix(self) -> Array | None:
        """None where too few digits are left beside the parts along the units."""
        values, d = self.rows.values, self.rows.width
        result = np.zeros((d, d))
        for begin in range(0, self.size, CHUNK):
            check_time()
            part = values[begin : begin + CHUNK].astype(np.float64, copy=False)
            result += part.T @ part  # of one array: BLAS computes a half of it
        result *= self.roots[0] ** 2
        whole = result.diagonal().copy()
        for line in self.lines:
            result -= np.outer(line, line)
        rest = result.diagonal()
        return result if (rest * MAX_LOST >= whole).all() else None

    def gram(self, inverse: Array, products: Array | None = None) -> Array:
        """Z diag(g) Z', Z the p × d factor with Z'Z this matrix; ``inverse`` is g ≥ 0 (d), one
        number where X X' is given as ``products``.
        """
        if products is not None:
            is_part = self.size < len(products)
            known = products[np.ix_(self.active, self.active)] if is_part else products
            known = self._of_digits(known * (inverse[0] * self.roots) * self.roots[:, np.newaxis])
        else:
            known = self._plain_gram(inverse) if self._is_plain() else None
        if known is not None:
            return known
        z = self._factor()
        if isinstance(z, np.ndarray):
            return _weighted_gram(z, inverse)
        return self._beside_units(((z * inverse) @ z.T).toarray())

    def _beside_units(self, gram: Array) -> Array:
        """A matrix less the parts of both sides along the units."""
        for unit in self.units:
            gram -= np.outer(unit, unit @ gram)
            gram -= np.outer(gram @ unit, unit)
        return gram

    def _of_digits(self, gram: Array) -> Array | None:
        whole = gram.trace()
        gram = self._beside_units(gram)
        return gram if gram.trace() * MAX_LOST >= whole else None

    def _plain_gram(self, inverse: Array) -> Array | None:
        """None as `_plain_matrix`."""
        z, inverse = self.rows.values.astype(np.float64, copy=False), self.roots[0] ** 2 * inverse
        result = _weighted_gram(z, inverse[: z.shape[1]])
        result += max(self.rows.bias, 0.0) ** 2 * inverse[-1]
        return self._of_digits(result)


def _weighted_gram(z: Array, inverse: Array) -> Array:
    """Z diag(inverse) Z'. As a product of one array BLAS computes a half of it."""
    if (inverse == inverse[0]).all():
        return inverse[0] * (z @ z.T)
    z = z * np.sqrt(inverse)
    return z @ z.T
