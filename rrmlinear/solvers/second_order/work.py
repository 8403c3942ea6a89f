"""The work of methods on a problem, in nanoseconds, by sizes alone: the same seed gives the same
run.
"""

from __future__ import annotations

import math

from rrmlinear.core.cached import cached_property
from rrmlinear.core.loading import loading
from rrmlinear.data.rows import Rows
from rrmlinear.risks.hessian import is_nearly_full
from rrmlinear.solvers.dual.dual_descent import CLASS_COST, NONZERO_COST
from rrmlinear.solvers.second_order.factors import (
    DIAGONAL_DECREASE,
    MAX_FACTORIZED,
    MAX_GRAM_FRACTION,
    MAX_PRODUCTS,
    MAX_REFINEMENTS,
)

# The cost of a pass and of a step of Newton's method in Python, without their visits. The cost of a
# score of an example, of a multiplication in BLAS and in the Gram matrix of dense rows, of which
# BLAS computes a half, and of a stored value that is read from a file.
PASS_COST, STEP_COST = 1e5, 3e5
SCORE_COST, BLAS_COST, DENSE_GRAM_COST, READING_COST = 20.0, 0.08, 0.02, 6.0
# Products with all examples in a step of Newton's method, and in one of a gradient method.
NEWTON_PRODUCTS, BATCH_PRODUCTS = 6, 3
# Kinks of the loss make several inner problems of Newton's method, and those of the regularizer
# too.
INNER_PROBLEMS = 3


class Work:
    """The work over these rows for a loss of one score, or of ``n_classes``.

    ``quadratic_l1`` is that of Ω. ``visit`` is the work of a visit of an ascent, whose dual step
    takes ``step_work`` more, and ``product`` that of an example in a product with all, from a file
    where the rows are streamed.
    """

    def __init__(
        self,
        rows: Rows,
        n_classes: int | None,
        is_smooth: bool,
        quadratic_l1: float | None,
        step_work: float = 0.0,
    ) -> None:
        self.rows, self.is_smooth, self.quadratic_l1 = rows, is_smooth, quadratic_l1
        self.n, self.d, self.k = max(1, rows.shape[0]), rows.width, n_classes or 1
        self.stored = max(1.0, rows.n_stored / self.n)
        product = visit_work(self.stored, self.k, rows.is_dense)
        self.visit = product + step_work
        self.product = product + (0.0 if rows.blocks is None else READING_COST) * self.stored
        #: The work of an example in a pass of a gradient method.
        self.gradient = BATCH_PRODUCTS * self.product

    def whole(self, visit: float) -> float:
        """The work of a pass in which each example takes ``visit``."""
        return self.n * visit + PASS_COST

    @cached_property
    def step(self) -> float:
        """A step of Newton's method."""
        return STEP_COST + NEWTON_PRODUCTS * self.n * self.product + self._system()

    def _system(self) -> float:
        """The work of a system: of examples, of weights, or by conjugate gradients."""
        n, d, k, stored = self.n, self.d, self.k, self.stored
        unknowns, duals = d * k, n * max(1, k - 1)
        # beside kinks about one dual of an example lies between its bounds; a 1-norm has optima at
        # vertices, with as many such duals as weights that are not 0
        most = n if self.quadratic_l1 == 0 else duals
        active = duals if self.is_smooth else min(most, unknowns + n // 10)
        few = active <= min(MAX_FACTORIZED, MAX_GRAM_FRACTION * unknowns)
        visit = NONZERO_COST + CLASS_COST * k
        is_easy = k == 1 and self.is_smooth and self.quadratic_l1 == 0
        products = 1 / DIAGONAL_DECREASE if is_easy else MAX_PRODUCTS  # others take nearly all
        by_products = 2 * products * min(n, active) * stored * visit
        if self.quadratic_l1 is not None and few:
            is_dense = k == 1 and is_nearly_full(self.rows)
            gram = DENSE_GRAM_COST if is_dense else BLAS_COST
            matrix = gram * active**2 * stored + BLAS_COST * active**3 / 3
        elif self.d * self.k <= MAX_FACTORIZED:  # the matrix of all weights
            row = matrix_work(self.rows) if k == 1 else BLAS_COST * stored**2
            matrix = row * active + BLAS_COST * unknowns**3 / 3
        else:
            return by_products
        return min(matrix, by_products) if is_easy else matrix


def matrix_work(rows: Rows) -> float:
    """What an example adds to the work of a second derivative of one score, d × d."""
    with loading:
        from rrmlinear.risks.hessian import row_cost

    return DENSE_GRAM_COST * row_cost(rows)


def products_of_matrix(rows: Rows) -> int:
    """How many products with such a matrix take as long as to make it and its factor, or those of
    the products of examples where these are few; 0 where they are fewer than MAX_REFINEMENTS, which
    seldom suffice.
    """
    n, d = rows.shape[0], rows.width
    whole = n * matrix_work(rows) + BLAS_COST * d**3 / 3
    if n <= MAX_GRAM_FRACTION * d:
        whole = min(whole, BLAS_COST * (n * rows.n_stored + n**3 / 3))
    read = rows.n_stored + 5 * (n + d)  # with the vectors of conjugate gradients
    products = int(whole / (2 * NONZERO_COST * read))
    return products if products >= MAX_REFINEMENTS else 0


def sampled(n: int, d: int, row: float, step: float, decrease: float) -> int:
    """Of how many of n examples one goes into the d × d matrix that steps to a ``decrease`` take.

    An example takes ``row`` in the matrix and ``step`` in a step. With the factor of a matrix of m
    examples as metric a step lowers the gradient by √(d/m), the rate of Wishart matrices. Source:
    Edelman, Eigenvalues and condition numbers of random matrices, 1988.
    """

    def work(stride: int) -> float:
        rate = math.log(n / (stride * d)) / 2
        return row / stride + math.ceil(math.log(1 / decrease) / rate) * step

    strides = [2**power for power in range(64) if n > 2**power * d]
    return min(strides, key=work, default=1)


def visit_work(stored: float, k: int, is_dense: bool = False) -> float:
    """The work of a visit of an ascent of k scores; places of values in dense rows are not read."""
    return SCORE_COST * k + stored * _value_work(k, is_dense)


def _value_work(k: int, is_dense: bool) -> float:
    return (not is_dense) * NONZERO_COST + CLASS_COST * k


def values_each(rows: Rows, k: int = 1) -> float:
    """The stored values that a sweep over features reads in the time of a visit."""
    stored = rows.n_stored / max(1, rows.shape[0])
    return visit_work(stored, k, rows.is_dense) / _value_work(k, rows.is_dense)
