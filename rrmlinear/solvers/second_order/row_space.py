"""Few examples of many features: their problem over as many weights as there are examples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.tolerances import MIN_DIVISOR
from rrmlinear.solvers.second_order._triangles import solved_by_factor
from rrmlinear.solvers.second_order.systems.gram_systems import MIN_SINGLE

Array = NDArray[np.float64]

# Rounding may leave XX' without a Cholesky factor. Then this fraction of its mean diagonal is added
# to the diagonal. While that does not suffice, SHIFT_GROWTH times as much is added.
FIRST_SHIFT, SHIFT_GROWTH = 1e-14, 100.0
# In float32 rounding leaves this fraction of the diagonal. A loss with kinks has it as a gap: for
# tolerances below MIN_SINGLE_TOLERANCE float32 would be of no use.
SINGLE_SHIFT, MIN_SINGLE_TOLERANCE = 1e-6, 1e-5


class RowSpace(Solver):
    """minimize Ω(w) + F(X w), Ω(w) = (s/2)‖w‖², X n × d with n below d, over n weights.

    With X X' = L L' every w has a u with L u = X w and ‖u‖ ≤ ‖w‖, and equality for w = X'β, u =
    L'β. So the problem on the rows of L, which have n values, has the same optimum and the same
    duals. ``build(rows)`` makes a solver of it. Scores of an intercept that is left free are beside
    X; the column of one with a penalty is a column of X.

    Certificate: weights and duals found on L, measured on X. Large products are float32 first. If
    that leaves a gap on X above the target, where the one on L is within it, L is made anew from
    float64 products. Raises ValueError for rows that are
    not dense.
    """

    def __init__(
        self,
        risk: Any,
        regularizer: Regularizer,
        build: Callable[[Rows], Solver],
        form: Callable[[Any], Array],
        shared: dict[Any, Any] | None = None,
    ) -> None:
        """``form`` turns duals of a Result into those of the risk. ``shared`` keeps the factor for
        other problems on the same rows.
        """
        super().__init__()
        if not risk.rows.is_dense:
            raise ValueError("the factor of X X' takes dense rows")
        self.risk, self.regularizer = risk, regularizer
        self.build, self.form = build, form
        self.shared: dict[Any, Any] = {} if shared is None else shared
        #: Three products with X, in visits of n values.
        self.measuring_work = 3.0 * risk.rows.shape[1]
        #: The solver on L; None until it has begun, which a time limit may prevent.
        self.inner: Solver | None = None

    def start(self) -> None:
        self.certificate = Certificate(self.risk, self.regularizer)
        n, d = self.risk.rows.shape
        self.every = Hessian(self.risk.rows, np.ones(n))
        self.done = 0.0
        is_rough = self.risk.loss.smoothing > 0 or self.tolerance >= MIN_SINGLE_TOLERANCE
        self._begin(n * n * d >= MIN_SINGLE and is_rough)

    def _begin(self, is_single: bool) -> Solver:
        """The solver on L, from float32 products if ``is_single`` and no other L is known."""
        key = "factor of rows", self.risk.rows.bias
        if key not in self.shared or (self.shared[key][1] and not is_single):
            products = self.every.single_row_products() if is_single else None
            if products is None:
                self.shared[key] = cholesky_factor(self.every.row_products()), False
            else:
                self.shared[key] = cholesky_factor(products, SINGLE_SHIFT), True
        self.factor, self.is_single = self.shared[key]
        inner = self.build(Rows(self.factor, None, None, len(self.factor)))
        inner.deadline, inner.target = self.deadline, self.target
        try:
            inner.start()
        except BaseException:
            inner.close()
            raise
        self.inner, self.told = inner, 0
        return inner

    def run_pass(self, number: int) -> None:
        inner = self.inner
        assert inner is not None
        if self.is_single and inner.certificate.gap <= self.target < self.certificate.gap:
            self.done += inner.work
            inner.close()
            inner = self._begin(is_single=False)
        inner.target, inner.first_gap, inner.deadline = self.target, self.first_gap, self.deadline
        inner.run_pass(number)
        self.work, self.moved = self.done + inner.work, inner.moved
        self.notes += inner.notes[self.told :]
        self.told = len(inner.notes)

    def estimate(self) -> tuple[float, float]:
        return super().estimate() if self.inner is None else self.inner.estimate()

    def measure(self) -> None:
        inner, shape = self.inner, self.risk.shape
        if inner is None:
            return
        inner.measure()
        duals, found = inner.duals(), inner.final_weights()
        if duals is None or found is None:  # no point had a finite value
            return
        alphas = self.form(duals)
        vector = self.risk.gradient(alphas)
        self.certificate.offer_duals(alphas, vector, exact=True)
        weights = self._weights(found[: len(self.factor)])
        self.certificate.offer_weights(weights.reshape(shape))
        self.certificate.offer_weights(self.regularizer.primal_of(vector.ravel()).reshape(shape))

    def _weights(self, u: Array) -> Array:
        """X'β, L'β = u."""
        columns = u.reshape(len(u), -1).T
        betas = [solved_by_factor(self.factor, self.factor @ column) for column in columns]
        return np.column_stack([self.every.adjoint(beta) for beta in betas])

    def value_at_zero(self) -> float:
        return super().value_at_zero() if self.inner is None else self.inner.value_at_zero()

    def support(self) -> dict[str, int]:
        return {} if self.inner is None else self.inner.support()

    def close(self) -> None:
        if self.inner is not None:
            self.inner.close()


def cholesky_factor(products: Array, first: float = FIRST_SHIFT) -> Array:
    """L with L L' = ``products``, n × n, to rounding: some ``first`` of the mean diagonal. Raises
    FloatingPointError where these are not finite.
    """
    if not np.isfinite(products).all():
        raise FloatingPointError("products of examples have overflowed; scale the data")
    n, shift = len(products), 0.0
    mean = float(products.trace()) / max(n, 1) or 1.0
    while True:
        try:
            return np.ascontiguousarray(np.linalg.cholesky(products))
        except np.linalg.LinAlgError:
            more = max(SHIFT_GROWTH * shift, first * mean, MIN_DIVISOR)
            products.flat[:: n + 1] += more - shift
            shift = more
