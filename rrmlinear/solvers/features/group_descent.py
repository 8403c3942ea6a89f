"""Descent over features with a weight for each of several targets, which are used together, and
paths of one strength after the other, each begun from the one before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.deadline import check_time
from rrmlinear.solvers.features._feature_descent import lower_groups, sweep_groups
from rrmlinear.solvers.features.feature_newton import INNER_FALL_FRACTION
from rrmlinear.solvers.features.set_paths import MAX_LOOKS
from rrmlinear.solvers.features.working_gram import MIN_NEW, best_factor
from rrmlinear.solvers.features.working_set import WORKING_SET_PULL
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.tolerances import FEW_ROUNDINGS, MANY_ROUNDINGS

Array = NDArray[np.float64]


class GroupSet:
    """½ Σ_i c_i ‖y_i − W x_i − b‖² + l1 Σ_j ‖w_j‖ + (modulus/2)‖W‖² over W and b.

    Y is n × k, W k × d with columns w_j; b, without a penalty, is 0 unless ``centred``. A working
    set keeps its features as ``lines``: columns of X, less their means, times √c. ``square`` and
    ``product`` are ‖R‖² and tr(Y'R) of the residuals R, k × n, and ``pulls`` are X'R', d × k, after
    a `look`.
    """

    #: From this number of points the next one is foretold.
    points = 6

    def __init__(self, X: Any, Y: Array, costs: Array, centred: bool) -> None:
        self.is_dense = isinstance(X, np.ndarray)
        self.X = X if self.is_dense else X.tocsc()
        total, self.root = costs.sum(), np.sqrt(costs)
        d, k = X.shape[1], Y.shape[1]
        self.means = np.asarray(X.T @ costs) / total if centred else np.zeros(d)
        self.level = costs @ Y / total if centred else np.zeros(k)
        self.aim = np.ascontiguousarray(((Y - self.level) * self.root[:, np.newaxis]).T)
        self.features = np.zeros(0, dtype=np.intp)
        self.lines, self.squares = np.zeros((0, len(Y))), np.zeros(0)
        #: Their products, None where they are more than it pays for.
        self.gram: Any = np.zeros((0, 0))
        self.weights = np.zeros((k, 0))
        self.usable = np.ones(d, dtype=bool)
        self.look()

    def look(self) -> None:
        """Compute the residuals and pulls at the weights anew."""
        self.residual = self.aim - self.weights @ self.lines
        weighed = self.root * self.residual
        self.pulls = np.asarray(self.X.T @ weighed.T, dtype=np.float64)
        if self.means.any():
            self.pulls -= np.outer(self.means, weighed.sum(axis=1))
        self.square = float(np.vdot(self.residual, self.residual))
        self.product = float(np.vdot(self.aim, self.residual))

    @property
    def sizes(self) -> Array:
        """‖X_j'r‖ of all features."""
        return np.sqrt(np.einsum("jt,jt->j", self.pulls, self.pulls))

    def take(self, level: float) -> bool:
        """Take features whose sizes are above a level, the largest first; whether there were any.

        At most as many as there are come in, so that a path need not begin anew.
        """
        sizes = np.where(self.usable, self.sizes, 0.0)
        sizes[self.features] = 0.0
        new = np.flatnonzero(sizes > level)
        most = max(MIN_NEW, len(self.features))
        if len(new) > most:
            new = np.sort(new[np.argpartition(-sizes[new], most)[:most]])
        return self.add(new)

    def leave(self, level: float) -> None:
        """Leave features out that are not in use, with sizes below a level."""
        used = self.weights.any(axis=0)
        kept = used | (self.sizes[self.features] > level)
        if kept.all():
            return
        self.features, self.lines = self.features[kept], self.lines[kept]
        self.squares = self.squares[kept]
        self.weights = np.ascontiguousarray(self.weights[:, kept])
        if self.gram is not None:
            self.gram = self.gram[np.ix_(kept, kept)]

    def begin(self, weights: Array) -> None:
        """Begin at weights, k × d; others are left."""
        if weights.shape != (len(self.level), len(self.means)):
            return
        self.add(np.setdiff1d(np.flatnonzero(weights.any(axis=0)), self.features))
        self.weights = np.ascontiguousarray(weights[:, self.features])
        self.look()

    def add(self, new: NDArray[np.intp]) -> bool:
        some = self.X[:, new]
        some = some if self.is_dense else some.toarray()
        lines = np.subtract(some, self.means[new], dtype=np.float64).T * self.root
        squares = np.einsum("ji,ji->j", lines, lines)
        kept = squares > MANY_ROUNDINGS * float(self.root @ self.root) * self.means[new] ** 2
        self.usable[new[~kept]] = False
        new, lines = new[kept], lines[kept]
        if not len(new):
            return False
        # a move takes a number for each product, or two for each entry of a column
        pays = len(self.features) + len(new) <= 2 * len(self.root)
        if pays and self.gram is not None:
            cross = self.lines @ lines.T
            self.gram = np.block([[self.gram, cross], [cross.T, lines @ lines.T]])
        self.features = np.concatenate([self.features, new])
        self.lines = np.vstack([self.lines, lines])
        self.squares = np.concatenate([self.squares, squares[kept]])
        self.weights = np.hstack([self.weights, np.zeros((len(self.weights), len(new)))])
        if not pays:
            self.gram = None
        elif self.gram is None:
            self.gram = self.lines @ self.lines.T
        return True

    def primal(self, l1: float, modulus: float) -> float:
        """The objective after a `look`."""
        return self.square / 2 + _penalty(self.weights, l1, modulus)

    def dual(self, l1: float, modulus: float) -> tuple[float, float]:
        """The best multiple of the residuals as duals, and its objective, after a `look`."""
        return _best(self.square, self.product, self.sizes, l1, modulus)

    def descend(self, l1: float, modulus: float, goal: float) -> None:
        """Minimize over the working set until its gap is at most ``goal``, or no weight moves.

        After some sweeps the next point is foretold from the last ones (Anderson), and taken where
        it is lower.
        """
        if not len(self.features):
            return
        W, points = self.weights, [self.weights.copy()]
        is_gram = self.gram is not None
        of_aim = self.aim @ self.lines.T
        self.residual = self.aim - W @ self.lines
        state = self.residual @ self.lines.T if is_gram else self.residual
        lines = self.gram if is_gram else self.lines
        first = float(np.vdot(self.aim, self.aim))
        for _ in range(MAX_LOOKS):
            check_time()
            decrease = sweep_groups(lines, self.squares, l1, modulus, W, state, is_gram)
            pulls = state if is_gram else state @ self.lines.T
            product = first - float(np.vdot(of_aim, W))
            square = product - float(np.vdot(pulls, W)) if is_gram else float(np.vdot(state, state))
            sizes = np.sqrt(np.einsum("tj,tj->j", pulls, pulls))
            gap = square / 2 + _penalty(W, l1, modulus)
            gap -= _best(square, product, sizes, l1, modulus)[1]
            if gap <= goal or decrease == 0:
                break
            points.append(W.copy())
            if len(points) == self.points:
                self._foretell(points, lines, state, pulls, (l1, modulus))
                points = [W.copy()]

    def _foretell(
        self,
        points: list[Array],
        lines: Array,
        state: Array,
        pulls: Array,
        how: tuple[float, float],
    ) -> None:
        """Take the sum of the last points, of factors with the sum 1, whose moves add up to least,
        if it is lower.
        """
        moves = np.diff(np.array(points), axis=0).reshape(len(points) - 1, -1)
        products = moves @ moves.T
        products.flat[:: len(products) + 1] += FEW_ROUNDINGS * np.trace(products)
        shares = np.linalg.solve(products, np.ones(len(products)))
        shares /= shares.sum()
        W = np.tensordot(shares, np.array(points[1:]), axes=1)
        if not np.isfinite(W).all():
            return
        change = W - self.weights
        moved = change @ lines  # of the state
        products_of = moved if self.gram is not None else moved @ self.lines.T
        of_loss = float(np.vdot(products_of, change)) / 2 - float(np.vdot(pulls, change))
        if of_loss + _penalty(W, *how) < _penalty(self.weights, *how):
            self.weights[:] = W
            state -= moved

    def whole(self) -> tuple[Array, Array]:
        """W of all features, and b."""
        W = np.zeros((len(self.weights), len(self.means)))
        W[:, self.features] = self.weights
        return W, self.level - W @ self.means


def _penalty(W: Array, l1: float, modulus: float) -> float:
    squares = np.einsum("tj,tj->j", W, W)
    return l1 * float(np.sqrt(squares).sum()) + modulus / 2 * float(squares.sum())


def _best(
    square: float, product: float, sizes: Array, l1: float, modulus: float
) -> tuple[float, float]:
    """The best multiple of a residual, or itself, as duals."""
    factor, dual = best_factor(square, product, sizes, l1, modulus)
    if modulus > 0:  # near the optimum the residual is the best dual
        excess = np.maximum(sizes - l1, 0)
        own = product - square / 2 - float(excess @ excess) / (2 * modulus)
        if own > dual:
            return 1.0, own
    return factor, dual


class GroupDescent(Solver):
    """The problem of a `GroupSet`, from the weights that it has.

    A pass takes features that would move, minimizes over the working set, and ends with the
    certificate over all features and examples.
    """

    def __init__(self, problem: GroupSet, l1: float, modulus: float) -> None:
        super().__init__()
        if not l1 > 0:
            raise ValueError(f"l1 must be above 0, got {l1}")
        self.problem, self.l1, self.modulus = problem, l1, modulus

    def start(self) -> None:
        self.goal = np.inf
        self._offer()

    def run_pass(self, number: int) -> None:
        certificate, problem = self.certificate, self.problem
        gap = certificate.gap
        problem.leave(WORKING_SET_PULL * self.l1)
        has_grown = problem.take(self.l1)
        # the gap over all features may be far above that of the working set: the goal falls
        target = max(self.tolerance * certificate.primal, gap)
        self.goal = INNER_FALL_FRACTION * min(self.goal, target)
        problem.descend(self.l1, self.modulus, self.goal)
        problem.look()
        self._offer()
        fell = gap - certificate.gap > FEW_ROUNDINGS * certificate.primal
        self.moved = len(problem.means) if has_grown or fell else 0
        self.work += 1.0

    def value_at_zero(self) -> float:
        return float(np.vdot(self.problem.aim, self.problem.aim)) / 2

    def penalty(self) -> float:
        return _penalty(self.certificate.weights[:-1].T, self.l1, self.modulus)

    def support(self) -> dict[str, int]:
        return {"features in use": int(self.certificate.weights[:-1].any(axis=1).sum())}

    def _offer(self) -> None:
        problem, how = self.problem, (self.l1, self.modulus)
        W, b = problem.whole()
        self.certificate.offer_weights(np.vstack([W.T, b]), primal=problem.primal(*how), exact=True)
        factor, dual = problem.dual(*how)
        roots, shares = problem.root, np.zeros_like(problem.residual)
        np.divide(factor * problem.residual, roots, out=shares, where=roots > 0)
        self.certificate.offer_duals(shares.T.copy(), dual=dual, exact=True)


def group_path(
    X: Any,
    Y: Array,
    costs: Array,
    centred: bool,
    strengths: Iterable[tuple[float, float]],
    tolerance: float,
) -> Iterator[tuple[Array, Array] | None]:
    """(W, b) of the problem of a `GroupSet` for each (l1, modulus), falling; None where no gap of
    at most ``tolerance`` of the objective proves them.
    """
    problem, before = GroupSet(X, Y, costs, centred), np.inf
    whole = WholeGram(problem) if X.shape[1] <= len(Y) else None
    ends: list[tuple[float, Array]] = []
    for l1, modulus in strengths:
        if whole is not None:
            if whole.lower(l1, modulus, tolerance):
                before = l1
                yield problem.whole()
                continue
            whole = None
            problem.look()
        if len(ends) == 2 and ends[1][0] < ends[0][0]:
            _go_ahead(problem, ends, l1, modulus)
        # features whose sizes grow at most as fast as l1 falls are not in use
        problem.take(max(2 * l1 - before, l1 / 2) if before < np.inf else l1)
        before = l1
        is_solved = _solves(problem, l1, modulus, tolerance)
        found = problem.whole()
        ends = [*ends[-1:], (l1, found[0])]
        yield found if is_solved else None


class WholeGram:
    """The problem of a `GroupSet` on the Gram matrix of all features, for few features."""

    def __init__(self, problem: GroupSet) -> None:
        problem.add(np.arange(len(problem.means)))
        self.problem, self.linear = problem, problem.aim @ problem.lines.T
        self.square = float(np.vdot(problem.aim, problem.aim))
        self.ends: list[tuple[float, Array]] = []

    def lower(self, l1: float, modulus: float, tolerance: float) -> bool:
        """Minimize, from the line through the last two solutions; whether a gap proves it."""
        problem, ends = self.problem, self.ends
        W = problem.weights
        if len(ends) == 2 and ends[1][0] < ends[0][0]:
            (one, before), (two, last) = ends
            W += min((l1 - two) / (two - one), 1.0) * (last - before)
        pulls = self.linear - W @ problem.gram
        how = l1, modulus, tolerance, MAX_LOOKS
        given = problem.gram, problem.squares, self.linear, self.square
        found = bool(lower_groups(*given, *how, W, pulls))
        self.ends = [*ends[-1:], (l1, W.copy())]
        return found


def _go_ahead(
    problem: GroupSet, ends: list[tuple[float, Array]], l1: float, modulus: float
) -> None:
    """Go on along the line through the last two solutions, where that is lower."""
    (one, before), (two, last) = ends
    some, weights, primal = problem.features, problem.weights, problem.primal(l1, modulus)
    ahead = last + (l1 - two) / (two - one) * (last - before)
    problem.weights = np.ascontiguousarray(ahead[:, some] * weights.any(axis=0))
    problem.look()
    if not problem.primal(l1, modulus) < primal:
        problem.weights = weights
        problem.look()


def _solves(problem: GroupSet, l1: float, modulus: float, tolerance: float) -> bool:
    """Minimize; whether a gap proves it."""
    goal = np.inf
    for _ in range(MAX_LOOKS):
        primal = problem.primal(l1, modulus)
        gap = primal - problem.dual(l1, modulus)[1]
        if gap <= tolerance * primal:
            return True
        problem.leave(WORKING_SET_PULL * l1)
        has_grown = problem.take(l1)
        if goal <= FEW_ROUNDINGS * primal and not has_grown:
            break
        goal = INNER_FALL_FRACTION * min(goal, max(tolerance * primal, gap))
        problem.descend(l1, modulus, goal)
        problem.look()
    return False
