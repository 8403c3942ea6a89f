"""The second derivative of F(w) = Σ_i c_i φ(x_i'w, y_i), as a matrix, and as one over its rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.deadline import check_time
from rrmlinear.data.rows import Rows
from rrmlinear.risks._row_sums import RowSums
from rrmlinear.risks.row_factor import RowFactor, is_nearly_full

Array = NDArray[np.float64]

# A pair of stored values and the copy of an entry, in multiplications of BLAS: the matrix of
# covtype takes 21 ms by pairs and 66 by copies; that of splice, whose rows are full, 0.68 and 0.14.
PAIR_COST, COPY_COST = 11.0, 70.0
# A column may be by the root of this number longer than the rest of it beside an intercept: the
# others are centred in a copy.
MAX_LOST = 1e6
# Products of rows in I + Z D⁻¹ Z' are float32 unless the largest square among LOOK rows is above
# MAX_SINGLE.
LOOK, MAX_SINGLE = 64, 1e8

# Rows that are scaled in a dense copy at once.
CHUNK = 4096
# Columns that are copied to float32 at once.
SINGLE_CHUNK = 2048


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


class Hessian(RowFactor):
    """Σ_i h_i x_i x_i' less Σ_v u_v u_v' / m_v, u_v = Σ h_i v_i x_i, m_v = Σ h_i v_i².

    ``free`` are the v: with them it is the second derivative of the minimum over numbers b_v of
    Σ c_i φ(x_i'w + Σ_v b_v v_i, y_i), as with v = 1 over an intercept. It is Z'Z with the Z of
    `RowFactor`.
    """

    __slots__ = ()

    #: Scores of an example.
    k = 1

    def among(self, chosen: NDArray[Any]) -> Hessian:
        """The part of some of the active rows."""
        h = np.zeros(self.rows.shape[0])
        h[self.active[chosen]] = self.weights[self.active[chosen]]
        return Hessian(self.rows, h, self.free)

    def matrix(self) -> Array:
        """All of it, d × d."""
        if not self._suits_pairs():
            return self._dense_matrix()
        result = self.by_pairs()
        for line in self.lines:
            result -= np.outer(line, line)
        return result

    @np.errstate(over="ignore", invalid="ignore")
    def single_matrix(self) -> Array | None:
        """`matrix` from float32 products, half the time; None for rows that are not dense in memory
        or have several weights, for several ``free``, and where float32 overflows.
        """
        centre = self._centre()
        if centre is None:
            return None
        values = self.rows.values
        result = np.zeros((len(centre), len(centre)))
        for begin in range(0, self.size, CHUNK):
            check_time()
            chosen = self.active[begin : begin + CHUNK]
            are_all = self.size == len(values)
            part = _single(values[begin : begin + CHUNK] if are_all else values[chosen], centre)
            result += part.T @ part
        return self.roots[0] ** 2 * result if np.isfinite(result.trace()) else None

    def _centre(self) -> Array | None:
        """The row c with which Z is √h (X − 1 c'); None where there is none."""
        rows, roots = self.rows, self.roots
        if not rows.is_dense or rows.bias >= 0 or rows.blocks is not None or self.size == 0:
            return None
        if len(self.units) > 1 or (roots != roots[0]).any():
            return None
        if not self.units:
            return np.zeros(rows.width)
        unit, line = self.units[0], self.lines[0]
        return unit[0] / roots[0] * line if (unit == unit[0]).all() else None

    def matrix_after(self, other: Hessian, matrix: Array) -> Array | None:
        """All of it, from that of another one over the same rows if few h_i differ; else None."""
        if other.rows is not self.rows or self.units or other.units or not self._suits_pairs():
            return None
        change = RowSums(self.rows, self.weights - other.weights)
        return matrix + change.by_pairs() if 2 * change.size <= self.size else None

    def _suits_pairs(self) -> bool:
        if not self.is_dense:
            return True
        # along units a dense copy keeps more digits
        if self.rows.is_dense or self.units:
            return False
        pairs, copied = _row_costs(self.rows)
        return pairs < copied

    def _dense_matrix(self) -> Array:
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

    def _is_plain(self) -> bool:
        """Whether A is the matrix of the caller times one number."""
        rows = self.rows
        if not rows.is_dense or rows.bias >= 0 or rows.blocks is not None:
            return False
        return self.size == rows.shape[0] > 0 and (self.roots == self.roots[0]).all()

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

    def gram(self, inverse: Array) -> Array:
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
    def keeps_products(self) -> bool:
        """Whether `row_products` take less than two calls of `gram`."""
        n = self.rows.shape[0]
        return self.rows.is_dense and self.rows.blocks is None and 4 * self.size**2 >= 3 * n * n

    def row_products(self) -> Array:
        """X X', which `gram_of` takes: the same for all h."""
        values, bias = self.rows.values.astype(np.float64, copy=False), max(self.rows.bias, 0.0)
        return values @ values.T + bias * bias

    def gram_of(self, products: Array, inverse: float) -> Array | None:
        """`gram` of equal ``inverse``, from the `row_products`; None as `_plain_matrix`."""
        roots = np.sqrt(inverse) * self.roots
        result = products[np.ix_(self.active, self.active)] * roots
        result *= roots[:, np.newaxis]
        return self._of_digits(result)

    def single_gram(self, inverse: float) -> Array | None:
        """`gram` of equal ``inverse`` from float32 products; None as `single_matrix`, where some
        rows are left out, and where some tell that an entry of the diagonal is above MAX_SINGLE.
        """
        centre = self._centre()
        if centre is None or self.size < self.rows.shape[0]:
            return None
        factor, values = self.roots[0] ** 2 * inverse, self.rows.values
        if not factor * np.square(_look(values) - centre).sum(axis=1).max() <= MAX_SINGLE:
            return None
        result = _products_of_rows(values, centre)
        result *= factor
        return result if np.isfinite(result.trace()) else None

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
        z = self.rows.values.astype(np.float64, copy=False)
        result = _weighted_gram(z, self.roots[0] ** 2 * inverse)
        return self._of_digits(result)


def _weighted_gram(z: Array, inverse: Array) -> Array:
    """Z diag(inverse) Z'. As a product of one array BLAS computes a half of it."""
    if (inverse == inverse[0]).all():
        return inverse[0] * (z @ z.T)
    z = z * np.sqrt(inverse)
    return z @ z.T


@np.errstate(over="ignore", invalid="ignore")
def _products_of_rows(values: Any, centre: Array) -> Array:
    """The float32 products of the rows less ``centre`` with each other."""
    n, d = values.shape
    result = np.zeros((n, n))
    for begin in range(0, d, SINGLE_CHUNK):
        check_time()
        end = begin + SINGLE_CHUNK
        part = _single(values[:, begin:end], centre[begin:end])
        result += part @ part.T
    return result


def _single(values: Any, centre: Array) -> NDArray[np.float32]:
    """The rows less ``centre`` in float32."""
    if not centre.any():
        return np.asarray(values.astype(np.float32, copy=False))
    place = np.empty(values.shape, dtype=np.float32)
    return np.asarray(np.subtract(values, centre, out=place, casting="same_kind"))


def _look(values: Any) -> Array:
    """Some of the rows in float64."""
    return np.asarray(values[:: max(1, len(values) // LOOK)].astype(np.float64))
