"""Numbers at the limits of double precision: gaps below rounding, and values beyond its range."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.column_order import ColumnOrder
from rrmlinear.data.rows import Rows
from rrmlinear.risks.hessian import Hessian
from rrmlinear.solvers.loop.result import TraceRow, passes_told
from rrmlinear.solvers.loop.tolerances import SUM_ROUNDING

Array = NDArray[np.float64]

ROUNDING = float(np.finfo(float).eps)


def slopes_near(derivatives: Any, scores: Array, moves: Array, labels: Any = None) -> Array:
    """The largest Σ_j |∂φ_i/∂s_ij| at scores that move by at most ``moves``, the same for an
    example; ``derivatives`` gives those at scores.

    Rounding moves scores to either side of a kink, where a dual may be any part of the slope. With
    classes, ``labels``, the loss is the steepest where all others rise and their own falls.
    """
    if scores.ndim == 1:
        ends = [np.abs(derivatives(np.ascontiguousarray(scores + d))) for d in (moves, -moves)]
        return np.maximum(*ends)
    moved = scores + moves[:, np.newaxis]
    moved[np.arange(len(moved)), labels] -= 2 * moves
    result: Array = np.abs(derivatives(moved)).sum(axis=1)
    return result


def score_rounding(squares: Array, weights: Array) -> Array:
    """How far a score x_i'w may be off by rounding, from the ‖x_i‖²: Cauchy's inequality."""
    return ROUNDING * np.sqrt(squares) * _length(weights)


def _length(weights: Array) -> float:
    sizes = np.abs(weights)
    return float(np.linalg.norm(sizes if sizes.ndim == 1 else sizes.max(axis=1)))


def bound_by_rows(shares: Array, squares: Array | float, weights: Array) -> float:
    """A bound of `rounding_of_scores` from the ‖x_i‖², ``squares``, or the largest of them:
    Cauchy's inequality once more. It reads no rows.
    """
    total = float(shares.sum())
    weighed = total * squares if isinstance(squares, float) else float(shares @ squares)
    return float(ROUNDING * math.sqrt(total * weighed) * _length(weights))


def rounding_of_scores(rows: Rows, shares: Array, weights: Any) -> float:
    """How far rounding of the scores X w may move Σ c_i φ_i, and that of X'(c α) the dual value.

    ``shares`` are the c_i |α_i|, summed over the classes of an example, and at a kink c_i times
    the slopes on its sides. A product x'w rounds by ε Σ_j |x_j w_j|, which is weighted by the
    derivative, where φ_i is smooth at the optimum the dual. By Cauchy's
    inequality Σ_i s_i |x_ij| is at most √(Σ s_i) √(Σ s_i x_ij²), so that lengths of columns do
    not matter. Weights are d, or d × k of which the largest of each row counts.
    """
    sizes = np.abs(weights)
    if sizes.size == rows.width:
        sizes = sizes.ravel()
    elif sizes.ndim == 2 and len(sizes) == rows.width:
        sizes = sizes.max(axis=1)
    else:  # the weights are no columns of these rows, such as the factors of a matrix
        return 0.0
    squares = Hessian(rows, np.ascontiguousarray(shares)).diagonal()
    return bound_by_features(shares, squares, sizes)


def rounding_of_balance(at: Any, alphas: Array, shares: Array) -> float:
    """How far free intercepts b move the dual value: by Σ c_i α_i b, which is 0 but for rounding,
    and the rounding of products c_i α_i y_i with numbers y of the size of b.
    """
    costs, tasks, b = np.ravel(at.risk.costs), getattr(at.risk, "tasks", None), at.intercept
    sums = costs @ alphas if tasks is None else np.bincount(tasks, costs * alphas, len(b))
    size = float(np.abs(b).max()) * float(shares.sum())
    return abs(float(np.dot(sums, b))) + ROUNDING * size


def rounding_of_sums(at: Any) -> Array:
    """How far scores with free intercepts are off, the largest of each example, to all digits: what
    sums have lost (Knuth's two-sum), and weights b / bias.
    """
    scores, bias, known = at.scores, at.risk.bias, np.atleast_1d(at.intercept)
    places = getattr(at.risk, "tasks", 0 if scores.ndim == 1 else slice(None))
    b, total = known[places], scores + known[places]
    part = total - scores
    lost = (scores - (total - part)) + (b - part)
    exact = [Fraction(v) - Fraction(v / bias) * Fraction(bias) for v in known.tolist()]
    lost += np.array(exact, dtype=float)[places]
    return np.abs(lost).reshape(len(lost), -1).max(axis=1)


def rounding_by_features(rows: ColumnOrder, shares: Array, weights: Array) -> float:
    """`rounding_of_scores` that reads the features with a weight alone."""
    in_use = np.flatnonzero(weights)
    squares = np.full(len(in_use), rows.bias**2 * shares.sum())  # of the appended column
    for at, j in enumerate(in_use[in_use < rows.shape[1]]):
        column = rows.values[:, j].astype(np.float64, copy=False)
        squares[at] = (shares * column) @ column
    return bound_by_features(shares, squares, weights[in_use])


def bound_by_features(shares: Array, squares: Array, weights: Array) -> float:
    """A bound of `rounding_of_scores` that reads nothing, from bounds of the Σ s_i x_ij²,
    ``squares``.
    """
    return float(ROUNDING * np.sqrt(shares.sum()) * (np.abs(weights) @ np.sqrt(squares)))


ADVICE = "scale the data, or choose less extreme numbers"


class NumbersOverflowError(ValueError):
    """Numbers of a solver leave the range of double precision; those of another may not."""


#: What a solver may raise where its numbers do.
OUT_OF_RANGE = (ArithmeticError, np.linalg.LinAlgError, NumbersOverflowError)


class _OfCallerError(Exception):
    """Carries an error that the caller's own code has raised out of `numbers_in_range`."""


@contextmanager
def callers_own() -> Iterator[None]:
    """Let errors of arithmetic in the block, which is the caller's code, through as they are."""
    try:
        yield
    except (ArithmeticError, np.linalg.LinAlgError) as error:
        raise _OfCallerError(error) from error


@contextmanager
def numbers_in_range() -> Iterator[None]:
    """Turn errors of arithmetic in the block into a ValueError, but those of `callers_own`.

    NumPy does not warn inside: the certificate shows what has overflowed.
    """
    try:
        with np.errstate(all="ignore"):
            yield
    except _OfCallerError as raised:
        raise raised.args[0] from raised.args[0].__cause__
    except (ArithmeticError, np.linalg.LinAlgError) as error:
        # Python's own errors have a number before their text; ours may end with half of the advice
        reason = str(error.args[-1] if error.args else error).removesuffix("; scale the data")
        sentence = f"numbers leave the range of double precision ({reason}): {ADVICE}"
        raise ValueError(sentence) from error


def check_defined(row: TraceRow) -> None:
    """Raise ValueError for a measured row whose gap is no number, or −∞: the dual is no bound."""
    if math.isnan(row.gap) or row.gap == -math.inf:
        raise ValueError(
            f"numbers leave the range of double precision: after {passes_told(row.number)} "
            f"the primal is {row.primal:g} and the dual {row.dual:g}; {ADVICE}"
        )


def check_proved(row: TraceRow) -> None:
    """Raise ValueError for a last row without a finite gap: nothing is known of its weights."""
    if not math.isfinite(row.gap):
        raise ValueError(
            f"after {passes_told(row.number)} there is no finite gap: "
            f"the primal is {row.primal:g} and the dual {row.dual:g}; {ADVICE}, "
            "or allow more passes"
        )


def check_weights(weights: Any) -> None:
    """Raise ValueError for weights that are not finite, as an intercept over a tiny bias may be."""
    if isinstance(weights, np.ndarray) and not np.isfinite(weights).all():
        raise ValueError(f"a weight leaves the range of double precision; {ADVICE}")


def or_zeros(vector: Array, betas: Array, lengths: Array) -> Array:
    """Σ β_i x_i, of rows of these lengths; zeros where it is rounding of its terms, as it is at an
    optimum of w = 0.
    """
    is_rounding = np.linalg.norm(vector) <= SUM_ROUNDING * float(betas @ lengths)
    return np.zeros_like(vector) if is_rounding else vector
