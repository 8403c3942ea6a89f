"""The largest eigenvalue of Σ c_i x_i x_i', and the largest singular value of a sparse matrix."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rrmlinear.core.blas import linear_algebra
from rrmlinear.core.deadline import check_time
from rrmlinear.solvers.loop.first import scores_at_zero
from rrmlinear.solvers.loop.inner import NUMBERS_AT_ONCE, Array, inner
from rrmlinear.solvers.loop.tolerances import CENTRED_TRACE, MANY_ROUNDINGS, SUM_ROUNDING

# The iteration ends when the eigenvalue rises by less than this fraction, or after MAX_PASSES.
EIGENVALUE_ACCURACY = 1e-6
MAX_PASSES = 1000
# Relative margin of the bound above the estimate, whose distance below the eigenvalue is unknown.
ESTIMATE_MARGIN = 1e-3
# Passes for the prox-function, and the smallest ratio of an example in it.
RATIO_PASSES = 6
MIN_RATIO = 0.1


def top_eigenvector(risk: Any, passes: int = MAX_PASSES, seed: int = 0) -> tuple[float, Array]:
    """(‖diag(√c) X‖², v*) with ‖v*‖ = 1 in the risk's shape of weights; (0, v) for data of zeros.

    The eigenvalue is approached from below. One column alone is iterated for a risk of blocks,
    whose operator is the same for each. If duals balance, rows are centred by their mean weighted
    with costs: the duals sum to 0, so a shift of all rows does not move Σ c_i α_i x_i.
    """
    random = np.random.default_rng(seed)
    v, d = np.zeros(risk.shape), risk.shape[0]
    column = v.reshape(d, math.prod(risk.shape[1:]))[:, 0]
    for begin in range(0, d, NUMBERS_AT_ONCE):
        check_time()
        some = column[begin : begin + NUMBERS_AT_ONCE]
        some[:] = random.uniform(0.5, 1.5, len(some))
    eigenvalue = 0.0
    for _ in range(passes):
        check_time()
        length = math.sqrt(inner(v, v))
        if length == 0:
            return 0.0, v
        v = v / length
        check_time()
        scores = risk.scores(v)
        check_time()
        image = risk.gradient(_centred(risk, scores))
        check_time()
        last, eigenvalue = eigenvalue, inner(v, image)
        v = image
        if eigenvalue - last <= EIGENVALUE_ACCURACY * eigenvalue:
            break
    length = math.sqrt(inner(v, v))
    return eigenvalue, v / length if length > 0 else v


def costs_of_rows(risk: Any) -> Array:
    """c_i of each row: ``row_costs`` of a risk whose derivatives include them, else its costs."""
    own = getattr(risk, "row_costs", None)
    costs = risk.costs.ravel()[: risk.rows.shape[0]] if own is None else own
    return np.asarray(costs)


def trace(risk: Any) -> float:
    """Σ c_i ‖x_i‖²: between ‖diag(√c) X‖² and min(n, d) times as large.

    If duals balance, rows are centred by their mean weighted with costs.
    """
    costs = costs_of_rows(risk)
    total = inner(costs, risk.rows.squared_norms())
    if "balance" in risk.offers:
        k = risk.shape[1] if risk.costs.ndim == 2 else 1  # columns with the same mean
        mean = risk.gradient(np.ones((len(costs), k)) if k > 1 else np.ones(len(costs)))
        total -= inner(mean, mean) / (float(costs.sum()) * k)
    return max(total, 0.0)


def mean_curvature(risk: Any) -> float:
    """`trace` over d: a lower bound of ‖diag(√c) X‖², where a search for it may start.

    A cost counts like repetitions, so solvers take the same steps with either. If all rows are
    equal with a free intercept, the curvature is 0, but the number returned is above 0.
    """
    raw = inner(costs_of_rows(risk), risk.rows.squared_norms())
    return max(trace(risk), CENTRED_TRACE * raw) / max(1, risk.shape[0])


def steepness(risk: Any) -> float:
    """The largest φ'' of a smooth loss; where that has no bound, the mean one at w = 0."""
    if risk.loss.smoothing > 0:
        return float(1 / risk.loss.smoothing)
    own = getattr(risk, "mean_curvature", None)
    if own is not None:
        return float(own()) or 1.0
    at = risk.at(scores_at_zero(risk))
    return float(at.curvatures.sum()) / float(costs_of_rows(risk).sum()) or 1.0


def _centred(risk: Any, scores: Array) -> Array:
    if "balance" not in risk.offers:
        return scores
    if risk.costs.ndim == 2:
        return scores - (risk.costs * scores).sum(axis=0) / float(risk.costs.sum())
    return scores - inner(risk.costs, scores) / float(risk.costs.sum())


def curvature_bound(risk: Any) -> float:
    """An upper bound of ‖diag(√c) X‖², up to the error of a power iteration."""
    return (1 + ESTIMATE_MARGIN) * top_eigenvector(risk)[0]


def dual_ratios(risk: Any) -> Array:
    """r_i = |x_i'v*| with Σ c_i r_i = Σ c_i: ½ Σ c_i r_i α_i² is an optimized prox-function.

    Source: Zhang, Saha and Vishwanathan, Regularized Risk Minimization by Nesterov's Accelerated
    Gradient Methods, section 5.6, with b_i² for each variable c_i α_i.
    """
    costs = risk.costs.ravel()
    scores = np.abs(risk.scores(top_eigenvector(risk, RATIO_PASSES)[1]))
    scores = scores.reshape(len(costs), -1)[:, 0].copy()
    total = float(costs.sum())
    mean = inner(costs, scores) / total if total > 0 else 0.0
    if not mean > 0:
        return np.ones(len(costs))
    ratios = np.maximum(scores / mean, MIN_RATIO)
    return ratios * (total / inner(costs, ratios))


# Up to this many rows or columns an eigenvalue routine finds the norm.
MAX_DENSE_SIZE = 2000
# Probability that a bound from a random start is too low.
FAILURE_PROBABILITY = 1e-12
# Lanczos steps of an estimate.
ESTIMATE_STEPS = 30


def norm_estimate(matrix: Any, steps: int = ESTIMATE_STEPS, seed: int = 0) -> float:
    """A lower estimate of ‖A‖, by ``steps`` of Lanczos from a random start."""
    return math.sqrt(_lanczos(matrix, steps, seed)[0])


def norm_bound(matrix: Any, part: float = 1e-6) -> float:
    """An upper bound of ‖A‖, about ``part`` of ‖A‖ above it.

    Up to 2000 rows or columns it is the root of the largest eigenvalue of A A' or A'A, plus
    rounding. Beyond this size it comes from Lanczos steps and is too low with a probability of at
    most 1e-12. After k steps from a random start on a matrix of size n, the relative error of an
    eigenvalue exceeds ε with a probability of at most 1.648 √n exp(−√ε (2k − 1)). Source: Kuczyński
    and Woźniakowski, Estimating the largest eigenvalue by the power and Lanczos algorithms with a
    random start, 1992, theorem 4.2.
    """
    n = min(matrix.shape)
    if n <= MAX_DENSE_SIZE:
        eigvalsh = linear_algebra("scipy.linalg").eigvalsh

        other = matrix.T
        gram = matrix @ other if matrix.shape[0] == n else other @ matrix
        square = eigvalsh(gram.toarray(), subset_by_index=[n - 1, n - 1])[0]
        return math.sqrt(max(square, 0.0) * (1 + SUM_ROUNDING))
    log = math.log(1.648 * math.sqrt(n) / FAILURE_PROBABILITY)
    steps = min(n, math.ceil((1 + log / math.sqrt(2 * part)) / 2))
    square, done, exact = _lanczos(matrix, steps, 1)
    epsilon = 0.0 if exact else min((log / (2 * done - 1)) ** 2, 1.0)
    if epsilon >= 1:
        return float(np.sqrt((matrix.data**2).sum()))
    return math.sqrt(square * (1 + SUM_ROUNDING) / (1 - epsilon))


def _lanczos(matrix: Any, steps: int, seed: int) -> tuple[float, int, bool]:
    """(largest Ritz value of A A', number of steps, whether these span the whole space)."""
    eigvalsh_tridiagonal = linear_algebra("scipy.linalg").eigvalsh_tridiagonal

    transposed = matrix.T
    if matrix.shape[0] > matrix.shape[1]:
        matrix, transposed = transposed, matrix
    n = matrix.shape[0]
    steps = min(steps, n)
    basis = np.zeros((steps, n))
    diagonal, beside = np.zeros(steps), np.zeros(steps)
    v = np.random.default_rng(seed).standard_normal(n)
    v /= np.linalg.norm(v)
    for k in range(steps):
        basis[k] = v
        image = matrix @ (transposed @ v)
        diagonal[k] = v @ image
        for _ in range(2):  # the second time against rounding
            image -= basis[: k + 1].T @ (basis[: k + 1] @ image)
        beside[k] = np.linalg.norm(image)
        if beside[k] <= MANY_ROUNDINGS * diagonal.max(initial=0) or k + 1 == steps:
            break
        v = image / beside[k]
    exact = k + 1 == n or beside[k] <= MANY_ROUNDINGS * diagonal.max(initial=0)
    if k == 0:
        return max(float(diagonal[0]), 0.0), 1, bool(exact)
    top = eigvalsh_tridiagonal(diagonal[: k + 1], beside[:k], select="i", select_range=(k, k))[0]
    return max(float(top), 0.0), k + 1, bool(exact)
