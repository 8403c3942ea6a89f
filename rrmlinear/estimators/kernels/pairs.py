"""Machines of one kernel whose duals are found by pairs, from rows of the kernel's matrix."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cholesky
from scipy.sparse import issparse

from rrmlinear.catalog.rows import LossRow
from rrmlinear.catalog.selection import Selection
from rrmlinear.data.problem import Problem
from rrmlinear.estimators.general import LinearClassifier, LinearRegressor
from rrmlinear.estimators.kernels.features import KernelPoints, kernel_matrix, nearer
from rrmlinear.solvers.dual.pairs.kernel_rows import KernelRows
from rrmlinear.solvers.dual.pairs.pair_ascent import PairAscent
from rrmlinear.solvers.loop.result import Result
from rrmlinear.solvers.loop.task import Task
from rrmlinear.training.model import Model

Array = NDArray[np.float64]

#: Losses whose duals are on an interval and without curvature of their own, unless smoothed.
PAIR_LOSSES = ("hinge", "absolute", "epsilon-insensitive", "quantile")
# Kernels that are positive semidefinite for all parameters that scikit-learn admits, polynomials
# apart.
DEFINITE = ("rbf", "laplacian", "linear", "cosine")
POLYNOMIALS = ("poly", "polynomial")
# Other kernels are positive semidefinite where their matrix is with this fraction of its mean
# diagonal added to the diagonal.
DEFINITE_ROUNDING = 1e-10
# Steps over n² that take about as long as the features of n examples. More are not worth it.
STEPS_OF_FEATURES = 0.3
# Examples whose part of the diagonal is computed at once.
DIAGONAL_PIECE = 64
# Numbers of the matrix that stay in a cache between two loops over them.
CACHED = 1 << 15


class NotSemidefiniteError(ValueError):
    """A kernel's matrix is not positive semidefinite to rounding."""


class Pairs:
    """An estimator that solves by pairs; ``kernel`` and its points are set before the fit.

    Its caller has checked parameters and data: checks take a third of the time of a small fit.
    The fit raises NotSemidefiniteError where pairs may fail, and SlowAscentError where features are
    faster.
    """

    kernel: KernelPoints
    kernel_rows: KernelRows

    def _validate_params(self) -> None:
        pass

    def _checked_data(self, X: Any, y: Any, sample_weight: Any = None, **how: Any) -> Any:
        return X, y, sample_weight

    def _chosen(self, problem: Problem, loss: LossRow, **more: Any) -> tuple[Problem, Selection]:
        problem, chosen = super()._chosen(problem, loss, **more)  # type: ignore[misc]
        self.kernel_rows = rows_of_kernel(self.kernel)
        solver = replace(chosen.solver, builder=self._ascent)
        choices = replace(chosen.choices, threads=1)  # all classes share the rows
        return problem, replace(chosen, solver=solver, choices=choices)

    def _ascent(self, task: Task) -> PairAscent:
        return PairAscent(task, self.kernel_rows, STEPS_OF_FEATURES * self.kernel_rows.n**2)

    def _solve(self, *given: Any, **more: Any) -> tuple[Model, Result]:
        model, result = super()._solve(*given, **more)  # type: ignore[misc]
        weights = result.weights.reshape(len(result.weights), -1)
        return replace(model, weights=weights, n_features=self.kernel_rows.n), result

    def norms(self) -> Array:
        """‖g‖ of each score."""
        coefs = np.atleast_2d(self.coef_)  # type: ignore[attr-defined]
        squares = [float(a @ self.kernel_rows.times(a)) for a in coefs]
        return np.sqrt(np.maximum(squares, 0))


class PairClassifier(Pairs, LinearClassifier):
    """A kernel classifier; ``coef_`` are the weights of the examples' kernels."""


class PairRegressor(Pairs, LinearRegressor):
    """A kernel regression; ``coef_`` are the weights of the examples' kernels."""


def rows_of_kernel(at: KernelPoints) -> KernelRows:
    """Rows of the kernel's matrix over its points.

    Of kernels that may be indefinite the whole matrix is computed and factorized; raises
    NotSemidefiniteError where that fails.
    """
    if not is_definite(at):
        matrix = at.kernel_to(at.points)
        matrix = (matrix + matrix.T) / 2
        check_semidefinite(matrix)
        return KernelRows.of(matrix)
    n = at.points.shape[0]
    if at.kernel == "rbf" and not issparse(at.points):
        check_gaussian(at)
        gaussian = Gaussian(at)
        return KernelRows(np.ones(n), gaussian.rows, gaussian.square)
    diagonal = np.empty(n)
    for begin in range(0, n, DIAGONAL_PIECE):
        piece = at.points[begin : begin + DIAGONAL_PIECE]
        part = kernel_matrix(at.kernel, at.parameters, piece, piece)
        diagonal[begin : begin + DIAGONAL_PIECE] = part.diagonal()

    def rows(examples: NDArray[np.int64], out: Array) -> None:
        out[:] = at.kernel_to(at.points[examples])

    def square(examples: NDArray[np.int64]) -> Array:
        piece = at.points[examples]
        return kernel_matrix(at.kernel, at.parameters, piece, piece)

    return KernelRows(diagonal, rows, square)


def check_gaussian(at: KernelPoints) -> None:
    """Raise an error unless a Gaussian kernel admits its parameters."""
    gamma = at.parameters.get("gamma")
    if gamma is not None and not (isinstance(gamma, Real) and 0 <= float(gamma) < np.inf):
        raise ValueError(f"gamma is {gamma!r}; it must be a number, at least 0")
    if not at.parameters.keys() <= {"gamma"}:
        at.kernel_to(at.points[:1])  # refuses names that the kernel does not have


def is_definite(at: KernelPoints) -> bool:
    """Whether a kernel is positive semidefinite over all points."""
    if not isinstance(at.kernel, str):
        return False
    if at.kernel not in POLYNOMIALS:
        return at.kernel in DEFINITE
    degree, coef0 = at.parameters.get("degree", 3), at.parameters.get("coef0", 1)
    return isinstance(degree, Integral) and isinstance(coef0, Real) and float(coef0) >= 0


def check_semidefinite(matrix: Array) -> None:
    """Raise NotSemidefiniteError unless a matrix is positive semidefinite to rounding."""
    shifted = matrix.copy()
    shifted.flat[:: len(matrix) + 1] += DEFINITE_ROUNDING * abs(float(matrix.trace())) / len(matrix)
    try:
        cholesky(shifted, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError as error:
        raise NotSemidefiniteError from error


class Gaussian:
    """exp(−γ ‖x − z‖²) over dense points: 2γ x'z − γ‖x‖² − γ‖z‖² is one product of two matrices."""

    def __init__(self, at: KernelPoints) -> None:
        points, gamma = nearer(at.points, None)[0], at.parameters.get("gamma")
        self.n = len(points)
        gamma = 1 / points.shape[1] if gamma is None else float(gamma)
        halves = gamma * np.einsum("ij,ij->i", points, points)[:, np.newaxis]
        scaled, ones = np.sqrt(2 * gamma) * points, np.ones((self.n, 1))
        self.left = np.hstack([scaled, -halves, ones])
        self.right = np.hstack([scaled, ones, -halves])

    def rows(self, examples: NDArray[np.int64], out: Array) -> None:
        """Put those of some examples into ``out``."""
        np.matmul(self.left[examples], self.right.T, out=out)
        some = max(1, CACHED // self.n)
        for begin in range(0, len(out), some):
            exponential(out[begin : begin + some])
        out[np.arange(len(examples)), examples] = 1

    def square(self, examples: NDArray[np.int64]) -> Array:
        """Those between some examples."""
        out: Array = self.left[examples] @ self.right[examples].T
        exponential(out)
        np.fill_diagonal(out, 1)
        return out


def exponential(exponents: Array) -> None:
    """e to the power of these numbers, which are at most 0 but for rounding, in place."""
    np.exp(np.minimum(exponents, 0, out=exponents), out=exponents)
