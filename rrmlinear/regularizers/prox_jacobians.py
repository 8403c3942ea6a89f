"""Derivatives of proxes, for second-order methods: one of each regularizer's generalized Jacobian.

A prox is differentiable almost everywhere. At a kink any limit of its derivatives near by serves.
All are symmetric with eigenvalues of [0, 1], and are diagonals where weights do not meet.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer
from rrmlinear.regularizers.bounded import Bounded, ElasticBall, Unpenalized
from rrmlinear.regularizers.groups.group_norms import (
    ExclusiveLasso,
    GroupNorm,
    L2Groups,
    LinfGroups,
    SparseGroups,
)
from rrmlinear.regularizers.groups.of_norm import NormBall, NormPower, OfNorm
from rrmlinear.regularizers.separable import L1, L2, ElasticNet
from rrmlinear.regularizers.spectral import Spectral

Array = NDArray[np.float64]


@singledispatch
def prox_jacobian(omega: Regularizer, y: Array, step: float) -> Array:
    """The derivative of the prox of step Ω at y, n entries: the n of a diagonal, or n × n.

    Raises TypeError for regularizers whose prox has none here.
    """
    raise TypeError(f"the derivative of the prox of {type(omega).__name__} is not known")


def has_jacobian(omega: Regularizer) -> bool:
    """Whether `prox_jacobian` takes this regularizer."""
    if isinstance(omega, (Unpenalized, Spectral)):
        return has_jacobian(omega.inner)
    if isinstance(omega, OfNorm):
        return has_jacobian(omega.norm)
    return prox_jacobian.dispatch(type(omega)) is not prox_jacobian.dispatch(Regularizer)


def is_diagonal(omega: Regularizer) -> bool:
    """Whether `prox_jacobian` has n entries at every y, and never n × n."""
    if isinstance(omega, Unpenalized):
        return is_diagonal(omega.inner)
    return omega.quadratic_l1 is not None or isinstance(omega, Bounded)


@prox_jacobian.register(L1)
@prox_jacobian.register(L2)
@prox_jacobian.register(ElasticNet)
def _of_coordinates(omega: Any, y: Array, step: Any) -> Array:
    threshold = step * omega.quadratic_l1
    return (np.abs(y) > threshold) / (1 + step * omega.modulus)


@prox_jacobian.register
def _within_bounds(omega: Bounded, y: Array, step: float) -> Array:
    p = omega.prox_of(y, step)
    inside = (p > omega.lower) & (p < omega.upper)
    return _of_coordinates(omega.inner, y, step * omega.factors) * inside


@prox_jacobian.register
def _within_the_elastic_ball(omega: ElasticBall, y: Array, step: float) -> Array:
    p = omega.prox_of(y, step)
    if np.array_equal(p, y):
        return np.ones(len(y))
    # p = S(y, θ γ) / (1 + θ), θ by the constraint; its gradient at p is g = p + γ sign p
    used = p != 0
    g = np.where(used, p + omega.gamma * np.sign(p), 0.0)
    theta = float(g @ (y - p)) / float(g @ g)
    result = np.diag(used / (1 + theta))
    return result - np.outer(g, g) / ((1 + theta) * float(g @ g))


def _by_groups(one: Callable[[Any, Array, float, float], Array]) -> Callable[..., Array]:
    """The Jacobian over all groups, from that of one of factor f."""

    def whole(omega: GroupNorm, y: Array, step: float) -> Array:
        result, groups = np.zeros((len(y), len(y))), omega.partition.members(len(y))
        factors = np.broadcast_to(omega.factor_array, len(groups))
        for members, factor in zip(groups, factors, strict=True):
            result[np.ix_(members, members)] = one(omega, y[members], step, float(factor))
        return result

    return whole


@prox_jacobian.register(L2Groups)
@_by_groups
def _of_l2(omega: Any, y: Array, step: float, factor: float) -> Array:
    return _shrunk(y, np.ones(len(y)), step * factor)


@prox_jacobian.register(SparseGroups)
@_by_groups
def _of_sparse(omega: Any, y: Array, step: float, factor: float) -> Array:
    cut = step * omega.l1
    used = np.abs(y) > cut
    return _shrunk(np.where(used, y - np.copysign(cut, y), 0.0), used, step * factor)


def _shrunk(z: Array, used: Array, lost: float) -> Array:
    """That of (1 − lost/‖z‖)₊ z by the coordinates in use."""
    size = float(np.linalg.norm(z))
    if size <= lost:
        return np.zeros((len(z), len(z)))
    unit, part = z / size, lost / size
    return np.diag((1 - part) * used) + part * np.outer(unit, unit)


@prox_jacobian.register(LinfGroups)
@_by_groups
def _of_linf(omega: Any, y: Array, step: float, factor: float) -> Array:
    lost = step * factor
    if np.abs(y).sum() <= lost:
        return np.zeros((len(y), len(y)))
    p = LinfGroups(factors=1.0).prox_of(y, lost)
    clipped = np.abs(y) > np.abs(p).max()
    signs = np.where(clipped, np.sign(y), 0.0)
    result = np.diag(1.0 - clipped)
    return result + np.outer(signs, signs) / max(1, int(clipped.sum()))


@prox_jacobian.register(ExclusiveLasso)
@_by_groups
def _of_squared_sums(omega: Any, y: Array, step: float, factor: float) -> Array:
    p = ExclusiveLasso(factors=factor).prox_of(y, step)
    signs, rate = np.sign(p), 2 * step * factor
    size = float(signs @ signs)
    return np.diag(signs * signs) - rate / (1 + rate * size) * np.outer(signs, signs)


@prox_jacobian.register
def _of_power(omega: NormPower, y: Array, step: float) -> Array:
    p = omega.prox_of(y, step)
    size = omega.norm.value_of(p)
    if size == 0:
        return np.zeros((len(y), len(y)))
    q = omega.power
    theta = step * q * size ** (q - 1)
    return _less_along(omega.norm, y, p, theta, step * q * (q - 1) * size ** (q - 2))


@prox_jacobian.register
def _within_ball(omega: NormBall, y: Array, step: float) -> Array:
    p = omega.prox_of(y, step)
    lost = y - p
    theta = omega.norm.dual_norm_of(lost)
    if np.array_equal(p, y) or theta == 0:
        return np.ones(len(y))
    return _less_along(omega.norm, y, p, theta, np.inf)


def _less_along(norm: Any, y: Array, p: Array, theta: float, rate: float) -> Array:
    """That of the prox of V(N), which is that of θ N where θ rises by ``rate`` with N(p).

    The normal n = (y − p) / θ is a gradient of N at p, and p falls by J n with θ.
    """
    jacobian = prox_jacobian(norm, y, theta)
    if jacobian.ndim == 1:
        jacobian = np.diag(jacobian)
    normal = (y - p) / theta
    fall = jacobian @ normal
    along = float(normal @ fall)
    if along <= 0:
        return jacobian
    share = 1 / along if rate == np.inf else rate / (1 + rate * along)
    return jacobian - share * np.outer(fall, fall)


@prox_jacobian.register
def _beside_free(omega: Unpenalized, y: Array, step: float) -> Array:
    rest = y.copy()
    rest[omega.indices] = 0.0
    result = np.array(prox_jacobian(omega.inner, rest, step), dtype=np.float64)
    inside = (np.abs(y[omega.indices]) < omega.limit).astype(np.float64)
    if result.ndim == 1:
        result[omega.indices] = inside
        return result
    result[omega.indices] = 0.0
    result[:, omega.indices] = 0.0
    result[omega.indices, omega.indices] = inside
    return result


@prox_jacobian.register
def _of_singular_values(omega: Spectral, y: Array, step: float) -> Array:
    """By the derivatives of singular values and vectors. Source: Ding, Sun, Sun and Toh, Spectral
    operators of matrices, 2018.
    """

    def slopes(sigma: Array) -> tuple[Array, Array, Array]:
        new, slope = omega.inner.prox_of(sigma, step), prox_jacobian(omega.inner, sigma, step)
        with np.errstate(divide="ignore", invalid="ignore"):
            of_sums = np.where(sigma > 0, new / sigma, 0.0)
        return new, np.diag(slope) if slope.ndim == 1 else slope, of_sums

    return turned_by_singular_vectors(y.reshape(omega.shape), slopes)


#: From singular values: their new values, the derivatives of these, and the ratios of both, which
#: stand for those at 0 too.
Slopes = Callable[[Array], tuple[Array, Array, Array]]


def turned_by_singular_vectors(W: Array, slopes: Slopes) -> Array:
    """The derivative of the map that gives W new singular values, over its entries row by row."""
    if W.shape[0] < W.shape[1]:
        return _swapped(_of_tall(np.ascontiguousarray(W.T), slopes), W.shape)
    return _of_tall(W, slopes)


def _swapped(jacobian: Array, shape: tuple[int, ...]) -> Array:
    """That by W, from that by its transpose."""
    d, k = shape
    result: Array = jacobian.reshape(k, d, k, d).transpose(1, 0, 3, 2).reshape(d * k, d * k)
    return np.ascontiguousarray(result)


def _of_tall(W: Array, slopes_at: Slopes) -> Array:
    d, k = W.shape
    left, sigma, right = np.linalg.svd(W, full_matrices=True)
    new, slopes, beyond = slopes_at(sigma)
    sums, gaps = sigma[:, None] + sigma, sigma[:, None] - sigma
    with np.errstate(divide="ignore", invalid="ignore"):
        of_sums = np.where(sums > 0, (new[:, None] + new) / sums, beyond[:, None])
        of_gaps = np.where(gaps != 0, (new[:, None] - new) / gaps, np.diag(slopes)[:, None])
    even, odd = (of_gaps + of_sums) / 2, (of_gaps - of_sums) / 2
    # The change of U'WV by that of its entries: [i, j] by [i, j] and by [j, i], [i, i] by [j, j].
    inside = np.zeros((k, k, k, k))
    i, j = np.nonzero(~np.eye(k, dtype=bool))
    inside[i, j, i, j] = even[i, j]
    inside[i, j, j, i] = odd[i, j]
    each = np.arange(k)
    inside[each[:, None], each[:, None], each, each] = slopes
    U, V = left[:, :k], right.T
    turned = np.einsum("ai,bj->abij", U, V).reshape(d * k, k * k)
    result = turned @ inside.reshape(k * k, k * k) @ turned.T
    if d > k:
        rest = np.eye(d) - U @ U.T
        result += np.kron(rest, (V * beyond) @ V.T)
    return result
