"""BMRM: bundle methods, which minimize cutting planes of F with Ω exactly or along a line."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.bundle.cutting_planes import CuttingPlanes, MeanPlane
from rrmlinear.solvers.loop.result import DualBlocks, duals_of
from rrmlinear.solvers.loop.scalar_search import lowest_point
from rrmlinear.solvers.loop.solver import Solver

# Where a plane is taken on the way from the lowest point of a line to the minimum of the model.
PLANE_PART = 0.1
# What a search along a line, and the minimum of a model, may leave, as a part of the gap.
SEARCH_SHARE = 0.01
MODEL_SHARE = 1e-3
# A change of the bound or of the primal by this part of itself is rounding.
ROUNDING = 1e-15


class Risk(Protocol):
    """What BMRM asks of F: ScalarRisk, BlockRisk, FreeIntercept and LargestPlane have it."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    def margins(self, w: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def value(self, margins: NDArray[np.float64]) -> float: ...
    def slopes(self, margins: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def along(
        self, margins: NDArray[np.float64], moves: NDArray[np.float64], x: float
    ) -> tuple[float, float]: ...
    def gradient(self, slopes: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def conjugate(self, alphas: NDArray[np.float64]) -> float: ...
    def duals(self, alphas: NDArray[np.float64]) -> Any: ...
    def complete(self, w: NDArray[np.float64]) -> NDArray[np.float64]: ...


class Line:
    """x → (value, slope) of J = Ω + F at w + x d, margins being linear in x: O(n + d)."""

    def __init__(
        self,
        risk: Risk,
        regularizer: Regularizer,
        begin: tuple[NDArray[np.float64], NDArray[np.float64]],
        end: tuple[NDArray[np.float64], NDArray[np.float64]],
    ) -> None:
        self.risk, self.regularizer = risk, regularizer
        self.w, self.margins = begin
        self.step, self.moves = end[0] - self.w, end[1] - self.margins

    def point(self, x: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(w, margins) there."""
        return self.w + x * self.step, self.margins + x * self.moves

    def __call__(self, x: float) -> tuple[float, float]:
        w = (self.w + x * self.step).ravel()
        value, slope = self.risk.along(self.margins, self.moves, x)
        omega = self.regularizer
        return value + omega.value_of(w), slope + omega.slope_of(w, self.step.ravel())


class BMRM(Solver):
    """minimize J(w) = Ω(w) + F(w) over w; F convex, Ω strongly convex.

    F is a risk, of ``risk.shape``; any loss, with a kink or without. A plane ⟨a, w⟩ + b of F is its
    tangent at some w: a = ∇F, b = −F*(a), which the slopes there make. w_t minimizes Ω with the
    largest plane (``update`` "qp"), or with two planes, the mean of all before and the new one
    ("ls", the line search of theorem 5 in the paper). The next plane is taken at w_t; with
    ``line_search`` at a part `PLANE_PART` of the way to w_t from the lowest point of J on the line
    through w_t and the best point so far, which becomes the best one (OCAS). A pass is one plane:
    one product with the data and one gradient.

    Certificate: the model's dual value is a lower bound of J at each pass, proven by the mean of
    the slopes with the planes' weights; the least J seen is the primal.

    Raises ValueError for a regularizer that is not strongly convex, and where numbers overflow.
    Source: Teo, Vishwanathan, Smola and Le, Bundle methods for regularized risk minimization, 2010;
    Franc and Sonnenburg, Optimized cutting plane algorithm, 2009; Saha, Zhang and Vishwanathan,
    Lower bounds for BMRM.
    """

    def __init__(
        self,
        risk: Risk,
        regularizer: Regularizer,
        *,
        update: str = "qp",
        line_search: bool = True,
    ) -> None:
        super().__init__()
        if update not in UPDATES:
            raise ValueError(f"unknown update {update!r}; there are {', '.join(UPDATES)}")
        if not regularizer.modulus > 0:
            raise ValueError(
                "BMRM needs a strongly convex regularizer, as l2 and elastic-net are, and "
                f"{type(regularizer).__name__} is not"
            )
        self.risk, self.regularizer = risk, regularizer
        self.update, self.line_search = update, line_search

    def start(self) -> None:
        self.model = UPDATES[self.update](self.regularizer, math.prod(self.risk.shape))
        w = np.zeros(self.risk.shape)
        self.best = self.point = w, self.risk.margins(w)
        self.n = len(self.best[1])
        self.primal = self._value(self.best)
        self.bound = -math.inf

    def _value(self, point: tuple[NDArray[np.float64], NDArray[np.float64]]) -> float:
        return self.risk.value(point[1]) + self.regularizer.value_of(point[0].ravel())

    def run_pass(self, number: int) -> None:
        self.work += self.n
        primal, bound = self.primal, self.bound
        slopes = self.risk.slopes(self.point[1])
        a, b = self.risk.gradient(slopes).ravel(), -self.risk.conjugate(-slopes)
        if not (np.isfinite(a).all() and math.isfinite(b)):
            raise ValueError("a plane overflows; scale the data, or take a smaller C")
        self.model.add(a, b, slopes)
        self.model.solve(MODEL_SHARE * (self.primal - self.bound) if number > 1 else 0)
        self.bound = max(self.bound, self.model.bound)
        w = self.model.w.reshape(self.risk.shape)
        self.minimum = w, self.risk.margins(w)
        stuck = not self.bound > bound + ROUNDING * abs(bound)
        if self.line_search and not stuck:
            self.point = self._plane_point()
        else:  # the new plane did not cut the minimum of the model off: take one there
            self._take(self.minimum, self._value(self.minimum))
            self.point = self.minimum
        fallen = self.primal < primal - ROUNDING * abs(primal)
        self.moved = self.n if fallen or not stuck else 0

    def _take(self, point: tuple[NDArray[np.float64], NDArray[np.float64]], value: float) -> None:
        if value < self.primal:
            self.best, self.primal = point, value

    def _plane_point(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        line = Line(self.risk, self.regularizer, self.best, self.minimum)
        lowest = lowest_point(line, 0.0, 1.0, SEARCH_SHARE * (self.primal - self.bound))
        self._take(line.point(lowest.x), lowest.value)
        return line.point(lowest.x + PLANE_PART * (1 - lowest.x))

    def estimate(self) -> tuple[float, float]:
        return self.bound, self.primal - self.bound

    def measure(self) -> tuple[float, float]:
        # The margins anew, for those of points between others are sums that round.
        self.best = self.best[0], self.risk.margins(self.best[0])
        self.primal = self._value(self.best)
        self.alphas = -self.model.mean_slopes()
        vector = self.risk.gradient(self.alphas).ravel()
        dual = -self.risk.conjugate(self.alphas) - self.regularizer.conjugate_of(vector)
        if not math.isfinite(dual):  # means of slopes that round beyond a domain; the planes do not
            return self.primal, self.bound
        # Sums of planes round by parts of their b, which may be large; the dual at a mean does not.
        self.bound = max(self.bound, dual)
        return self.primal, dual

    def final_weights(self) -> NDArray[np.float64]:
        return self.risk.complete(self.best[0])

    def duals(self) -> NDArray[np.float64] | DualBlocks:
        return duals_of(self.risk, self.alphas)

    def support(self) -> dict[str, int]:
        if not isinstance(self.model, CuttingPlanes):
            return {}
        return {"planes": int((self.model.beta > 0).sum())}


#: Models that a pass minimizes, the default first.
UPDATES: dict[str, Any] = {"qp": CuttingPlanes, "ls": MeanPlane}
