"""The base of block and coordinate ascents on a dual: the examples of a pass, in pieces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.products import product
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.inner import pieces
from rrmlinear.solvers.loop.rounding import rounding_of_scores, score_rounding
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.loop.tolerances import MIN_CURVATURE

# Shrinking: an example is left out of the active set while its gap is at most SHRINK_GAP of
# target / n, and of a few passes where its gap is at most SKIP_GAP of the mean.
SHRINK_GAP = 0.2
SKIP_GAP = 0.6
# A visit leaves duals unchanged if its gap is at most this fraction of the mean. A larger fraction
# skips more visits, but small problems then take many more passes for their last digits.
MIN_VISIT_GAP = 0.003
# Examples get passes of their own, or a copy, if they are at most this fraction of all.
MOST_BUSY = 0.25
# Rough costs of visits in nanoseconds: for each nonzero, and for each nonzero and class.
NONZERO_COST, CLASS_COST = 0.5, 0.23


class DualDescent(Solver):
    """A solver whose gap is a sum of the examples' gaps, each known after a visit.

    ``state`` is its kernel, which keeps duals of Σ_i c_i φ_i and v, their combination of the rows
    plus a vector z. Between passes the loss, the regularizer and v may be exchanged for others.
    """

    state: Any
    loss: Any
    regularizer: Regularizer
    squares: NDArray[np.float64]  # ‖x_i‖²

    def __init__(self, task: Task) -> None:
        super().__init__()
        self.rows, self.costs, self.seed = task.rows, task.costs, task.choices.seed
        self.loss, self.regularizer = task.loss, task.regularizer
        self.n = self.rows.shape[0]
        self.measuring_work = self.n / 2
        self.measures_first = True
        self.gap_sum = 0.0
        #: Visits of examples; those of later turns of a block do not count.
        self.visits = 0

    def curvatures(self) -> NDArray[np.float64]:
        """‖x_i‖² of every example, none quite 0; ValueError where one overflows."""
        self.squares = self.rows.squared_norms()
        self.mend_squares(0, self.n)
        return self.squares

    def mend_squares(self, begin: int, end: int) -> None:
        """Check the ``squares`` of these examples, and raise those that are 0."""
        squares = self.squares[begin:end]
        if not np.isfinite(squares).all():
            worst = begin + int(np.flatnonzero(~np.isfinite(squares))[0])
            raise ValueError(f"the squared norm of example {worst + 1} overflows; scale the data")
        np.maximum(squares, MIN_CURVATURE, out=squares)

    @property
    def dual_vector(self) -> NDArray[np.float64]:
        """v in the kernel's layout, in one piece. Call `retune` after writing to it."""
        raise TypeError(f"{type(self).__name__} has no dual vector")

    def rebuild(self, z: NDArray[np.float64]) -> None:
        """Add up v = z + Σ c_i α_i x_i anew, without the rounding of its updates."""
        raise TypeError(f"{type(self).__name__} has no duals")

    def in_order(self, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        """A vector of the layout of `dual_vector`, in one that is the same for any threads."""
        return vector

    def present_weights(self) -> NDArray[np.float64]:
        """A copy of the weights of the present duals."""
        raise TypeError(f"{type(self).__name__} has no weights")

    def present_duals(self) -> Any:
        """A copy of the present duals."""
        raise TypeError(f"{type(self).__name__} has no duals")

    def replace_duals(self, duals: Any) -> None:
        """Take these duals, which the loss allows; v stays as it is."""
        raise TypeError(f"{type(self).__name__} has no duals")

    def conjugates(self) -> float:
        """Σ (c_i φ_i)* at the duals."""
        raise TypeError(f"{type(self).__name__} has no conjugates")

    def losses(self) -> float:
        """Σ c_i φ_i at ∇Ω*(v); updates the gap of every example."""
        raise TypeError(f"{type(self).__name__} does not measure its losses")

    def dual_sizes(self) -> tuple[float, float]:
        """(mean ‖x_i‖² c_i Σ_j |α_ij| of examples with duals, fraction of the duals at bounds)."""
        raise TypeError(f"{type(self).__name__} has no duals")

    def margin_unit(self) -> float:
        """The unit of the scores in which a loss changes its slope: 1 for losses of margins."""
        return 1.0

    def shares(self, duals: Any) -> NDArray[np.float64]:
        """c_i Σ |α_i| of every example."""
        raise TypeError(f"{type(self).__name__} has no duals")

    def rounding_of(self, certificate: Certificate, enough: float) -> float:
        """`rounding` of this certificate of the same problem."""
        weights = certificate.weights
        shares = np.maximum(self.shares(certificate.alphas), self.steepest(weights))
        return certificate.rounding() + rounding_of_scores(self.rows, shares, weights)

    def steepest(self, weights: NDArray[np.float64]) -> Any:
        """c_i times the largest slope of φ_i near its scores at the weights; 0 without kinks."""
        if self.loss.differentiable:
            return 0.0
        slopes, moves = np.empty(self.n), score_rounding(self.squares, weights)
        columns = weights.reshape(len(weights), -1)
        for piece in pieces(self.n):
            rows = self.rows.between(piece.start, piece.stop)
            scores = product(rows, columns, self.rows.shape[1])
            slopes[piece] = self.slopes(piece, scores, moves[piece])
        return self.costs * slopes

    def slopes(
        self, piece: slice, scores: NDArray[np.float64], moves: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """`slopes_near` of these examples, whose scores have a column for each class."""
        raise TypeError(f"{type(self).__name__} has no slopes")

    def retune(self, regularizer: Regularizer) -> None:
        """Go on with the same duals, the present v and a regularizer; ∇Ω* stays linear or not."""
        self.regularizer = regularizer
        self.state.retune(regularizer)

    def lipschitz(self) -> float:
        """The Lipschitz constant of φ."""
        return self.loss.lipschitz

    def relax(self, loss: Any) -> float:
        """Go on with the same duals under another loss that admits them; returns its `losses`."""
        self.loss = self.state.loss = loss
        return self.losses()

    def activate(self) -> None:
        """Let the next pass visit every example whose gap is above `quiet`."""
        self.state.activate_above(self.quiet())

    def shrink(self) -> None:
        """After a measurement: leave out the examples whose gap it has found not to count."""

    def quiet(self) -> float:
        """The largest gap of an example that shrinking leaves out."""
        return SHRINK_GAP * self.target / self.n if np.isfinite(self.target) else 0.0

    def calm(self, gap: float) -> float:
        """The largest gap of an example that skips a few passes, if all gaps sum to about
        ``gap``.
        """
        return SKIP_GAP * gap / self.n

    def in_pieces(
        self, order: NDArray[np.int64], length: Callable[[], int], visit: Callable[[int, int], Any]
    ) -> None:
        """visit(begin, end) over pieces of ``order``, ``length()`` long, up to the deadline."""
        begin = 0
        while begin < len(order):
            end = min(begin + length(), len(order))
            visit(begin, end)
            begin = end
            if self.is_late():
                break
        self.work += len(order)
        self.visits += len(order)
