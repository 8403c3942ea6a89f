"""A part of the rows with its duals: what it does in a round."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.blas import one_blas_thread
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.dual.ascents import ascent_of
from rrmlinear.solvers.dual.streamed.row_ascent import RowAscent
from rrmlinear.solvers.loop.result import DualBlocks, duals_by_scores
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.rounds.orders import Facts, Order, Packed, Report
from rrmlinear.solvers.rounds.spread import Request, Sums
from rrmlinear.solvers.rounds.vectors import Vectors

Array = NDArray[np.float64]


def has_rounds(regularizer: Regularizer) -> bool:
    """Whether rounds over parts take this regularizer: the squared norm and the elastic net."""
    try:
        return regularizer.scaled(1.0).modulus > 0
    except TypeError:
        return False


class Part:
    """Examples with their duals, their ascent and their part of u.

    The task has the part's rows and the regularizer of all parts. ``sample`` finds the weights of
    some examples, with costs this many times as high. ``duals`` are those to begin with, and
    ``place`` is the part's number.

    An order may come twice, and has the same reply; or its round is given up, and `settle` takes
    the duals back to the beginning.
    """

    def __init__(
        self, task: Task, sample: Callable[[float], Array], duals: Any = None, place: int = 0
    ) -> None:
        self.place = place
        self.regularizer, self.columns = task.regularizer, task.n_classes or 1
        self.make_risk, self.sample = task.whole, sample
        self.vectors: Vectors | None = None
        self.ascent: RowAscent = ascent_of(task)
        self.ascent.start()
        self.number = self.passes = 0
        self.reply: tuple[Packed, Report] | None = None
        #: The last order, if it made no passes, and the losses.
        self.looked: tuple[Order, float] | None = None
        self.shape = self.ascent.rows.width, self.columns
        self.own, self.change = np.zeros(self.shape), np.zeros(self.shape)
        #: The duals when the last round began.
        self.before = self.ascent.present_duals()
        #: Whether the mean of conjugates takes the place of that at the mean of duals.
        self.is_linear = isinstance(self.before, DualBlocks)
        ascent: Any = self.ascent
        if not self.is_linear and not ascent.loss.differentiable:
            pieces = ascent.loss.pieces(ascent.y)
            self.is_linear = pieces is not None and len(pieces) == 1
        self.known_facts: Facts | None = None
        if duals is not None:
            self.ascent.replace_duals(duals)
            self.before = self.ascent.present_duals()
            self.own = self._combination()

    def facts(self) -> Facts:
        """Those of the part, looked for once."""
        if self.known_facts is None:
            self.known_facts = self._facts()
        return self.known_facts

    def _facts(self) -> Facts:
        zero = self.ascent.value_at_zero() - self.regularizer.value_of(
            np.zeros(np.prod(self.shape))
        )
        return Facts(self.ascent.n, self.ascent.rows.n_stored, zero)

    def settle(self, number: int, step: float) -> None:
        """Bring the duals to the beginning of round ``number``, after a round with ``step``."""
        if self.number >= number:
            self.ascent.replace_duals(self.before)
        elif self.number:
            if step != 1:
                duals = mixture(self.before, self.ascent.present_duals(), step)
                self.ascent.replace_duals(duals)
            self.own += step * self.change
        self.number = number - 1

    def round(self, order: Order) -> tuple[Packed, Report]:
        """The change of u by passes over the part, and its sums."""
        if self.reply is None or self.number != order.number:
            with one_blas_thread():
                self.reply = self._round(order)
        return self.reply

    def _round(self, order: Order) -> tuple[Packed, Report]:
        ascent = self.ascent
        begun = time.perf_counter()
        passes = order.passes[self.place if len(order.passes) > 1 else 0]
        self.settle(order.number, order.step)
        omega = self.regularizer.with_quadratic(order.kappa) if order.kappa else self.regularizer
        vector = self._vector()
        local = order.vector / order.sigma
        vector[:] = local
        ascent.retune(omega.scaled(1 / order.sigma))
        losses, before = self._losses(order), ascent.conjugates()
        self.looked = None if passes else (order, losses)
        ascent.activate()
        self.before, self.number = ascent.present_duals(), order.number
        moved = 0
        for _ in range(passes):
            self.passes += 1
            ascent.run_pass(self.passes)
            moved += ascent.moved
        self.change = vector - local
        after = ascent.conjugates()
        middle = self._middle(before, after)
        square, own = (float(np.vdot(each, each)) for each in (self.change, self.own))
        times = ((self.place, passes, time.perf_counter() - begun),)
        report = Report(losses, before, middle, after, square, own, moved, times)
        return Packed.of(self.change), report

    def _losses(self, order: Order) -> float:
        """Losses at the weights of an order: those known, if these are 0 or the order before looked
        there.
        """
        if not order.vector.any():
            return self.facts().zero
        if self.looked is not None:
            known, losses = self.looked
            models = (known.kappa, known.sigma) == (order.kappa, order.sigma)
            if models and np.array_equal(known.vector, order.vector):
                return losses
        return self.ascent.losses()

    def give_up(self, number: int, step: float) -> Packed:
        """Give up round ``number``, begun or not; returns u's part, added up anew."""
        self.settle(number, step)
        self.before = self.ascent.present_duals()
        self.own, self.change = self._combination(), np.zeros(self.shape)
        self.number, self.reply = 0, None
        return Packed.of(self.own)

    def checkpoint(self) -> Any:
        """The duals when the last round began, or those that came after."""
        return self.before

    def answer(self, request: Request) -> Sums:
        """Sums of the part's vectors."""
        if self.vectors is None:
            risk = self.make_risk()
            self.vectors = Vectors(
                risk, self._own_duals, lambda a: self._keep(risk.duals(a)), self.sample
            )
        return self.vectors.answer(request)

    def _own_duals(self) -> Array:
        """The present duals in the form of the risk."""
        duals = self.ascent.present_duals()
        if not isinstance(duals, DualBlocks):
            return np.asarray(duals)
        ascent: Any = self.ascent
        return duals_by_scores(duals, ascent.label, ascent.costs, self.columns)

    def _keep(self, duals: Array) -> None:
        """Take duals; `give_up` adds up the part of u before the next round."""
        self.ascent.replace_duals(duals if duals.ndim == 1 else DualBlocks.of(duals))
        self.before, self.number = self.ascent.present_duals(), 0

    def _middle(self, before: float, after: float) -> float:
        """Conjugates at half of the change; for several scores their bound by convexity."""
        if self.is_linear:
            return (before + after) / 2
        ascent: Any = self.ascent
        halves = (self.before + ascent.present_duals()) / 2
        return float(ascent.costs @ ascent.loss.conjugates(ascent.y, halves))

    def _vector(self) -> Array:
        """v in the kernel's memory, without its padding."""
        vector = self.ascent.dual_vector
        return vector.reshape(self.shape[0], -1)[:, : self.columns]

    def _combination(self) -> Array:
        """Σ c_i α_i x_i at the present duals."""
        self.ascent.rebuild(np.zeros(self.ascent.dual_vector.size))
        return self._vector().copy()


def mixture(first: Any, second: Any, step: float) -> Any:
    """(1 − step) first + step second, of duals in either form."""
    if not isinstance(first, DualBlocks):
        return (1 - step) * first + step * second
    from scipy.sparse import csr_array

    n = len(first.indptr) - 1
    columns = 1 + max(
        (int(each.classes.max()) for each in (first, second) if len(each.classes)), default=0
    )
    one, two = (
        csr_array((each.values, each.classes, each.indptr), shape=(n, columns))
        for each in (first, second)
    )
    mixed = csr_array((1 - step) * one + step * two)
    return DualBlocks(mixed.indptr.astype(np.int64), mixed.indices.astype(np.int32), mixed.data)
