"""BMRM: its certificate recomputed, the optimum of the dual ascent, monotone bounds, removal, and
the problem on which it needs 1/(2λε) planes.
"""

import numpy as np
import pytest
from largest_plane import LargestPlane
from made_solvers import of_risk
from members import BOUNDED_LOSSES as LOSSES
from members import SIGN_LOSSES
from scipy.linalg import hadamard

from rrmlinear import Problem
from rrmlinear.losses import margin
from rrmlinear.regularizers.separable import L1, L2, ElasticNet
from rrmlinear.risks.scores import ScalarRisk
from rrmlinear.solvers.bundle.bmrm import BMRM
from rrmlinear.solvers.dual.prox_sdca import ProxSDCA
from rrmlinear.solvers.loop.result import Status, Stopping
from rrmlinear.solvers.loop.task import Task

N, D = 60, 12


def solve(problem, loss, omega, costs, choices=(), **rules):
    risk = ScalarRisk(problem.rows, loss, problem.labels, np.asarray(costs, dtype=float))
    solver = of_risk(BMRM, risk, omega, **dict(choices))
    return solver.solve(Stopping(**({"gap_tol": 1e-9, "max_passes": 5000} | rules)))


def ascent(problem, loss, omega, costs):
    solver = ProxSDCA(Task.of_rows(problem.rows, problem.labels, costs, loss, omega))
    return solver.solve(Stopping(gap_tol=1e-10))


@pytest.mark.parametrize("update", ["qp", "ls"])
@pytest.mark.parametrize("line_search", ["ocas", "none"])
@pytest.mark.parametrize("name", ["hinge", "squared-hinge"])
def test_primal_falls_and_bound_rises(make, name, update, line_search):
    problem, _, _ = make(name)
    choices = {"update": update, "line_search": line_search}
    result = solve(problem, LOSSES[name], ElasticNet(0.3), np.full(N, 5.0), choices, max_passes=60)
    primals = np.array([row.primal for row in result.trace])
    duals = [row.dual for row in result.trace]
    assert (np.diff(primals) <= 1e-13 * primals[:-1]).all()  # measured anew, it rounds otherwise
    assert duals[:-1] == sorted(duals[:-1])
    assert duals[-1] == pytest.approx(duals[-2], rel=1e-10) or duals[-1] > duals[-2]
    assert all(row.gap >= -1e-12 * row.primal for row in result.trace)


def test_the_rate_of_theorem_5(make):
    # ε_t < ε after log₂(λJ(0)/(G²H*)) + 8G²H*/(λε) − 4 passes; λ = H* = 1, ‖∂F‖ ≤ G, J(0) = N.
    problem, X, _ = make("hinge")
    G2 = np.linalg.norm(X, axis=1).sum() ** 2
    for update in ("qp", "ls"):
        choices = {"update": update, "line_search": "none"}
        result = solve(problem, margin.Hinge(), L2(), np.ones(N), choices, max_passes=300)
        for row in result.trace:
            assert (row.number - max(np.log2(N / G2) - 4, 0)) * row.gap <= 8 * G2


@pytest.mark.parametrize("omega", [L2(), ElasticNet(0.5)])
def test_planes_that_go_leave_bound_and_optimum(omega):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 30))
    y = np.where(X[:, 0] + 2 * rng.normal(size=200) > 0, 1.0, -1.0)
    problem, costs = Problem.from_arrays(X, y), np.full(200, 0.3)
    solver = BMRM(Task.of(ScalarRisk(problem.rows, margin.Hinge(), y, costs), omega))
    planes = []
    result = solver.solve(
        Stopping(gap_tol=1e-9), lambda row: planes.append(len(solver.model.planes))
    )
    assert result.status is Status.SOLVED
    duals = [row.dual for row in result.trace[:-1]]
    assert duals == sorted(duals)
    assert min(np.diff(planes)) < 0
    assert len(solver.model.b) == len(solver.model.derivatives) == len(solver.model.planes)
    best = ascent(problem, margin.Hinge(), omega, costs).primal
    assert result.primal == pytest.approx(best, rel=2e-9)


@pytest.mark.parametrize("omega", [L2(), ElasticNet(0.1)])
@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[2.0, -1.0]], [1.0]),
        ([[1.0], [-2.0], [0.5]], [1.0, 1.0, -1.0]),
        (np.zeros((3, 2)), [1.0, -1.0, 1.0]),
        (np.ones((6, 2)), [1.0, -1.0, 1.0, 1.0, -1.0, 1.0]),
    ],
    ids=["one example", "one feature", "zeros", "equal examples"],
)
def test_small_and_degenerate_data(X, y, omega):
    problem = Problem.from_arrays(np.asarray(X), np.asarray(y))
    for C in (1e-3, 1.0, 10.0, 1e3, 1e6):
        costs = np.full(len(y), C)
        for name in SIGN_LOSSES:
            result = solve(problem, LOSSES[name], omega, costs)
            # one score of rounding 1e-16, times C, is more than the tolerance for the largest C
            assert result.status is Status.SOLVED or result.gap <= 1e-15 * C * len(y)
            if C <= 10:  # for more the ascent takes long, and the certificate speaks for itself
                best = ascent(problem, LOSSES[name], omega, costs).primal
                assert result.primal == pytest.approx(best, rel=2e-9, abs=2e-9)


def test_what_is_refused(make):
    problem, _, _ = make("hinge")
    with pytest.raises(ValueError, match="unknown update 'newton'; there are qp, ls"):
        solve(problem, margin.Hinge(), L2(), np.ones(N), {"update": "newton"})
    with pytest.raises(ValueError, match=r"needs a strongly convex regularizer.* L1 is not"):
        solve(problem, margin.Hinge(), L1(1.0), np.ones(N))
    large = Problem.from_arrays(np.full((2, 2), 1e308), np.array([1.0, -1.0]))
    with pytest.raises(ValueError, match="a plane overflows; scale the data"):
        solve(large, margin.Hinge(), L2(), np.full(2, 1e300))


def run(planes, lam, update, passes):
    """λ times the problem has F/λ, so planes are divided by λ; values come back times λ."""
    solver = BMRM(Task.of(LargestPlane(planes / lam), L2(), line_search="none"), update=update)
    at_minima, gaps = [], []

    def look(row):
        w = solver.model.w
        at_minima.append(max(0, (planes @ w).max()) + lam / 2 * w @ w)
        gaps.append(lam * row.gap)

    result = solver.solve(Stopping(gap_tol=1e-300, max_passes=passes), look)
    return result, np.array(gaps), np.array(at_minima)


@pytest.mark.parametrize("update", ["qp", "ls"])
@pytest.mark.parametrize("lam", [1.0, 1e-3, 7.0])
@pytest.mark.parametrize("d", [8, 64, 512])
def test_gaps_of_theorems_6_and_7(d, lam, update):
    H = hadamard(d // 2)  # the first columns a_i of the paper's matrix, as rows
    planes = np.r_[np.block([H, -H]) / np.sqrt(d), np.zeros((1, d))]
    np.testing.assert_array_equal(np.round(planes[:-1] @ planes[:-1].T, 12), np.eye(d // 2))
    t = np.arange(1, d // 2)
    result, gaps, at_minima = run(planes, lam, update, len(t))
    assert result.status is Status.PASS_LIMIT
    # ε_t = min J − J_t(w_t), the least J being that of the start, w = 0, which is the minimum
    np.testing.assert_allclose(gaps, 1 / (2 * lam * t), rtol=1e-12)
    # δ_t = min J(w_t') − J*, where J* = J(0) = 0
    np.testing.assert_allclose(np.minimum.accumulate(at_minima), 1 / (2 * lam * t), rtol=1e-12)
