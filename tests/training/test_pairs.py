"""Every loss with every regularizer by Pdprox: certified, and at the optimum of a conic solver."""

import numpy as np
import pytest
from kinds_of_labels import labelled_rows
from members import labels_in_domain
from scipy.special import xlogy

from rrmlinear import Parameter, Problem
from rrmlinear.catalog.losses import LOSSES
from rrmlinear.catalog.regularizers import REGULARIZERS

cvxpy = pytest.importorskip("cvxpy")

N, D, K, C = 24, 4, 3, 0.5
CERTIFIED, AGREEMENT = 1e-7, 1e-6
GAMMA, EPSILON, DELTA, QUANTILE, SLOPE = 1.0, 0.1, 1.0, 0.3, 2.0
L1, RADIUS = 0.2, 0.3
GROUPS = [0, 1, 0, 1]
CHOICES = {"l1": L1, "radius": RADIUS, "groups": GROUPS}
TAKEN = {"quantile": QUANTILE, "epsilon": EPSILON, "huber": DELTA, "slope": SLOPE}


def hinge(m):
    return cvxpy.sum(cvxpy.pos(1 - m))


def smoothed(loss, m):
    """The loss with γ/2 of the square added to its conjugate."""
    u = cvxpy.Variable(m.shape)
    return loss(m + u) + cvxpy.sum_squares(u) / (2 * GAMMA)


def crammer_singer(margins):
    return cvxpy.sum(cvxpy.pos(cvxpy.max(1 + margins, axis=1)))


def entropic(margins):
    zeros = np.zeros((N, 1))
    return cvxpy.sum(cvxpy.log_sum_exp(cvxpy.hstack([zeros, margins]), axis=1))


#: Sums over examples of residuals y − a, of margins y a, of s_j − s_y for the other classes j; of
#: scores a with labels y where the loss says their domain.
MODELS = {
    "squared": lambda r: cvxpy.sum_squares(r) / 2,
    "absolute": cvxpy.norm1,
    "epsilon-insensitive": lambda r: cvxpy.sum(cvxpy.pos(cvxpy.abs(r) - EPSILON)),
    "squared-epsilon-insensitive": lambda r: cvxpy.sum_squares(cvxpy.pos(cvxpy.abs(r) - EPSILON)),
    "huber": lambda r: cvxpy.sum(cvxpy.huber(r, DELTA)) / 2,
    "quantile": lambda r: cvxpy.sum(cvxpy.maximum(QUANTILE * r, (QUANTILE - 1) * r)),
    "poisson": lambda a, y: (
        cvxpy.sum(cvxpy.exp(a) - cvxpy.multiply(y, a)) + np.sum(xlogy(y, y) - y)
    ),
    "gamma": lambda a, y: cvxpy.sum(cvxpy.multiply(y, cvxpy.exp(-a)) + a) - np.sum(np.log(y) + 1),
    "tweedie": lambda a, y: (
        cvxpy.sum(2 * cvxpy.exp(a / 2) + cvxpy.multiply(2 * y, cvxpy.exp(-a / 2)))
        - np.sum(4 * np.sqrt(y))
    ),
    "binomial": lambda a, y: (
        cvxpy.sum(cvxpy.logistic(a) - cvxpy.multiply(y, a))
        + np.sum(xlogy(y, y) + xlogy(1 - y, 1 - y))
    ),
    "hinge": hinge,
    "smooth-hinge": lambda m: smoothed(hinge, m),
    "squared-hinge": lambda m: cvxpy.sum_squares(cvxpy.pos(1 - m)),
    "generalized-hinge": lambda m: cvxpy.sum(cvxpy.maximum(0, 1 - m, 1 - SLOPE * m)),
    "logistic": lambda m: cvxpy.sum(cvxpy.logistic(-m)),
    "crammer-singer": crammer_singer,
    "smooth-crammer-singer": lambda s: smoothed(crammer_singer, s),
    "softmax-of-hinge": lambda s: entropic(1 + s),
    "softmax": entropic,
    "weston-watkins": lambda s: cvxpy.sum(cvxpy.pos(1 + s)),
}


def groups_of(W, norm):
    rows = [[j for j in range(D) if GROUPS[j] == g] for g in sorted(set(GROUPS))]
    return [norm(cvxpy.vec(W[group], order="C")) for group in rows]


def group_lasso(W):
    sizes = [GROUPS.count(g) * W.shape[1] for g in sorted(set(GROUPS))]
    return np.sqrt(sizes) @ cvxpy.hstack(groups_of(W, cvxpy.norm2))


def largest(W):
    return cvxpy.max(cvxpy.abs(W))


def l1(W):
    return cvxpy.sum(cvxpy.abs(W))


#: (Ω, constraints) of a D × k matrix of weights.
TERMS = {
    "l2": lambda W: (cvxpy.sum_squares(W) / 2, []),
    "elastic-net": lambda W: (cvxpy.sum_squares(W) / 2 + L1 * l1(W), []),
    "l1": lambda W: (L1 * l1(W), []),
    "elastic-ball": lambda W: (0, [cvxpy.sum_squares(W) / 2 + L1 * l1(W) <= RADIUS]),
    "l2-norm": lambda W: (cvxpy.norm2(cvxpy.vec(W, order="C")), []),
    "linf": lambda W: (largest(W), []),
    "group-lasso": lambda W: (group_lasso(W), []),
    "sparse-group-lasso": lambda W: (L1 * l1(W) + group_lasso(W), []),
    "exclusive-lasso": lambda W: (sum(map(cvxpy.square, groups_of(W, cvxpy.norm1))), []),
    "l21": lambda W: (cvxpy.sum(cvxpy.norm(W, 2, axis=1)), []),
    "l1inf": lambda W: (cvxpy.sum(cvxpy.norm(W, "inf", axis=1)), []),
    "trace-norm": lambda W: (cvxpy.normNuc(W), []),
    "squared-group-norm": lambda W: (cvxpy.square(group_lasso(W)), []),
}


@pytest.fixture(scope="module")
def data():
    return labelled_rows(N, 8)


def optimum(X, y, kind, loss, regularizer):
    """That of the conic solver."""
    W = cvxpy.Variable((D, K if kind == "multiclass" else 1))
    scores = X @ W
    if LOSSES[loss].labels is not None:
        of = scores[:, 0]
    elif kind == "regression":
        of = y - scores[:, 0]
    elif kind == "binary":
        of = cvxpy.multiply(y, scores[:, 0])
    else:
        others = [[j for j in range(K) if j != label] for label in y.astype(int)]
        picks = [np.eye(K)[o] - np.eye(K)[int(label)] for o, label in zip(others, y, strict=True)]
        of = cvxpy.vstack([scores[i] @ pick.T for i, pick in enumerate(picks)])
    term, constraints = TERMS[regularizer](W)
    given = (of,) if LOSSES[loss].labels is None else (of, y)
    problem = cvxpy.Problem(cvxpy.Minimize(C * MODELS[loss](*given) + term), constraints)
    try:
        return problem.solve(solver=cvxpy.CLARABEL, tol_gap_abs=1e-9, tol_gap_rel=1e-9)
    except cvxpy.error.SolverError:  # out of its reach at times
        return problem.solve(solver=cvxpy.CLARABEL)


def test_every_name_has_a_model():
    assert set(MODELS) == set(LOSSES)
    assert set(TERMS) == set(REGULARIZERS)


PAIRS = [
    (loss, regularizer)
    for loss, kind in LOSSES.items()
    for regularizer, type_of in REGULARIZERS.items()
    if kind.kind == "multiclass" or not type_of.single
]


@pytest.mark.parametrize(("loss", "regularizer"), PAIRS)
def test_certified_and_at_the_optimum(data, fit, loss, regularizer):
    X, labels = data
    kind, takes = LOSSES[loss], REGULARIZERS[regularizer]
    y = labels_in_domain(loss, labels[kind.kind])
    given = {name: CHOICES[name] for name in takes.needed}
    if "l1" in takes.takes:
        given["l1"] = L1
    given |= {name: TAKEN[name] for name in kind.takes if name in TAKEN}
    if regularizer != "l2":
        given["regularizer"] = regularizer
    best = optimum(X, y, kind.kind, loss, regularizer)
    for solver in (37, 38):
        choices = {"solver": solver, "loss": loss, "C": C, "gap_tol": CERTIFIED} | given
        Parameter(**choices).check()
        result = fit(Problem.from_arrays(X, y), max_passes=20_000, **choices).result
        assert result.solved, result.shortfall()
        assert -1e-12 * abs(result.primal) <= result.gap <= CERTIFIED * max(1, abs(result.primal))
        assert result.primal == pytest.approx(best, rel=AGREEMENT, abs=AGREEMENT)
