"""Norms under logarithms of the distances of subgradients to the bounds of their dual norms.

Ω becomes max over u of ⟨u, w⟩ + μ B(u), B a logarithmic barrier of the u with Ω*(u) finite: smooth
in w at any scale, with a gradient inside these bounds. Newton's method on such functions does not
depend on the lengths of columns. Of `barred` the gradient proves a minimum that is at most ν μ
below. Source: Nesterov and Nemirovskii, Interior-point polynomial algorithms in convex programming,
1994.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.regularizers.groups.group_norms import L2Groups, LinfGroups, SparseGroups
from rrmlinear.regularizers.prox_jacobians import turned_by_singular_vectors
from rrmlinear.regularizers.separable import L1, ElasticNet
from rrmlinear.regularizers.spectral import Spectral

Array = NDArray[np.float64]

# Newton's steps to the bound of a group: they double at worst, and then square their error.
MAX_STEPS = 100
STEP_ACCURACY = 1e-14


class Barred:
    """A regularizer under μ B. ``nu`` is ν."""

    nu: float

    def gradient(self, w: Array, mu: float) -> Array:
        """The gradient at w, flat."""
        raise NotImplementedError

    def curvature(self, w: Array, mu: float) -> Array:
        """The second derivative at w: the diagonal, or a matrix."""
        raise NotImplementedError


@singledispatch
def barred(omega: Regularizer, size: int) -> list[Barred]:
    """Parts of Ω less (modulus/2) ‖w‖², each under a barrier, for ``size`` weights.

    Raises TypeError for regularizers without barriers here.
    """
    raise TypeError(f"no barrier of {type(omega).__name__} is known")


def has_barrier(omega: Regularizer) -> bool:
    """Whether `barred` takes this regularizer."""
    if isinstance(omega, Spectral):
        return isinstance(omega.inner, L1)
    return barred.dispatch(type(omega)) is not barred.dispatch(Regularizer)


@barred.register(L1)
@barred.register(ElasticNet)
def _of_coordinates(omega: Any, size: int) -> list[Barred]:
    return [AbsoluteValues(np.full(size, float(omega.quadratic_l1)))]


@barred.register
def _of_l2(omega: L2Groups, size: int) -> list[Barred]:
    return [Lengths(*_groups(omega, size))]


@barred.register
def _of_sparse(omega: SparseGroups, size: int) -> list[Barred]:
    return [Lengths(*_groups(omega, size)), AbsoluteValues(np.full(size, omega.l1))]


@barred.register
def _of_linf(omega: LinfGroups, size: int) -> list[Barred]:
    return [LargestValues(*_groups(omega, size))]


@barred.register
def _of_singular_values(omega: Spectral, size: int) -> list[Barred]:
    assert omega.shape is not None
    return [SingularValues(float(omega.inner.quadratic_l1 or 0.0), omega.shape)]


def _groups(omega: Any, size: int) -> tuple[list[NDArray[np.intp]], Array]:
    members = omega.partition.members(size)
    return members, np.broadcast_to(omega.factor_array, len(members)).astype(np.float64)


def _slope(r: Array, f: Array, mu: float) -> tuple[Array, Array]:
    """(h, R): the derivative of the length r under its barrier is h r."""
    R = np.hypot(mu, f * r)
    return f / (mu + R) * f, R


class AbsoluteValues(Barred):
    """Σ_j f_j |w_j|, and log(1 − u_j²/f_j²)."""

    def __init__(self, factors: Array) -> None:
        self.factors, self.nu = factors, 2.0 * len(factors)

    def gradient(self, w: Array, mu: float) -> Array:
        return _slope(w, self.factors, mu)[0] * w

    def curvature(self, w: Array, mu: float) -> Array:
        h, R = _slope(w, self.factors, mu)
        return h * (mu / R)


class Lengths(Barred):
    """Σ_g f_g ‖w_g‖, and log(1 − ‖u_g‖²/f_g²)."""

    def __init__(self, members: list[NDArray[np.intp]], factors: Array) -> None:
        self.factors, self.nu = factors, 2.0 * len(factors)
        self.group = np.empty(sum(map(len, members)), dtype=np.intp)
        for number, each in enumerate(members):
            self.group[each] = number

    def _slopes(self, w: Array, mu: float) -> tuple[Array, Array]:
        r = np.sqrt(np.bincount(self.group, w * w, len(self.factors)))
        h, R = _slope(r, self.factors, mu)
        return h[self.group], R[self.group]

    def gradient(self, w: Array, mu: float) -> Array:
        return self._slopes(w, mu)[0] * w

    def curvature(self, w: Array, mu: float) -> Array:
        h, R = self._slopes(w, mu)
        result = np.where(self.group[:, np.newaxis] == self.group, -np.outer(h / R * w, h * w), 0.0)
        result.flat[:: len(w) + 1] += h
        return result


class LargestValues(Barred):
    """Σ_g f_g max_j |w_j| = Σ_g min f_g t_g over |w_j| ≤ t_g, and Σ_j log(t_g² − w_j²) of these."""

    def __init__(self, members: list[NDArray[np.intp]], factors: Array) -> None:
        self.factors, self.nu = factors[:, np.newaxis], 2.0 * sum(map(len, members))
        widest = max(map(len, members))
        #: The weights of each group, with the first one in place of those that it lacks.
        self.at = np.array([np.resize(each, widest) for each in members])
        self.counts = np.array([np.arange(widest) < len(each) for each in members], dtype=float)

    def _distances(self, w: Array, mu: float) -> tuple[Array, Array, Array]:
        """(values, t − |w|, t + |w|) of the groups, t the best bound of each."""
        values = w[self.at]
        sizes = np.abs(values)
        top = sizes.max(axis=1, keepdims=True)
        less, away = top - sizes, mu / self.factors
        for _ in range(MAX_STEPS):
            near, far = less + away, top + sizes + away
            near_share, far_share = mu * self.counts / near, mu * self.counts / far
            over = (near_share + far_share).sum(axis=1, keepdims=True) - self.factors
            if (over <= STEP_ACCURACY * self.factors).all():
                break
            slope = (near_share / near + far_share / far).sum(axis=1, keepdims=True)
            away = away + np.maximum(over, 0.0) / slope
        return values, less + away, top + sizes + away

    def gradient(self, w: Array, mu: float) -> Array:
        values, near, far = self._distances(w, mu)
        result = np.zeros(len(w))
        np.add.at(result, self.at, 2 * mu * self.counts * values / near / far)
        return result

    def curvature(self, w: Array, mu: float) -> Array:
        values, near, far = self._distances(w, mu)
        near_part, far_part = mu * self.counts / near / near, mu * self.counts / far / far
        own, cross = near_part + far_part, np.sign(values) * (far_part - near_part)
        totals = own.sum(axis=1)
        result = np.zeros((len(w), len(w)))
        for g, inside in enumerate(self.counts > 0):
            mine, line = self.at[g, inside], cross[g, inside]
            result[np.ix_(mine, mine)] = -np.outer(line / totals[g], line)
            result[mine, mine] += own[g, inside]
        return result


class SingularValues(Barred):
    """f Σ σ(W), and log det(1 − U'U/f²)."""

    def __init__(self, factor: float, shape: tuple[int, int]) -> None:
        self.factor, self.shape, self.nu = np.array(factor), shape, 2.0 * min(shape)

    def gradient(self, w: Array, mu: float) -> Array:
        left, sigma, right = np.linalg.svd(w.reshape(self.shape), full_matrices=False)
        slopes = _slope(sigma, self.factor, mu)[0] * sigma
        return np.ravel((left * slopes) @ right)

    def curvature(self, w: Array, mu: float) -> Array:
        def slopes(sigma: Array) -> tuple[Array, Array, Array]:
            h, R = _slope(sigma, self.factor, mu)
            return h * sigma, np.diag(h * (mu / R)), h

        return turned_by_singular_vectors(w.reshape(self.shape), slopes)
