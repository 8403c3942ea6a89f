"""Norms, each under a logarithmic barrier of its subgradients: gradients and second derivatives."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.group_curvatures import GroupCurvature
from rrmlinear.regularizers.prox_jacobians import turned_by_singular_vectors

Array = NDArray[np.float64]

# Newton's steps to the bound of a group: they double at worst, and then square their error.
MAX_STEPS = 100
STEP_ACCURACY = 1e-14


class Barred(ABC):
    """A regularizer under μ B. ``nu`` is ν."""

    nu: float

    @abstractmethod
    def gradient(self, w: Array, mu: float) -> Array:
        """The gradient at w, flat."""

    @abstractmethod
    def curvature(self, w: Array, mu: float) -> Array | GroupCurvature:
        """The second derivative at w: the diagonal, that of groups, or a matrix."""


def group_numbers(members: list[NDArray[np.intp]]) -> NDArray[np.intp]:
    """The group of each weight."""
    group = np.empty(sum(map(len, members)), dtype=np.intp)
    for number, each in enumerate(members):
        group[each] = number
    return group


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
        self.group = group_numbers(members)

    def _slopes(self, w: Array, mu: float) -> tuple[Array, Array]:
        r = np.sqrt(np.bincount(self.group, w * w, len(self.factors)))
        h, R = _slope(r, self.factors, mu)
        return h[self.group], R[self.group]

    def gradient(self, w: Array, mu: float) -> Array:
        return self._slopes(w, mu)[0] * w

    def curvature(self, w: Array, mu: float) -> GroupCurvature:
        h, R = self._slopes(w, mu)
        first = np.zeros(len(self.factors))
        first[self.group] = mu / R
        return GroupCurvature(h, h * w / np.sqrt(R), self.group, first)


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

    def curvature(self, w: Array, mu: float) -> GroupCurvature:
        values, near, far = self._distances(w, mu)
        near_part, far_part = mu * self.counts / near / near, mu * self.counts / far / far
        own, cross = near_part + far_part, np.sign(values) * (far_part - near_part)
        totals = own.sum(axis=1, keepdims=True)
        rests = np.divide(4 * near_part * far_part, own, out=np.zeros_like(own), where=own > 0)
        inside = self.counts > 0
        mine = self.at[inside]
        diagonal, line, group = np.empty(len(w)), np.empty(len(w)), np.empty(len(w), dtype=np.intp)
        diagonal[mine], line[mine] = own[inside], (cross / np.sqrt(totals))[inside]
        group[mine] = np.nonzero(inside)[0]
        return GroupCurvature(diagonal, line, group, (rests / totals).sum(axis=1))


class SquaredSums(Barred):
    """Σ_o F_o (Σ_{g in o} f_g ‖w_g‖)² = max over u and t ≥ 0 of ⟨u, w⟩ − Σ_o t_o²/(4 F_o), with
    ‖u_g‖ ≤ f_g t_o, and Σ_g log(f_g² t_o² − ‖u_g‖²).

    ``group`` has the g of each weight, ``outer`` the o of each g.
    """

    def __init__(
        self, group: NDArray[np.intp], factors: Array, outer: NDArray[np.intp], tops: Array
    ) -> None:
        self.group, self.factors, self.outer, self.tops = group, factors, outer, tops
        self.nu = 2.0 * len(factors)

    def _best(self, w: Array, mu: float) -> tuple[Array, Array, Array]:
        """(t of the o, f t of the g, R of the g), t the best: t² = 2 F Σ_g (μ + R_g)."""
        r = self.factors * np.sqrt(np.bincount(self.group, w * w, len(self.factors)))
        count = len(self.tops)
        least = np.bincount(self.outer, r, count)
        t = np.maximum(2 * self.tops * least, 2 * np.sqrt(self.tops * mu))
        for _ in range(MAX_STEPS):
            # by log t: the logarithm of the right side over t² is convex and falls
            R = np.hypot(mu, t[self.outer] * r)
            total = np.bincount(self.outer, mu + R, count)
            ratio = 2 * self.tops * total / t / t
            if (np.abs(ratio - 1) <= STEP_ACCURACY).all():
                break
            slope = np.bincount(self.outer, R - mu * (mu / R), count) / total - 2
            t = t * np.exp(-np.log(ratio) / slope)
        return t, self.factors * t[self.outer], np.hypot(mu, t[self.outer] * r)

    def gradient(self, w: Array, mu: float) -> Array:
        _, most, R = self._best(w, mu)
        return (most / (mu + R) * most)[self.group] * w

    def curvature(self, w: Array, mu: float) -> GroupCurvature:
        t, most, R = self._best(w, mu)
        h, near = most / (mu + R) * most, mu / R
        # by t: that of the slope, and twice the value
        along = (h / t[self.outer] * (1 + near))[self.group] * w
        bend = np.bincount(self.outer, mu * (1 + near), len(t)) / t**2 + 1 / (2 * self.tops)
        rows = np.zeros((len(t), len(w)))
        of_weight = self.outer[self.group]
        rows[of_weight, np.arange(len(w))] = along / np.sqrt(bend)[of_weight]
        steep = h[self.group]
        return GroupCurvature(steep, steep * w / np.sqrt(R)[self.group], self.group, near, rows)


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


class BesideFree(Barred):
    """A norm of weights with zeros at ``free``; these weights have no penalty but lie within
    |w_j| ≤ L, with −μ log(L² − w_j²).
    """

    def __init__(self, norm: Barred, free: NDArray[np.intp], limit: float) -> None:
        self.norm, self.free, self.limit = norm, free, limit
        self.nu = norm.nu + len(free)

    def _split(self, w: Array) -> tuple[Array, Array, Array]:
        """(the other weights, the free ones, L² − w² of these: 0 outside the box)."""
        others, free = w.copy(), w[self.free]
        others[self.free] = 0.0
        return others, free, np.maximum((self.limit - free) * (self.limit + free), 0.0)

    def gradient(self, w: Array, mu: float) -> Array:
        others, free, room = self._split(w)
        result = self.norm.gradient(others, mu)
        with np.errstate(divide="ignore"):
            result[self.free] = 2 * mu * free / room
        return result

    def curvature(self, w: Array, mu: float) -> GroupCurvature:
        others, free, room = self._split(w)
        result = self.norm.curvature(others, mu)
        if not isinstance(result, GroupCurvature):  # no entries are coupled
            assert result.ndim == 1
            n = len(w)
            result = GroupCurvature(result, np.zeros(n), np.zeros(n, dtype=np.intp), np.ones(1))
        # a weight at 0 is coupled with no other
        result.diagonal[self.free] = 2 * mu * (self.limit**2 + free * free) / room / room
        return result
