"""Paths of least squares with an elastic net on one Gram matrix, or on those of working sets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.deadline import check_time
from rrmlinear.data.array_rows import csr_of
from rrmlinear.data.rows import Rows
from rrmlinear.solvers.features._face_inverse import SparseColumns
from rrmlinear.solvers.features._gram_path import GramPath
from rrmlinear.solvers.features.feature_subsets import DenseLines
from rrmlinear.solvers.features.working_gram import WorkingGram, best_factor
from rrmlinear.solvers.lbfgs._classes import sums
from rrmlinear.solvers.loop.tolerances import MANY_ROUNDINGS

Array = NDArray[np.float64]

# A set that takes features takes those in reach of this number of steps.
STEPS_AHEAD = 2
# Looks at all features for one strength, at most.
MAX_LOOKS = 50


class SetPaths:
    """minimize ½ Σ_i c_fi (y_i − x_i'w − b)² + l1 ‖w‖₁ + (modulus/2)‖w‖² for each row c_f of
    ``costs``, one strength after the other; w ≥ 0 if ``positive``, and b = 0 unless ``centred``.

    Each problem has the Gram matrix of a working set, which takes the features that may be in use
    next: those whose product with the residual is in reach of l1, should it change as fast as l1.
    A look at all features, which all problems share, proves the solution or finds others. Source of
    the rule: Tibshirani and others, Strong rules for discarding predictors, 2012.
    """

    def __init__(
        self, rows: Rows, y: Array, costs: Array, centred: bool, tolerance: float, positive: bool
    ) -> None:
        self.rows, self.tolerance = rows, tolerance
        self.csr: Any = None if rows.is_dense else csr_of(rows)
        csr: Any = self.csr
        stored: Any = rows.values if rows.is_dense else csr.tocsc()
        totals = costs.sum(axis=1)
        means = self._products(costs) / totals[:, np.newaxis] if centred else None
        squares = None if rows.is_dense else csr.multiply(csr).T.tocsr()
        self.sets = []
        for f, c in enumerate(costs):
            centre = np.zeros(rows.shape[1]) if means is None else means[f]
            level = float(c @ y) / totals[f] if centred else 0.0
            root = np.sqrt(c)
            aim = root * (y - level)
            lines: Any
            if rows.is_dense:
                lines, is_free = DenseLines(stored, root, centre, aim), np.ones(len(centre), bool)
            else:
                lines = SparseColumns(stored, root, centre, aim)
                away = totals[f] * centre**2
                is_free = squares @ c - away > MANY_ROUNDINGS * away
            self.sets.append(WorkingPath(lines, root, centre, aim, level, positive, is_free))

    def solve(self, l1s: Sequence[float], moduli: Sequence[float]) -> list[Any]:
        """Go on to these strengths of the problems: (features, weights, b) of each that is proved,
        None of others.
        """
        with np.errstate(all="ignore"):
            for each, l1, modulus in zip(self.sets, l1s, moduli, strict=True):
                each.begin(l1, modulus)
            some = [each for each in self.sets if not each.is_over]
            for _ in range(MAX_LOOKS):
                if not some:
                    break
                check_time()
                for each in some:
                    each.descend(self.tolerance)
                self._look(some)
                some = [each for each in some if not each.takes(self.tolerance)]
        for each in some:
            each.proved = False
        return [each.result() for each in self.sets]

    def _look(self, some: list[WorkingPath]) -> None:
        pulls = np.array([each.root * each.residual for each in some])
        for each, products in zip(some, self._products(pulls), strict=True):
            each.pulls = products - each.centre * float(each.root @ each.residual)

    def _products(self, pulls: Array) -> Array:
        """Σ_i a_i x_i for each row a."""
        if self.csr is None:
            return sums(self.rows, pulls)
        return np.ascontiguousarray((self.csr.T @ pulls.T).T)


class WorkingPath:
    """The path of one problem: its working set, and the weights there."""

    def __init__(
        self,
        lines: Any,
        root: Array,
        centre: Array,
        aim: Array,
        level: float,
        positive: bool,
        is_free: NDArray[np.bool_],
    ) -> None:
        self.lines, self.root, self.centre, self.aim = lines, root, centre, aim
        self.level, self.positive = level, positive
        self.gram = WorkingGram(lines, float(aim @ aim), is_free, positive)
        self.residual = aim.copy()
        self.pulls: Any = None
        self.l1, self.modulus = np.inf, 0.0
        self.proved = False

    @property
    def is_over(self) -> bool:
        return self.gram.is_over

    def begin(self, l1: float, modulus: float) -> None:
        """Go on to these strengths, with the features that may be in use there."""
        before, self.l1, self.modulus, self.proved = self.l1, l1, modulus, False
        if self.pulls is not None and not self.is_over and l1 < before:
            step = before - l1
            self._take(max(l1 - step, l1 / 2), max(l1 - STEPS_AHEAD * step, l1 / 2))

    def descend(self, tolerance: float) -> None:
        """Minimize over the working set, to half of the tolerance."""
        if self.gram.path is None:
            return
        self.gram.path.descend(self.l1, self.modulus, tolerance / 2)
        self.residual = self.lines.residual(self.gram.weights)

    def takes(self, tolerance: float) -> bool:
        """Whether the path ends here: it is proved, or nothing more can be done."""
        w, residual = self.gram.weights, self.residual
        square = float(residual @ residual)
        primal = (square + self.modulus * float(w @ w)) / 2 + self.l1 * float(np.abs(w).sum())
        product = float(self.aim @ residual)
        _, dual = best_factor(square, product, self._sizes(), self.l1, self.modulus)
        self.proved = bool(primal - dual <= tolerance * primal)
        return self.proved or not self._take(self.l1, self.l1)

    def _sizes(self) -> Array:
        return np.maximum(self.pulls, 0) if self.positive else np.abs(self.pulls)

    def _take(self, level: float, lower: float) -> bool:
        """Take features of these levels, if there are any; whether there were."""
        has_more = self.gram.take(self._sizes(), level, lower)
        if has_more:
            self.gram.renew(self.lines.times(self.aim))
        return has_more

    def result(self) -> Any:
        """(features, weights, b) if this is proved, else None."""
        if not self.proved:
            return None
        used = np.flatnonzero(self.gram.weights)
        features, w = self.gram.features[used], self.gram.weights[used].copy()
        return features, w, self.level - float(self.centre[features] @ w)


def set_paths(
    rows: Rows,
    y: Array,
    costs: Array,
    centred: bool,
    strengths: Sequence[Sequence[tuple[float, float]]],
    tolerance: float,
    positive: bool,
) -> Iterator[list[Any]]:
    """The results of all problems for one strength after the other; ``strengths`` are those of each
    problem.
    """
    paths = SetPaths(rows, y, costs, centred, tolerance, positive)
    for each in zip(*strengths, strict=True):
        yield paths.solve(*zip(*each, strict=True))


def gram_path(
    gram: Array,
    linear: Array,
    square: float,
    strengths: Iterable[tuple[float, float]],
    tolerance: float,
    positive: bool,
    more: Array | None = None,
) -> Iterator[Array | None]:
    """minimize ½ (square − 2 q'w + w'Gw) + l1 ‖w‖₁ + (modulus/2) Σ_j (1 + more_j) w_j² for each
    (l1, modulus).

    G is ``gram`` and q is ``linear``, X'X and X'y where square = y'y; w ≥ 0 if ``positive``. Each
    problem begins from the weights of the last one. Yields weights, or None where no gap of at most
    ``tolerance`` of the objective, and beyond rounding, proves them.
    """
    own, gram = gram.diagonal(), gram if more is None else gram.copy()
    path = GramPath(gram, linear, square, positive)
    for l1, modulus in strengths:
        if more is not None and modulus > 0:
            gram.flat[:: len(gram) + 1] = np.where(own > 0, own + modulus * more, 0.0)
            path.grow(gram, linear)
        yield path.weights.copy() if path.descend(l1, modulus, tolerance) else None
