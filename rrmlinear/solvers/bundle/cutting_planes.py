"""Lower models of F, of all planes or of their running mean, and the minimum of each with Ω."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.deadline import check_time
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.solvers.bundle.simplex_qp import (
    SimplexQP,
    add_combination,
    minimize_on_simplex,
    pack,
    products,
)
from rrmlinear.solvers.loop.line_search import lowest_point_between
from rrmlinear.solvers.loop.tolerances import FEW_ROUNDINGS, MAX_TRIALS

# Vectors in one piece of memory: products with 32 at once run at memory bandwidth, and at most 31
# places are unused. Those of huge spaces take pieces of at most CHUNK_BYTES.
CHUNK = 32
CHUNK_BYTES = 1 << 28


class PlaneStore:
    """Vectors of d numbers; the places of dropped vectors are used again.

    ``places`` holds the place of each vector, in the order of arrival. Arrays over the vectors are
    in that order.
    """

    def __init__(self, d: int) -> None:
        self.d = d
        self.chunk = max(1, min(CHUNK, CHUNK_BYTES // (8 * max(1, d))))
        self.chunks: list[NDArray[np.float64]] = []
        self.free: list[int] = []
        self.places: list[int] = []

    def __len__(self) -> int:
        return len(self.places)

    def append(self, vector: NDArray[np.float64]) -> None:
        """Add a vector, which must not change after: one that fills a piece is not copied."""
        if self.chunk == 1 and vector.flags.c_contiguous:
            self._take(vector.reshape(1, self.d))
            return
        if not self.free:
            begin = len(self.chunks) * self.chunk
            self.chunks.append(np.zeros((self.chunk, self.d)))
            self.free = list(range(begin + self.chunk - 1, begin - 1, -1))
        place = self.free.pop()
        self.chunks[place // self.chunk][place % self.chunk] = vector
        self.places.append(place)

    def _take(self, piece: NDArray[np.float64]) -> None:
        if self.free:
            place = self.free.pop()
            self.chunks[place] = piece
        else:
            place = len(self.chunks)
            self.chunks.append(piece)
        self.places.append(place)

    def keep(self, chosen: NDArray[np.intp]) -> None:
        """Drop all vectors but the chosen ones; ``chosen`` is in rising order."""
        kept = [self.places[i] for i in chosen]
        self.free.extend(sorted(set(self.places).difference(kept), reverse=True))
        self.places = kept

    def products(self, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        """⟨a_t, vector⟩ for all t."""
        found = np.empty((len(self.chunks), self.chunk))
        for chunk, part in zip(self.chunks, found, strict=True):
            check_time()
            products(chunk, vector, part)
        return found.ravel()[self.places]

    def combination(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Σ weights_t a_t."""
        total = np.zeros(self.d)
        spread = np.zeros(len(self.chunks) * self.chunk)
        spread[self.places] = weights
        for chunk, part in zip(self.chunks, spread.reshape(-1, self.chunk), strict=True):
            add_combination(chunk, part, total)
        return total

    def products_over(
        self, chosen: NDArray[np.intp], coordinates: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """⟨a_s, a_t⟩ of the chosen vectors, summed over these coordinates alone."""
        part = np.empty((len(chosen), len(coordinates)))
        for line, t in enumerate(chosen):
            at, place = divmod(self.places[t], self.chunk)
            np.take(self.chunks[at][place], coordinates, out=part[line])
        return part @ part.T


# A plane is dropped after more passes than this without weight.
MAX_IDLE_PASSES = 30


class PackedDerivatives:
    """The derivatives φ'(m_i) of a plane, a byte each if few values differ."""

    def __init__(self, derivatives: NDArray[np.float64]) -> None:
        self.shape = derivatives.shape
        self.packed = pack(derivatives.ravel())
        self.plain = derivatives if self.packed is None else None

    def unpacked(self) -> NDArray[np.float64]:
        if self.packed is None:
            assert self.plain is not None
            return self.plain
        codes, table = self.packed
        return table[codes].reshape(self.shape)


class CuttingPlanes:
    """minimize Ω(w) + max_t (⟨a_t, w⟩ + b_t), Ω strongly convex.

    Dual: maximize b'β − Ω*(−Aβ) over β ≥ 0, Σ β_t = 1, columns of A being a_t; w = ∇Ω*(−Aβ). It is
    solved from the β before, so that ``bound``, its value, never falls. A plane without weight
    for `MAX_IDLE_PASSES` passes is dropped.
    """

    def __init__(self, regularizer: Regularizer, d: int) -> None:
        self.regularizer = regularizer
        self.planes = PlaneStore(d)
        self.b = np.zeros(0)
        self.beta = np.zeros(0)
        self.idle = np.zeros(0, dtype=np.int64)
        self.derivatives: list[PackedDerivatives] = []
        self.w, self.bound = np.zeros(d), -math.inf
        self.qp = SimplexQP() if regularizer.linear else None

    def add(self, a: NDArray[np.float64], b: float, derivatives: NDArray[np.float64]) -> None:
        """Add a plane, with the derivatives of F that define it."""
        self.planes.append(a)
        self.b = np.append(self.b, b)
        self.beta = np.append(self.beta, 0.0 if len(self.beta) else 1.0)
        self.idle = np.append(self.idle, 0)
        self.derivatives.append(PackedDerivatives(derivatives))
        if self.qp is not None:
            self.qp.append(self.planes.products(a) / self.regularizer.modulus, b)

    def solve(self, tolerance: float) -> None:
        """Bring the bound to at most ``tolerance`` below the minimum of the model."""
        if self.qp is None:
            self._newton(tolerance)
        else:
            try:
                self.qp.solve(tolerance)
            finally:  # β is no worse than before where the time is up
                self.beta = self.qp.beta
                vector = -self.planes.combination(self.beta)
                self.w = self.regularizer.primal_of(vector)
                self.bound = float(self.b @ self.beta) - self.regularizer.conjugate_of(vector)
        self._forget()

    def _newton(self, tolerance: float) -> None:
        """`solve` for an Ω* that is not quadratic, by second derivatives of Ω* at the present β.

        It takes 1/modulus for ∇²Ω* where w_j ≠ 0 and 0 elsewhere, as if Ω was quadratic there. If
        that is wrong, the exact search along a step still lowers the objective.
        """
        omega, b = self.regularizer, self.b
        vector = -self.planes.combination(self.beta)
        for _ in range(MAX_TRIALS):
            check_time()
            self.w = omega.primal_of(vector)
            g = -(self.planes.products(self.w) + b)
            mean = float(self.beta @ g)
            self.bound = float(b @ self.beta) - omega.conjugate_of(vector)
            if mean - g.min() <= max(tolerance, FEW_ROUNDINGS * abs(self.bound)):
                return
            chosen = np.flatnonzero((self.beta > 0) | (g < mean))
            beta, support = self.beta[chosen], np.flatnonzero(self.w)
            H = self.planes.products_over(chosen, support) / omega.modulus
            found = minimize_on_simplex(H, H @ beta - g[chosen], beta)
            step = np.zeros_like(self.beta)
            step[chosen] = found - beta
            move = -self.planes.combination(step)
            part = best_part(self.regularizer, vector, move, float(b @ step))
            if part == 0:
                return
            self.beta = np.maximum(self.beta + part * step, 0)
            self.beta /= self.beta.sum()
            vector = -self.planes.combination(self.beta)

    def _forget(self) -> None:
        self.idle = np.where(self.beta > 0, 0, self.idle + 1)
        if (self.idle > MAX_IDLE_PASSES).any():
            kept = np.flatnonzero(self.idle <= MAX_IDLE_PASSES)
            self.planes.keep(kept)
            self.b, self.beta, self.idle = self.b[kept], self.beta[kept], self.idle[kept]
            self.derivatives = [self.derivatives[i] for i in kept]
            if self.qp is not None:
                self.qp.keep(kept)

    def support(self) -> dict[str, int]:
        """The number of planes with a weight."""
        return {"planes": int((self.beta > 0).sum())}

    def mean_derivatives(self) -> NDArray[np.float64]:
        """Σ β_t times the derivatives of plane t: minus the duals that prove the bound."""
        chosen = np.flatnonzero(self.beta)
        mean, weight = self.derivatives[chosen[0]].unpacked(), float(self.beta[chosen[0]])
        for i in chosen[1:]:
            weight += float(self.beta[i])
            mean = between(mean, self.derivatives[i].unpacked(), float(self.beta[i]) / weight)
        return mean


class MeanPlane:
    """A model of two planes: the running mean of all before, and the new one.

    β moves from the mean towards the new plane up to the largest dual, exactly for any Ω: the line
    search of Smola, Vishwanathan and Le, Bundle methods for machine learning, 2007.
    """

    def __init__(self, regularizer: Regularizer, d: int) -> None:
        self.regularizer = regularizer
        self.a, self.b = np.zeros(d), -math.inf
        self.derivatives: NDArray[np.float64] | None = None
        self.new: tuple[NDArray[np.float64], float, NDArray[np.float64]] | None = None
        self.w, self.bound = np.zeros(d), -math.inf

    def add(self, a: NDArray[np.float64], b: float, derivatives: NDArray[np.float64]) -> None:
        self.new = a, b, derivatives

    def solve(self, tolerance: float) -> None:
        assert self.new is not None
        a, b, derivatives = self.new
        if self.derivatives is None:
            self.a, self.b, self.derivatives = a.copy(), b, derivatives.copy()
        else:
            part = best_part(self.regularizer, -self.a, self.a - a, b - self.b)
            self.a += part * (a - self.a)
            self.b += part * (b - self.b)
            self.derivatives = between(self.derivatives, derivatives, part)
        self.w = self.regularizer.primal_of(-self.a)
        self.bound = self.b - self.regularizer.conjugate_of(-self.a)

    def support(self) -> dict[str, int]:
        """Nothing: there are always two planes."""
        return {}

    def mean_derivatives(self) -> NDArray[np.float64]:
        """The mean of the planes' derivatives: minus the duals that prove the bound."""
        assert self.derivatives is not None
        return self.derivatives


def between(a: NDArray[np.float64], b: NDArray[np.float64], part: float) -> NDArray[np.float64]:
    """a + part (b − a), kept between a and b: rounding must not leave the domain of a conjugate."""
    return np.clip(a + part * (b - a), np.minimum(a, b), np.maximum(a, b))


def best_part(
    omega: Regularizer, vector: NDArray[np.float64], move: NDArray[np.float64], rise: float
) -> float:
    """The x of [0, 1] with the least Ω*(vector + x move) − x rise."""
    if omega.linear:  # Ω* is a parabola
        curvature = float(move @ move) / omega.modulus
        derivative = float(vector @ move) / omega.modulus - rise
        if derivative >= 0:
            return 0.0
        return 1.0 if -derivative >= curvature else -derivative / curvature

    def function(x: float) -> tuple[float, float]:
        check_time()
        at = vector + x * move
        return omega.conjugate_of(at) - x * rise, float(omega.primal_of(at) @ move) - rise

    return lowest_point_between(function, 0.0, 1.0).x
