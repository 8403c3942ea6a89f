"""What block and coordinate ascents on a dual share: who is visited, in what pieces, and bounds."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.rows import Rows
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.loop.solver import Solver

# A row of norm 0 has its optimal dual at the bound; any tiny curvature leads there.
LEAST_CURVATURE = 1e-100
# An example sleeps when its part of the gap is at most this part of an even share of the target,
# and naps when it is at most this part of the average.
SLEEP_SHARE = 0.2
NAP_SHARE = 0.6
# Multiplications between two looks at the clock and at interrupts: some 0.2 s, as it takes threads
# up to a millisecond to come together.
SLICE_WORK = 10**9


class DualDescent(Solver):
    """A solver whose gap is a sum over the examples, each part known after a visit.

    It keeps duals of Σ_i c_i φ_i and v = z + what they make of the rows, and ``state`` is its
    kernel. Between passes the loss, the regularizer and v may be exchanged for others.
    """

    state: Any
    loss: Any
    regularizer: Regularizer
    curvature: NDArray[np.float64]

    def __init__(self, rows: Rows, costs: NDArray[np.float64], seed: int) -> None:
        super().__init__()
        self.rows, self.costs, self.seed = rows, costs, seed
        self.n = rows.shape[0]
        self.measuring_work = self.n / 2
        self.gap_sum = 0.0

    def curvatures(self) -> NDArray[np.float64]:
        """‖x_i‖² of every example, none quite 0; ValueError where one overflows."""
        curvature = self.rows.squared_norms()
        if not np.isfinite(curvature).all():
            worst = int(np.flatnonzero(~np.isfinite(curvature))[0])
            raise ValueError(f"the squared norm of example {worst + 1} overflows; scale the data")
        return np.maximum(curvature, LEAST_CURVATURE)

    @property
    def dual_vector(self) -> NDArray[np.float64]:
        """v in one piece as the kernel keeps it; who writes to it calls `retune` next."""
        raise TypeError(f"{type(self).__name__} has no dual vector")

    def present_weights(self) -> NDArray[np.float64]:
        """The weights that belong to the duals as they are, in memory of their own."""
        raise TypeError(f"{type(self).__name__} has no weights")

    def present_duals(self) -> Any:
        """The duals as they are, in memory of their own."""
        raise TypeError(f"{type(self).__name__} has no duals")

    def conjugates(self) -> float:
        """Σ (c_i φ_i)* at the duals."""
        raise TypeError(f"{type(self).__name__} has no conjugates")

    def losses(self) -> float:
        """Σ c_i φ_i at ∇Ω*(v); brings every part of the gap up to date."""
        raise TypeError(f"{type(self).__name__} does not measure its losses")

    def retune(self, regularizer: Regularizer) -> None:
        """Go on with the same duals, v as it now is, and this regularizer, linear as the last."""
        self.regularizer = regularizer
        self.state.retune(regularizer)

    def steepness(self) -> float:
        """The Lipschitz constant of φ."""
        return self.loss.lipschitz

    def relax(self, loss: Any) -> float:
        """Go on with the same duals under another loss that admits them; returns its `losses`."""
        self.loss = self.state.loss = loss
        return self.losses()

    def wake(self) -> None:
        """Have the next pass visit every example whose part of the gap keeps none asleep."""
        self.state.wake_above(self.quiet())

    def quiet(self) -> float:
        """The part of the gap up to which an example sleeps."""
        return SLEEP_SHARE * self.target / self.n if np.isfinite(self.target) else 0.0

    def calm(self, gap: float) -> float:
        """The part up to which it naps, where the whole gap is about this."""
        return NAP_SHARE * gap / self.n

    def in_pieces(
        self,
        order: NDArray[np.int64],
        length: Callable[[], int],
        visit: Callable[[int, int], Any],
    ) -> None:
        """visit(begin, end) over pieces of ``order`` up to the deadline, each as long as asked."""
        begin = 0
        while begin < len(order):
            end = min(begin + length(), len(order))
            visit(begin, end)
            begin = end
            if self.deadline is not None and time.perf_counter() > self.deadline:
                break
        self.work += len(order)
