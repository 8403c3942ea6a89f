"""Cox regression without a penalty: the optimum, its gap, and likelihoods without a maximum."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import linprog
from scipy.sparse import csr_array
from scipy.stats import rankdata

from rrmlinear import CoxRegressor, RankingSVM
from rrmlinear.data.rows import Rows
from rrmlinear.estimators.base import NotConvergedWarning
from rrmlinear.losses.orders import PartialLikelihood
from rrmlinear.risks.layouts.orders import OrderRisk
from rrmlinear.risks.layouts.risk_sets import RiskSets

rng = np.random.default_rng(3)
N = 200
X = rng.normal(size=(N, 5)) * [1, 10, 0.1, 1, 1]
TIME = np.round(rng.exponential(np.exp(-X[:, 0])), 1)
EVENT = rng.random(N) < 0.6
Y = np.column_stack([TIME, EVENT])
STRATA = rng.integers(0, 3, N)


@pytest.mark.parametrize("ties", ["breslow", "efron"])
@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_the_limit_of_small_penalties(ties, weighted):
    weights = rng.integers(0, 3, N).astype(float) if weighted else None
    for data in (X, csr_array(X)):
        model = CoxRegressor(0, ties=ties, tol=1e-12).fit(data, Y, weights, strata=STRATA)
        assert model.status_.name == "SOLVED"
        assert 0 <= model.duality_gap_ <= 1e-12 * model.objective_
        gradient = X.T @ model.dual_coef_
        assert_allclose(gradient / np.abs(X).sum(axis=0), 0, atol=1e-6)
        near = CoxRegressor(1e-9, ties=ties, tol=1e-10).fit(data, Y, weights, strata=STRATA)
        assert model.objective_ <= near.objective_
        assert model.objective_ == pytest.approx(near.objective_, rel=1e-6)


def test_the_gap_bounds_the_distance_to_the_minimum():
    least = CoxRegressor(0, tol=1e-14).fit(X, Y).objective_
    seen = []
    CoxRegressor(0, tol=1e-12, callback=seen.append).fit(X, Y)
    assert len(seen) > 2
    for row in seen:
        assert row.dual <= least * N * (1 + 1e-12) <= row.primal * (1 + 1e-11)


@pytest.mark.parametrize("efron", [False, True])
def test_second_derivatives_are_differences_of_first_ones(efron):
    ties = PartialLikelihood(efron)
    weights = rng.integers(0, 3, N).astype(float)
    sets = RiskSets(ties, np.where(EVENT, TIME, -TIME), STRATA, weights)
    for scale in (1.0, 300.0):
        scores, moves = scale * rng.normal(size=N), rng.normal(size=N)
        ahead, behind = (sets.find(scores + h * moves, 0.0)[1] for h in (1e-6, -1e-6))
        risk = OrderRisk(Rows(X, None, None, 5), ties, sets, 1.0)
        found = risk.at(np.append(scores, 0)).hessian().moved(moves)
        assert_allclose(found, (ahead - behind) / 2e-6, atol=1e-5)


def test_more_of_the_same_columns_share_their_weight():
    alone = CoxRegressor(0, tol=1e-12).fit(X, Y)
    twice = CoxRegressor(0, tol=1e-12).fit(np.hstack([X, X[:, :1], np.ones((N, 1))]), Y)
    assert twice.status_.name == "SOLVED"
    assert twice.objective_ == pytest.approx(alone.objective_, rel=1e-12)
    assert_allclose(twice.coef_[[0, 5]], alone.coef_[0] / 2, rtol=1e-6)
    assert twice.coef_[-1] == 0


def test_ratios_of_hazards_may_be_infinite():
    line, falling = np.linspace(0, 1, 20)[:, np.newaxis], np.arange(20.0, 0.0, -1.0)
    with pytest.warns(NotConvergedWarning, match="the likelihood is monotone"):
        model = CoxRegressor(0).fit(line, falling)
    assert str(model.summary(line, falling)).split()[-1] == "inf"


def test_a_likelihood_without_a_maximum_is_told_with_its_features():
    group = (np.arange(N) % 2).astype(float)  # those of group 1 are censored
    y = np.column_stack([TIME, EVENT & (group == 0)])
    model = CoxRegressor(0)
    with pytest.warns(NotConvergedWarning, match="along the weights of feature 6 no score"):
        model.fit(np.column_stack([X, group]), y)
    assert model.status_.name == "NO_MINIMUM"
    assert model.coef_[-1] < -5
    rest = CoxRegressor(0).fit(X, y, strata=group)  # those censored count nothing
    assert_allclose(model.coef_[:-1], rest.coef_, atol=0.02)
    with pytest.warns(NotConvergedWarning, match="the likelihood is monotone"):
        model.fit(rankdata(-TIME)[:, np.newaxis], np.column_stack([TIME, np.ones(N)]))
    few, many = rng.normal(size=(20, 30)), np.column_stack([TIME[:20], np.ones(20)])
    with pytest.warns(NotConvergedWarning, match="the likelihood is monotone"):
        model.fit(few, many)


def test_nothing_to_learn_and_what_is_refused():
    last = np.zeros(N)
    last[TIME.argmax()] = 1  # alone in its risk set
    model = CoxRegressor(0).fit(X, np.column_stack([TIME, last]))
    assert model.status_.name == "SOLVED"
    assert_allclose(model.coef_, 0)
    with pytest.raises(ValueError, match="has no effect without a penalty"):
        CoxRegressor(0, solver="bmrm").fit(X, Y)
    with pytest.raises(ValueError, match=r"range \(0.0, inf\). Got inf"):
        RankingSVM(C=np.inf).fit(X, TIME)
    warm = CoxRegressor(0, warm_start=True, tol=1e-10).fit(X, Y)
    first = warm.coef_
    assert_allclose(warm.fit(X, Y).coef_, first, rtol=1e-6)
    assert warm.n_iter_ <= 2


@pytest.mark.parametrize("ties", ["breslow", "efron"])
def test_standard_errors_are_of_second_derivatives(ties):
    for alpha, strata in ((0, STRATA), (0.1, None)):
        model = CoxRegressor(alpha, ties=ties, tol=1e-12).fit(X, Y, strata=strata)
        made = model.summary(X, Y, strata=strata)
        hessian = np.empty((5, 5))
        for j, size in enumerate(np.abs(X).max(axis=0)):
            h, sides = 1e-4 / size, []
            for sign in (1, -1):
                problem, chosen = model._prepared(X, np.where(EVENT, TIME, -TIME), None, strata)
                w = model.coef_ + sign * h * (np.arange(5) == j)
                risk = chosen.order_risk(problem, np.full(N, chosen.choices.C))
                slopes = risk.at(risk.scores(w)).derivatives[:N]
                sides.append(X.T @ slopes + alpha * N * w)
            hessian[j] = (sides[0] - sides[1]) / (2 * h)
        errors = np.sqrt(np.linalg.inv((hessian + hessian.T) / 2).diagonal())
        assert_allclose(made.std_errors[0], errors, rtol=1e-5)
        assert made.conditional == (alpha > 0)
        assert "e^weight" in str(made)
    with pytest.raises(ValueError, match="it is no likelihood, and has no standard errors"):
        RankingSVM("logistic").fit(X, TIME).summary(X, TIME)


def test_a_conic_solver_has_the_same_minimum():
    cp = pytest.importorskip("cvxpy", reason="cvxpy solves exponential cones")
    w, terms = cp.Variable(5), []
    scores = X @ w
    for i in np.flatnonzero(EVENT & (STRATA == 0)):
        terms.append(cp.log_sum_exp(scores[(TIME[i] <= TIME) & (STRATA == 0)]) - scores[i])
    problem = cp.Problem(cp.Minimize(cp.sum(cp.hstack(terms))))
    problem.solve(solver="CLARABEL")
    own = STRATA == 0
    model = CoxRegressor(0, tol=1e-10).fit(X[own], Y[own])
    assert model.objective_ * own.sum() == pytest.approx(problem.value, rel=1e-7)
    assert_allclose(model.coef_, w.value, rtol=1e-3, atol=1e-4)


def grows(data, time, event):
    """Whether a linear program finds weights along which the likelihood never falls."""
    moves = [
        data[j] - data[i]
        for i in np.flatnonzero(event)
        for j in np.flatnonzero(time >= time[i])
        if j != i
    ]
    d = data.shape[1]
    if not moves:
        return False
    lowest = linprog(np.sum(moves, axis=0), np.array(moves), np.zeros(len(moves)), bounds=(-1, 1))
    assert lowest.x.shape == (d,)
    return lowest.fun < -1e-7


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("seed", range(30))
def test_a_maximum_is_missing_where_a_linear_program_says_so(seed):
    own = np.random.default_rng(seed)
    n, d = int(own.integers(4, 60)), int(own.integers(1, 12))
    data = own.normal(size=(n, d)) if seed % 3 else (own.random((n, d)) < 0.3).astype(float)
    data[:, -1] = 2 * data[:, 0] if seed % 4 == 1 else data[:, -1]
    time = np.round(own.exponential(np.exp(-data[:, 0])), 1)
    event = own.random(n) < own.uniform(0.1, 1)
    event[0] = True
    ties = ("breslow", "efron")[seed % 2]
    model = CoxRegressor(0, ties=ties, tol=1e-6).fit(data, np.column_stack([time, event]))
    expected = "NO_MINIMUM" if grows(data, time, event) else "SOLVED"
    assert model.status_.name == expected
