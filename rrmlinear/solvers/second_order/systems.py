"""Linear systems of Newton's method: (D + H) x = b, D diagonal, H a `Hessian` of p active terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.regularizers.group_curvatures import GroupCurvature
from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.second_order.class_systems import ClassSystems
from rrmlinear.solvers.second_order.conjugate_gradients import (
    FACTORED_DECREASE,
    MAX_PRODUCTS,
    MAX_REFINEMENTS,
    conjugate_gradients,
)
from rrmlinear.solvers.second_order.factors import Factor
from rrmlinear.solvers.second_order.group_factor import GroupFactor
from rrmlinear.solvers.second_order.kept_matrix import KeptMatrix
from rrmlinear.solvers.second_order.kept_products import KeptProducts
from rrmlinear.solvers.second_order.limits import (
    MAX_CLASS_FEATURES,
    MAX_FACTORIZED,
    MAX_GRAM_FRACTION,
    MIN_BY_CLASSES,
)

Array = NDArray[np.float64]

# Relative residual with a diagonal as preconditioner.
DIAGONAL_DECREASE = 0.1
# The least entries of D + H, beside D, that count where the largest serve alone; FINER times less
# after a system whose residual was MAX_MISSED times that aimed at. The largest serve where they are
# at most this fraction of all: a product with one of them takes twice the time.
FIRST_LEAST, FINER, MAX_MISSED, MAX_COUPLED = 0.02, 4.0, 2.0, 0.4
COUPLED_DECREASE, MAX_COUPLED_PRODUCTS = 0.2, 1000
# If the difference in Woodbury's formula is below this fraction of its first term, it has few
# correct digits.
CANCELLED = 1e-12
# A factor of a d × d system with all n rows active is kept while a system takes at most
# d / FEATURES_A_PRODUCT products: the Gram matrix of 20 000 × 500 takes as long as 18 products. If
# that number is below LEAST_KEPT, no factor is kept.
FEATURES_A_PRODUCT, LEAST_KEPT = 32, 6
# The first of these factors comes from a sample of SAMPLE_ROWS rows for each feature, if there are
# at least SAMPLED times as many rows. For 20 000 × 500 this factor takes a fifth of the time, and
# a system then takes two or three products.
SAMPLE_ROWS, SAMPLED = 8, 3
# Products of rows with each other that take at least this number of multiplications, some 5 ms, are
# float32 where F is quadratic; the limit on the products with these as preconditioner.
MIN_SINGLE, MAX_SINGLE_PRODUCTS = 1e8, 10
# Limit on the unknowns of a system whose matrix and factor are kept.
MAX_CHANGED = 1000


class Systems:
    """Solves (D + H) x = b, one system after the other.

    It is nearly exact for p or d up to MAX_FACTORIZED, else approximate. H = Z'Z with p × d Z. The
    smaller of D + Z'Z and I + Z D⁻¹ Z' is factorized (Woodbury), and conjugate gradients mend what
    its factor lacks by rounding. Beyond the limit, the parts of each class with itself serve as
    preconditioner, for the next systems too until these take many more products, or the diagonal.
    Of sparse rows with several scores the largest entries of D + H take its place.
    Where the second derivative of the losses ``is_flat``, 0 or a constant, a matrix of few features
    is made from the last one and the terms that came or went. Where F ``is_quadratic``, one system
    is the whole problem: the diagonal serves to the residual asked for. For systems of classes that
    are ``is_fine`` see `ClassSystems`.
    """

    def __init__(
        self, is_flat: bool = False, is_quadratic: bool = False, is_fine: bool = False
    ) -> None:
        self.is_flat, self.is_quadratic = is_flat, is_quadratic
        #: The factor of the last system over all features, of at most MAX_CHANGED.
        self.latest: Factor | None = None
        #: The matrix of the last system.
        self.last = KeptMatrix()
        self.of_classes = ClassSystems(is_fine)
        self.least = FIRST_LEAST
        #: The products of all rows with each other, and these rows.
        self.products: Array | None = None
        self.rows: Any = None
        #: The products of rows that were active in systems so far.
        self.some: KeptProducts | None = None
        #: The factor of I + Z D⁻¹ Z' from float32 products, of a quadratic F, and the residual of
        #: its systems.
        self.single: Factor | None = None
        self.decrease = FACTORED_DECREASE
        #: The factor of an earlier system with all rows active.
        self.kept: Factor | None = None

    def solved(
        self,
        hessian: Any,
        diagonal: Array | GroupCurvature,
        b: Array,
        decrease: float = FACTORED_DECREASE,
    ) -> Array:
        """x with (D + H) x ≈ b, to a relative residual of ``decrease`` where a factor is kept.

        D may be a matrix: then D + H is factorized. So it is, or the p × p system, where D is that
        of groups.
        """
        p, d = hessian.size, len(b)
        if isinstance(diagonal, GroupCurvature):
            return self._by_groups(hessian, diagonal, b)
        if diagonal.ndim > 1:
            return self._by_matrix(hessian.matrix() + diagonal if p else diagonal, b)
        if p == 0:
            return b / diagonal

        def product(x: Array) -> Array:
            return hessian.product(x) + diagonal * x

        by_gram = p <= MAX_FACTORIZED and p <= MAX_GRAM_FRACTION * d
        if by_gram:
            if self.is_quadratic and self._is_long(hessian, diagonal):
                x = self._by_single_gram(hessian, diagonal[0], b)
                if x is not None:
                    return x
            precondition = self._by_gram(hessian, 1 / diagonal)
        elif d <= MAX_FACTORIZED:
            if hessian.k > 1 and d > MIN_BY_CLASSES:
                begin, rest = self.of_classes.by_parts_or_all(hessian, diagonal, product, b)
            else:
                if self.kept is None and self._keeps(hessian, d):
                    if decrease > FACTORED_DECREASE:
                        self.kept = _factor_of_sample(hessian, diagonal)
                    if self.kept is None and self.is_quadratic:
                        decrease = min(decrease, FACTORED_DECREASE)
                        self.kept = _factor_of_single(hessian, diagonal)
                begin, rest = self._by_kept(hessian, product, b, decrease)
            if rest is None:
                return begin
            matrix = self._matrix(hessian, diagonal)
            matrix.flat[:: d + 1] += diagonal
            factor, product = Factor(matrix.copy()), matrix.__matmul__
            self.latest = factor if d <= MAX_CHANGED else None
            self.kept = factor if self._keeps(hessian, d) else None
            more, _ = conjugate_gradients(
                product, factor.solve, rest, FACTORED_DECREASE, MAX_REFINEMENTS
            )
            return begin + more
        elif hessian.k > 1 and d <= MAX_CLASS_FEATURES * hessian.k:
            return self.of_classes.by_parts(hessian, diagonal, product, b)
        else:
            x = self._by_couplings(hessian, diagonal, product, b)
            if x is not None:
                return x
            scale = 1 / (hessian.diagonal() + diagonal)
            rough = decrease if self.is_quadratic else DIAGONAL_DECREASE
            x, _ = conjugate_gradients(product, lambda r: scale * r, b, rough, MAX_PRODUCTS)
            return x
        return conjugate_gradients(product, precondition, b, FACTORED_DECREASE, MAX_REFINEMENTS)[0]

    def _matrix(self, hessian: Any, diagonal: Array) -> Any:
        """H, from the matrix of the last system where few terms have changed."""
        if not (self.is_flat and len(diagonal) <= MAX_CHANGED and isinstance(hessian, Hessian)):
            return hessian.matrix()
        return self.last.of(hessian, diagonal).copy()

    def _by_matrix(self, matrix: Array, b: Array) -> Array:
        solve = Factor(matrix.copy()).solve
        product = matrix.__matmul__
        return conjugate_gradients(product, solve, b, FACTORED_DECREASE, MAX_REFINEMENTS)[0]

    def _by_groups(self, hessian: Any, curvature: GroupCurvature, b: Array) -> Array:
        p, d = hessian.size + len(curvature.rows), len(b)
        if p <= MAX_FACTORIZED and p <= MAX_GRAM_FRACTION * d:

            def product(x: Array) -> Array:
                return np.asarray(hessian.product(x) + curvature.product(x))

            solve = GroupFactor(hessian, curvature).solve
            x, _ = conjugate_gradients(product, solve, b, FACTORED_DECREASE, MAX_REFINEMENTS)
            inverse, rest = 1 / (hessian.diagonal() + curvature.diagonal), b - product(x)
            is_right = rest @ (inverse * rest) <= FACTORED_DECREASE**2 * (b @ (inverse * b))
            if is_right or d > MAX_FACTORIZED:
                return x
        matrix = curvature.matrix()
        return self._by_matrix(hessian.matrix() + matrix if hessian.size else matrix, b)

    def _keeps(self, hessian: Any, d: int) -> bool:
        """Whether the factor of a system may serve the next: its rows are all active there too."""
        if hessian.k > 1 or d < LEAST_KEPT * FEATURES_A_PRODUCT:
            return False
        rows: Rows | None = getattr(hessian, "rows", None)
        return rows is not None and rows.is_dense and hessian.size == rows.shape[0]

    def _by_kept(
        self, hessian: Any, product: Callable[[Array], Array], b: Array, decrease: float
    ) -> tuple[Array, Array | None]:
        """x by the factor of an earlier system or of a sample, and b less the product with it; None
        where that is small enough.
        """
        if self.kept is None or not self._keeps(hessian, len(b)):
            return np.zeros_like(b), b
        most = len(b) // FEATURES_A_PRODUCT
        x, products = conjugate_gradients(product, self.kept.solve, b, decrease, most)
        return x, b - product(x) if products == most else None

    def _by_gram(self, hessian: Any, inverse: Array) -> Callable[[Array], Array]:
        matrix = self._gram(hessian, inverse)
        matrix.flat[:: len(matrix) + 1] += 1.0
        factor = Factor(matrix)

        def split(b: Array) -> tuple[Array, Array]:
            """y, and b − Z'y, which is D x."""
            y = factor.solve(hessian.times(inverse * b))
            return y, b - hessian.adjoint(y)

        def solve(b: Array) -> Array:
            y, rest = split(b)
            if np.abs(rest).max() > CANCELLED * np.abs(b).max():
                return np.asarray(inverse * rest)
            # b is Z'y nearly, whose x needs no difference of numbers that are nearly equal
            return np.asarray(inverse * (hessian.adjoint(factor.solve(y)) + split(rest)[1]))

        return solve

    def _is_long(self, hessian: Any, diagonal: Array) -> bool:
        """Whether the products of all rows with each other take long, and D is a multiple of I."""
        if hessian.k > 1 or hessian.size**2 * len(diagonal) < MIN_SINGLE:
            return False
        return bool((diagonal == diagonal[0]).all()) and hasattr(hessian, "single_gram")

    def _by_single_gram(self, hessian: Any, modulus: float, b: Array) -> Array | None:
        """x = D⁻¹ (b − Z'y) of y by conjugate gradients for I + Z D⁻¹ Z', about its factor from
        float32 products; None where these have too few digits.
        """
        if self.single is None:
            gram = hessian.single_gram(1 / modulus)
            if gram is None:
                return None
            # the difference b − Z'y is smaller than b by this
            self.decrease = FACTORED_DECREASE / (1 + gram.trace() / len(gram))
            gram.flat[:: len(gram) + 1] += 1.0
            self.single = Factor(gram)

        def product(y: Array) -> Array:
            return np.asarray(y + hessian.times(hessian.adjoint(y) / modulus))

        right = hessian.times(b / modulus)
        y, products = conjugate_gradients(
            product, self.single.solve, right, self.decrease, MAX_SINGLE_PRODUCTS
        )
        rest = b - hessian.adjoint(y)
        is_right = np.abs(rest).max() > CANCELLED * np.abs(b).max()
        return rest / modulus if is_right and products < MAX_SINGLE_PRODUCTS else None

    def _gram(self, hessian: Any, inverse: Array) -> Array:
        """Z D⁻¹ Z'; where D is a multiple of the unit matrix, from products that are kept."""
        if hessian.k > 1 or (inverse != inverse[0]).any():
            return hessian.gram(inverse)
        if self.rows is not hessian.rows:
            if not hessian.keeps_products:
                gram = self._gram_of_kept(hessian, float(inverse[0]))
                return hessian.gram(inverse) if gram is None else gram
            self.products, self.rows = hessian.row_products(), hessian.rows
        gram = hessian.gram_of(self.products, float(inverse[0]))
        return hessian.gram(inverse) if gram is None else gram

    def _gram_of_kept(self, hessian: Any, inverse: float) -> Array | None:
        """The same of equal ``inverse``, from products of active rows that earlier systems made."""
        if self.some is None or self.some.rows is not hessian.rows:
            self.some = KeptProducts(hessian.rows)
        if not self.some.suits(hessian):
            return None
        places = self.some.places(hessian.active)
        return hessian.gram_of(self.some.products, inverse, places)

    def _by_couplings(
        self, hessian: Any, diagonal: Array, product: Callable[[Array], Array], b: Array
    ) -> Array | None:
        """x by the largest entries of the matrix alone; None where most of them are large."""
        if not hasattr(hessian, "couplings"):  # one summed over workers
            return None
        rows = hessian.rows
        if rows.is_dense or rows.blocks is not None:
            return None
        most = int(MAX_COUPLED * hessian.k * rows.n_stored)
        couplings = hessian.couplings(diagonal, self.least, most)
        if not couplings.is_small:
            return None
        some, scale, inverse = couplings.some, couplings.scale, couplings.inverse
        y, products = conjugate_gradients(
            couplings.product, lambda r: r, scale * b[some], COUPLED_DECREASE, MAX_COUPLED_PRODUCTS
        )
        x = inverse * b
        x[some] = scale * y
        rest = b - product(x)
        missed = MAX_MISSED * COUPLED_DECREASE
        is_rough = rest @ (inverse * rest) > missed**2 * (b @ (inverse * b))
        if is_rough and products < MAX_COUPLED_PRODUCTS:
            self.least /= FINER
        return x


def _factor_of_sample(hessian: Any, diagonal: Array) -> Factor | None:
    """The factor of D plus the part of H that a sample of rows has, times all rows over these; None
    where there are few.
    """
    n, m = hessian.size, SAMPLE_ROWS * len(diagonal)
    if n < SAMPLED * m:
        return None
    chosen = np.sort(np.random.default_rng(n).choice(n, m, replace=False))
    some = hessian.among(chosen)
    matrix = some.single_matrix()
    return _factor_beside(diagonal, (n / m) * (some.matrix() if matrix is None else matrix))


def _factor_of_single(hessian: Any, diagonal: Array) -> Factor | None:
    """The factor of D + H from float32 products; None where H has none."""
    matrix = hessian.single_matrix()
    return None if matrix is None else _factor_beside(diagonal, matrix)


def _factor_beside(diagonal: Array, matrix: Array) -> Factor:
    matrix.flat[:: len(matrix) + 1] += diagonal
    return Factor(matrix)
