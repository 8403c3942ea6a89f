"""P(w) = 1/n Σ φ(x_i'w, y_i) + λ Ω(w) in NumPy, by which bench_pdprox.py judges.

Every loss is φ(s, y) = max over a in [lo, hi] of a (s − y) − ε |a|, with lo ≤ 0 ≤ hi that may
differ by example; every norm is Ω(w) = max over u in a ball of u'w. So the same arrays serve
methods that need subgradients, those that need a prox, and those that smooth such a maximum.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PiecewiseLinear:
    """hi (r − ε)₊ − lo (−r − ε)₊ of residuals r = s − y."""

    lo: Any
    hi: Any
    epsilon: float = 0.0

    @classmethod
    def named(
        cls, name: str, y: Array, quantile: float = 0.5, epsilon: float = 0.0
    ) -> PiecewiseLinear:
        """A loss by its name. The hinge is a function of residuals, too, as y² = 1."""
        if name == "hinge":
            return cls(np.minimum(-y, 0), np.maximum(-y, 0))
        if name == "quantile":
            return cls(-quantile, 1 - quantile)
        if name in ("absolute", "epsilon-insensitive"):
            return cls(-1.0, 1.0, epsilon)
        raise ValueError(f"no piecewise linear loss is called {name}")

    def mean(self, r: Array) -> float:
        if self.epsilon:
            return float(
                np.mean(
                    self.hi * np.maximum(r - self.epsilon, 0)
                    - self.lo * np.maximum(-r - self.epsilon, 0)
                )
            )
        return float(np.mean(np.maximum(self.hi * r, self.lo * r)))

    def slopes(self, r: Array) -> Array:
        """A subgradient at the scores; 0 within ε and at a kink."""
        return np.where(r > self.epsilon, self.hi, 0) + np.where(r < -self.epsilon, self.lo, 0)

    def smoothed_slopes(self, r: Array, mu: float) -> Array:
        """argmax of a r − ε |a| − μ/2 a²."""
        if self.epsilon:
            r = np.sign(r) * np.maximum(np.abs(r) - self.epsilon, 0)
        return np.clip(r / mu, self.lo, self.hi)


class Norm(Protocol):
    """Ω. ``spread`` is the largest ½‖u‖² in its dual ball of ``size`` columns, ``floor`` the least
    Ω(w)/‖w‖.
    """

    @property
    def floor(self) -> float: ...

    def value(self, w: Array) -> float: ...

    def slope(self, w: Array) -> Array: ...

    def prox(self, w: Array, step: float) -> Array: ...

    def project(self, u: Array) -> Array:
        """The projection on the dual ball."""
        ...

    def spread(self, size: int) -> float: ...


class L1:
    floor = 1.0

    def value(self, w: Array) -> float:
        return float(np.abs(w).sum())

    def slope(self, w: Array) -> Array:
        return np.sign(w)

    def prox(self, w: Array, step: float) -> Array:
        return w - np.clip(w, -step, step)

    def project(self, u: Array) -> Array:
        return np.clip(u, -1, 1)

    def spread(self, size: int) -> float:
        return size / 2


class HalfSquare:
    """½‖w‖²; it has no dual ball."""

    def value(self, w: Array) -> float:
        return float(w @ w) / 2

    def slope(self, w: Array) -> Array:
        return w

    def prox(self, w: Array, step: float) -> Array:
        return w / (1 + step)


@dataclass(frozen=True, eq=False)
class GroupNorm:
    """Σ_g √d_g ‖w_g‖₂ over groups of columns that stand side by side."""

    sizes: NDArray[np.int64]
    starts: NDArray[np.int64] = field(init=False)
    factors: Array = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "starts", np.concatenate(([0], np.cumsum(self.sizes)[:-1])))
        object.__setattr__(self, "factors", np.sqrt(self.sizes))

    @property
    def floor(self) -> float:
        return float(self.factors.min())

    def lengths(self, w: Array) -> Array:
        return np.sqrt(np.add.reduceat(w * w, self.starts))

    def _times(self, w: Array, shares: Array) -> Array:
        return w * np.repeat(shares, self.sizes)

    def value(self, w: Array) -> float:
        return float(self.factors @ self.lengths(w))

    def slope(self, w: Array) -> Array:
        lengths = self.lengths(w)
        shares = np.divide(self.factors, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        return self._times(w, shares)

    def prox(self, w: Array, step: float) -> Array:
        lengths = np.maximum(self.lengths(w), np.finfo(float).tiny)
        return self._times(w, np.maximum(1 - step * self.factors / lengths, 0))

    def project(self, u: Array) -> Array:
        return self._times(u, self.factors / np.maximum(self.lengths(u), self.factors))

    def spread(self, size: int) -> float:
        return size / 2  # Σ d_g


@dataclass(frozen=True, eq=False)
class RowMax:
    """Σ_j max_t |w_jt| of weights d × k, flat by rows."""

    tasks: int

    @property
    def floor(self) -> float:
        return self.tasks**-0.5

    def value(self, w: Array) -> float:
        return float(np.abs(w.reshape(-1, self.tasks)).max(axis=1).sum())

    def slope(self, w: Array) -> Array:
        rows = w.reshape(-1, self.tasks)
        at = np.abs(rows).argmax(axis=1)[:, np.newaxis]
        slope = np.zeros_like(rows)
        np.put_along_axis(slope, at, np.sign(np.take_along_axis(rows, at, 1)), 1)
        return slope.ravel()

    def prox(self, w: Array, step: float) -> Array:
        return w - step * self.project(w / step)

    def project(self, u: Array) -> Array:
        rows = u.reshape(-1, self.tasks)
        sizes = np.abs(rows)
        falling = -np.sort(-sizes, axis=1)
        thresholds = (np.cumsum(falling, axis=1) - 1) / np.arange(1, self.tasks + 1)
        count = np.maximum((falling > thresholds).sum(axis=1), 1)
        theta = np.take_along_axis(thresholds, count[:, np.newaxis] - 1, 1)
        return (np.sign(rows) * np.maximum(sizes - np.maximum(theta, 0), 0)).ravel()

    def spread(self, size: int) -> float:
        return size / self.tasks / 2


@dataclass(frozen=True, eq=False)
class TraceNorm:
    """The sum of singular values of a matrix p × q, flat by rows."""

    shape: tuple[int, int]
    floor = 1.0

    def _parts(self, w: Array) -> tuple[Array, Array, Array]:
        return np.linalg.svd(w.reshape(self.shape), full_matrices=False)

    def value(self, w: Array) -> float:
        return float(np.linalg.svd(w.reshape(self.shape), compute_uv=False).sum())

    def slope(self, w: Array) -> Array:
        u, s, v = self._parts(w)
        rank = int((s > np.finfo(float).eps * max(self.shape) * s.max(initial=0)).sum())
        return (u[:, :rank] @ v[:rank]).ravel()

    def prox(self, w: Array, step: float) -> Array:
        u, s, v = self._parts(w)
        return ((u * np.maximum(s - step, 0)) @ v).ravel()

    def project(self, u: Array) -> Array:
        left, s, right = self._parts(u)
        return ((left * np.minimum(s, 1)) @ right).ravel()

    def spread(self, size: int) -> float:
        return min(self.shape) / 2


@dataclass(frozen=True, eq=False)
class FreeLast:
    """Ω of all columns but the last, which is an intercept."""

    norm: Any
    floor = 0.0

    def value(self, w: Array) -> float:
        return self.norm.value(w[:-1])

    def slope(self, w: Array) -> Array:
        return np.append(self.norm.slope(w[:-1]), 0)

    def prox(self, w: Array, step: float) -> Array:
        return np.append(self.norm.prox(w[:-1], step), w[-1])

    def project(self, u: Array) -> Array:
        return np.append(self.norm.project(u[:-1]), 0)

    def spread(self, size: int) -> float:
        return self.norm.spread(size - 1)


@dataclass(eq=False)
class Objective:
    """P by NumPy, and the number of products with the data; two products are a pass."""

    X: Any
    y: Array
    loss: PiecewiseLinear
    norm: Any
    lam: float
    products: int = 0
    turned: Any = field(init=False)

    def __post_init__(self) -> None:
        self.turned = self.X.T.tocsr() if hasattr(self.X, "tocsr") else self.X.T

    @property
    def passes(self) -> float:
        return self.products / 2

    def residuals(self, w: Array) -> Array:
        self.products += 1
        return self.X @ w - self.y

    def gradient(self, slopes: Array) -> Array:
        """A subgradient of the mean loss."""
        self.products += 1
        return self.turned @ slopes / len(self.y)

    def value(self, w: Array) -> float:
        """P; its product is not counted, as it serves judging."""
        return self.loss.mean(self.X @ w - self.y) + self.lam * self.norm.value(w)

    def curvature(self, steps: int = 30) -> float:
        """‖X‖²/n by power iteration."""
        random = np.random.default_rng(0)
        v = random.standard_normal(self.X.shape[1])
        square = 1.0
        for _ in range(steps):
            v /= np.linalg.norm(v)
            v = self.turned @ (self.X @ v)
            square = float(np.linalg.norm(v))
        return square / len(self.y)
