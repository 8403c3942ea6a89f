"""Kernels over points, and features whose inner products are those of a kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import issparse
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels

from rrmlinear.core.plain_state import PlainState

Array = NDArray[np.float64]
Kernel = str | Callable[[Any, Any], Any]

# Eigenvalues below this fraction of the largest are rounding.
EIGENVALUE_ROUNDING = 1e-12
# A kernel is refused if an eigenvalue is below minus this fraction of the largest.
NEGATIVE_EIGENVALUE = 1e-5

# Points are far from 0 if the mean of the first FIRST_POINTS of them is: its squared length is more
# than FAR times their mean squared distance from it.
FIRST_POINTS, FAR = 64, 100.0


class KernelPoints(PlainState):
    """A kernel k(x, z) for any x, and z among the ``points``."""

    def __init__(self, kernel: Kernel, parameters: Mapping[str, Any], points: Any) -> None:
        self.kernel, self.parameters, self.points = kernel, dict(parameters), points

    def kernel_to(self, X: Any) -> Array:
        """k(x, z) for each row x of X and all points z."""
        return kernel_matrix(self.kernel, self.parameters, X, self.points)

    def sums_at(self, X: Any, coefs: Array) -> Array:
        """Σ_z a_z k(x, z) for each row x of X and each row a of ``coefs``.

        For a precomputed kernel X holds k(x, z) for all z.
        """
        used = np.flatnonzero(coefs.any(axis=0))
        if len(used) == coefs.shape[1]:
            return self.kernel_to(X) @ coefs.T
        if not len(used):
            return np.zeros((X.shape[0], len(coefs)))
        points, coefs = self.points[used], coefs[:, used]
        X = X[:, used] if isinstance(self.kernel, str) and self.kernel == "precomputed" else X
        return kernel_matrix(self.kernel, self.parameters, X, points) @ coefs.T


class KernelFeatures(KernelPoints):
    """Features f(x) of r numbers with ⟨f(x), f(z)⟩ = k(x, z) for any z among the ``points``.

    With K = V diag(s) V' over the points, f(x) = diag(s)^−½ V' (k(x, z))_z. They are exact for
    functions g = Σ a_z k(·, z) and ‖f‖ is g's norm; for points that are some of the examples it is
    Nyström's method.
    """

    def __init__(self, kernel: Kernel, parameters: Mapping[str, Any], points: Any) -> None:
        super().__init__(kernel, parameters, points)
        #: The weights a_z of features' weights w are ``basis`` w.
        self.basis: Array = basis_of(kernel_matrix(kernel, self.parameters, points, None), kernel)

    def of(self, X: Any) -> Array:
        """f of each row of X, n × r; for a precomputed kernel X holds k(x, z) for all z."""
        return self.kernel_to(X) @ self.basis


def basis_of(matrix: Array, kernel: Kernel) -> Array:
    """B of r columns with K B (K B)' = K for a matrix K of inner products, by its eigenvectors.

    Raises ValueError with the kernel's name where K is not positive semidefinite.
    """
    values, vectors = eigh((matrix + matrix.T) / 2)
    largest = float(np.abs(values).max())
    if values[0] < -NEGATIVE_EIGENVALUE * largest:
        raise ValueError(
            f"kernel {kernel!r} is not positive semidefinite on the data: of its eigenvalues "
            f"the largest is {values[-1]:g} and the least {values[0]:g}"
        )
    kept = values > EIGENVALUE_ROUNDING * largest
    if not kept.any():  # every inner product is 0
        kept[-1] = True
    scale = np.sqrt(np.maximum(values[kept], np.finfo(float).tiny))
    return vectors[:, kept] / scale * (largest > 0)


def kernel_matrix(kernel: Kernel, parameters: Mapping[str, Any], X: Any, points: Any) -> Array:
    """k(x, z) for rows x of X and z of ``points``, or of X where that is None."""
    if kernel == "precomputed":
        return np.asarray(X, dtype=np.float64)
    if callable(kernel):
        others = X if points is None else points
        matrix = np.asarray(kernel(X, others, **parameters), dtype=np.float64)
        shape = (X.shape[0], others.shape[0])
        if matrix.shape != shape or not np.isfinite(matrix).all():
            raise ValueError(
                f"the kernel must make a finite matrix of shape {shape} of the rows of two "
                f"matrices, got one of shape {matrix.shape}"
            )
        return matrix
    if kernel == "rbf":
        X, points = nearer(X, points)
    return np.asarray(pairwise_kernels(X, points, metric=kernel, **parameters), dtype=np.float64)


def nearer(X: Any, points: Any) -> tuple[Any, Any]:
    """Rows of X and ``points``, if not None, moved so that the points are near 0, if they are far.

    Squared distances are sums of squared lengths less products: these lose the digits of points far
    from 0. Sparse points, which would be dense then, stay.
    """
    others = X if points is None else points
    if issparse(X) or issparse(others) or not len(others):
        return X, points
    some = np.asarray(others[:FIRST_POINTS], dtype=np.float64)
    centre = some.mean(axis=0)
    distances = np.square(some - centre).sum() / len(some)
    if not FAR * distances < centre @ centre < np.inf:
        return X, points
    return X - centre, None if points is None else points - centre


def checked_kernels(kernel: Any, parameters: Any) -> list[tuple[Kernel, Mapping[str, Any]]]:
    """The kernels and their parameters, or a ValueError for anything else."""
    several = isinstance(kernel, list | tuple)
    kernels = list(kernel) if several else [kernel]
    if not kernels:
        raise ValueError("kernel is an empty list; at least one is needed")
    given = list(parameters) if several and parameters is not None else [parameters] * len(kernels)
    if len(given) != len(kernels):
        raise ValueError(
            f"there are {len(given)} kernel_params for {len(kernels)} kernels: give one each, {{}} "
            "or None for none"
        )
    for each in kernels:
        named = isinstance(each, str) and each in PAIRWISE_KERNEL_FUNCTIONS
        if not (callable(each) or named or (each == "precomputed" and not several)):
            known = ", ".join(PAIRWISE_KERNEL_FUNCTIONS)
            raise ValueError(
                f"kernel is {each!r}; it must be one of {known}, a callable, a list of these, or "
                "'precomputed' alone"
            )
    for each in given:
        if each is not None and not isinstance(each, Mapping):
            raise ValueError(f"kernel_params is {each!r}; it must be a dict or None")
    return [(one, each or {}) for one, each in zip(kernels, given, strict=True)]
