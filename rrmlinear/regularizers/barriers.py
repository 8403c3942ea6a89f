"""Regularizers under logarithms of the distances of subgradients to the bounds of their dual norms.

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

from rrmlinear.regularizers.barred_norms import (
    AbsoluteValues,
    Barred,
    BesideFree,
    LargestValues,
    Lengths,
    SingularValues,
    SquaredSums,
    group_numbers,
)
from rrmlinear.regularizers.base import Regularizer
from rrmlinear.regularizers.bounded import Unpenalized
from rrmlinear.regularizers.group_curvatures import GroupCurvature
from rrmlinear.regularizers.groups.group_norms import (
    ExclusiveLasso,
    L2Groups,
    LinfGroups,
    SparseGroups,
)
from rrmlinear.regularizers.groups.of_norm import NormPower
from rrmlinear.regularizers.separable import L1, ElasticNet
from rrmlinear.regularizers.spectral import Spectral

Array = NDArray[np.float64]


def curvature_of(
    parts: list[Barred], w: Array, mu: float, modulus: float
) -> Array | GroupCurvature:
    """The second derivative of these parts at w and of (modulus/2) ‖w‖²: as `Barred.curvature`."""
    diagonal, whole = np.full(len(w), modulus), None
    for part in parts:
        curvature = part.curvature(w, mu)
        if isinstance(curvature, GroupCurvature) or curvature.ndim > 1:
            whole = curvature  # one part at most has no diagonal
        else:
            diagonal += curvature
    if whole is None:
        return diagonal
    return whole.plus(diagonal) if isinstance(whole, GroupCurvature) else whole + np.diag(diagonal)


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
    if isinstance(omega, Unpenalized):
        return isinstance(omega.inner, (L1, L2Groups, LinfGroups))
    if isinstance(omega, NormPower):
        return isinstance(omega.norm, L2Groups) and omega.power == 2
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


@barred.register
def _of_squared_sums(omega: ExclusiveLasso, size: int) -> list[Barred]:
    members, factors = _groups(omega, size)
    outer = group_numbers(members)
    return [SquaredSums(np.arange(size), np.ones(size), outer, factors)]


@barred.register
def _of_squares(omega: NormPower, size: int) -> list[Barred]:
    members, factors = _groups(omega.norm, size)
    outer = np.zeros(len(members), dtype=np.intp)
    return [SquaredSums(group_numbers(members), factors, outer, np.ones(1))]


@barred.register
def _beside_free(omega: Unpenalized, size: int) -> list[Barred]:
    (norm,) = barred(omega.inner, size)
    return [BesideFree(norm, omega.indices, omega.limit)]


def _groups(omega: Any, size: int) -> tuple[list[NDArray[np.intp]], Array]:
    members = omega.partition.members(size)
    return members, np.broadcast_to(omega.factor_array, len(members)).astype(np.float64)
