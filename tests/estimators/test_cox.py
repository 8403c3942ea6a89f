"""Cox regression: the optimum, forms of times, strata, survival curves, real data and peers."""

import csv
import lzma
import os
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from risk_sets_by_force import of_risk_sets
from scipy.optimize import minimize
from scipy.sparse import csr_array

from rrmlinear import CoxRegressor, Parameter, Problem, fit
from rrmlinear.core.records import replace
from rrmlinear.metrics import concordance

rng = np.random.default_rng(2)
N = 150
X = rng.normal(size=(N, 4))
LIVES, ENDS = rng.exponential(np.exp(-X[:, 0])), rng.exponential(2.0, N)
EVENT = LIVES <= ENDS
TIME = np.round(np.minimum(LIVES, ENDS), 1)
Y = np.column_stack([TIME, EVENT])
SIGNED = np.where(EVENT, TIME, -TIME)
ENTRY = TIME - np.round(0.1 + rng.exponential(size=N), 1)
STRATA = rng.integers(0, 3, N)
DATA = Path(os.environ.get("RRMLINEAR_DATA", "absent"))


@pytest.mark.parametrize("l1_ratio", [0.5, 1.0])
def test_stages_go_on_where_the_first_moves_no_more(l1_ratio):
    for seed in range(4):
        random = np.random.default_rng(seed)
        data, y = random.normal(size=(40, 80)), random.exponential(size=40)
        model = CoxRegressor(0.02, l1_ratio=l1_ratio, tol=1e-12, max_iter=3000).fit(data, y)
        assert model.duality_gap_ <= 1e-10 * model.objective_
        assert model.dual_coef_.shape == (40,)
        assert_allclose(model.dual_coef_.sum(), 0, atol=1e-9)


@pytest.mark.parametrize("ties", ["breslow", "efron"])
@pytest.mark.parametrize("stratified", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("late", "alpha"), [(False, 0.05), (True, 0.0)])
def test_the_optimum_is_an_outside_solvers(ties, stratified, weighted, late, alpha):
    weights = rng.integers(0, 3, N).astype(float) if weighted else np.ones(N)
    strata, entry = STRATA if stratified else np.zeros(N), ENTRY if late else None

    def objective(w):
        beside = strata, weights, ties == "efron", ENTRY if late else -np.inf
        return of_risk_sets(X @ w, SIGNED, *beside) / weights.sum() + alpha / 2 * (w @ w)

    found = minimize(objective, np.zeros(4), tol=1e-12)
    model = CoxRegressor(alpha, ties=ties, tol=1e-9)
    given = weights if weighted else None
    for data in (X, csr_array(X)):
        model.fit(data, Y, given, strata=strata if stratified else None, entry=entry)
        assert_allclose(model.coef_, found.x, atol=1e-4)
        assert model.objective_ == pytest.approx(found.fun, rel=1e-8)
        assert -1e-12 <= model.duality_gap_ <= 1e-9 * model.objective_


@pytest.mark.parametrize("ties", ["breslow", "efron"])
@pytest.mark.parametrize("ratio", [0.0, 0.5])
@pytest.mark.parametrize("alpha", [0.0, 0.05])
def test_the_unit_of_weights_does_not_count(ties, ratio, alpha):
    weights = rng.uniform(0.5, 2.0, N)
    model = CoxRegressor(alpha, l1_ratio=ratio, ties=ties, tol=1e-9)
    expected = model.fit(X, Y, weights).coef_
    for unit in (1e-4, 1e4):  # logarithms of small weights are below 0
        given = unit * weights
        assert_allclose(model.fit(X, Y, given).coef_, expected, atol=1e-5)
        loss = of_risk_sets(X @ model.coef_, SIGNED, 0 * TIME, given, ties == "efron") / given.sum()
        sizes = ratio * np.abs(model.coef_).sum() + (1 - ratio) / 2 * model.coef_ @ model.coef_
        assert model.objective_ == pytest.approx(loss + alpha * sizes, abs=1e-9)


@pytest.mark.parametrize("ties", ["breslow", "efron"])
@pytest.mark.parametrize("ratio", [0.5, 1.0])
def test_the_elastic_net_has_a_gap_and_meets_its_conditions(ties, ratio):
    alpha = 0.02
    model = CoxRegressor(alpha, l1_ratio=ratio, ties=ties, tol=1e-9).fit(X, Y)
    assert model.duality_gap_ <= 1e-9 * model.objective_
    gradient = -X.T @ model.dual_coef_ / N + alpha * (1 - ratio) * model.coef_
    zero = model.coef_ == 0
    assert (np.abs(gradient[zero]) <= alpha * ratio + 1e-4).all()
    assert_allclose(gradient[~zero], -alpha * ratio * np.sign(model.coef_[~zero]), atol=1e-4)
    far = CoxRegressor(10.0, l1_ratio=ratio).fit(X, Y)
    assert_array_equal(far.coef_, np.zeros(4))
    wide = csr_array((np.ones(800), (np.arange(800), np.arange(800) % 400)))
    problem = Problem.from_arrays(wide, 1.0 + np.arange(800) % 97)  # a Newton step takes long
    result = fit(problem, Parameter(loss="cox-breslow", regularizer="l1")).result
    assert (result.status.name, result.notes) == ("SOLVED", ())


def test_forms_of_times_are_one():
    fields = np.array(list(zip(EVENT, TIME, strict=True)), dtype=[("dead", "?"), ("days", "f8")])
    turned = np.array(list(zip(TIME, EVENT, strict=True)), dtype=[("days", "f8"), ("dead", "?")])
    expected = CoxRegressor().fit(X, Y)
    for y in (fields, turned, Y.tolist(), np.where(EVENT, TIME, -TIME)):
        model = CoxRegressor().fit(X, y)
        assert_array_equal(model.coef_, expected.coef_)
        assert model.score(X, y) == expected.score(X, Y)
    problem = Problem.from_arrays(X, np.where(EVENT, TIME, -TIME))
    alone = fit(problem, Parameter(loss="cox-breslow", C=1 / (0.1 * N), gap_tol=1e-4))
    assert_array_equal(alone.weights[:, 0], expected.coef_)


@pytest.mark.parametrize("kind", ["m8[s]", "U8"])
def test_times_are_numbers(kind):
    y = np.array([(True, 3), (True, 5)], dtype=[("dead", "?"), ("days", "i8")])
    with pytest.raises(ValueError, match=r"times must be numbers: (text|times)"):
        CoxRegressor().fit(X[:2], y.astype([("dead", "?"), ("days", kind)]))


def test_survival_curves():
    model = CoxRegressor(0.01, tol=1e-9).fit(X, Y)
    hazards = model.predict_cumulative_hazard_function(X)
    survival = model.predict_survival_function(X)
    assert hazards.shape == (N, len(model.event_times_))
    assert_allclose(survival, np.exp(-hazards))
    assert (np.diff(survival, axis=1) <= 0).all()
    # Breslow: events are as many as the hazards that examples have lived through
    lived = model.predict_cumulative_hazard_function(X, TIME).diagonal()
    assert lived.sum() == pytest.approx(EVENT.sum())
    assert_allclose(EVENT - lived, model.dual_coef_, atol=1e-6)  # martingale residuals
    early = model.predict_survival_function(X[:2], [-1.0, 1e9])
    assert_allclose(early[:, 0], 1.0)
    assert_allclose(early[:, 1], survival[:2, -1])
    for far in (X - 1e4, X + 1e4):  # e^score overflows, and the hazard of a score of 0 underflows
        curves = CoxRegressor(0.01, tol=1e-9).fit(far, Y).predict_survival_function(far)
        assert_allclose(curves, survival, atol=1e-6)
    with pytest.raises(ValueError, match="times has NaN"):
        model.predict_survival_function(X, [1.0, np.nan])
    with pytest.raises(ValueError, match="times must be a number or a list of them, got 'soon'"):
        model.predict_survival_function(X, "soon")


def test_strata_have_baselines_of_their_own():
    names = np.array(["a", "b", "c"])[STRATA]
    model = CoxRegressor(0.01).fit(X, Y, strata=names)
    assert sorted(model.baseline_) == ["a", "b", "c"]
    curves = model.predict_survival_function(X[:6], strata=names[:6])
    for i, name in enumerate(names[:6]):
        times, hazards = model.baseline_[name]
        at = hazards[times == times[3]] * np.exp(model.predict(X[i : i + 1]))
        place = np.searchsorted(model.event_times_, times[3])
        assert curves[i, place] == pytest.approx(np.exp(-at[0]))
    with pytest.raises(ValueError, match="the fit had strata"):
        model.predict_survival_function(X)
    with pytest.raises(ValueError, match="strata has 'z', which the fit did not have"):
        model.predict_survival_function(X[:1], strata=["z"])
    with pytest.raises(ValueError, match="strata have 1 entries, and X has 2 rows"):
        model.predict_survival_function(X[:2], strata=["a"])


def test_concordance_is_that_of_pairs():
    scores = np.round(rng.normal(size=N), 1)
    right = total = 0.0
    for i in range(N):
        for j in range(N):
            later = TIME[j] > TIME[i] or (TIME[j] == TIME[i] and not EVENT[j])
            if i != j and EVENT[i] and later:
                right += (scores[j] > scores[i]) + (scores[j] == scores[i]) / 2
                total += 1
    assert concordance(np.where(EVENT, TIME, -TIME), scores) == pytest.approx(right / total)
    assert concordance(TIME, 1e-12 * scores, event=EVENT) == pytest.approx(right / total)


def test_few_events():
    one = np.zeros(N)
    one[TIME.argmin()] = 1
    model = CoxRegressor(0.1, tol=1e-9).fit(X, np.column_stack([TIME, one]))
    assert model.duality_gap_ <= 1e-9 * model.objective_
    last = np.zeros(N)
    last[TIME.argmax()] = 1  # alone in its risk set: nothing to learn
    model.fit(X, np.column_stack([TIME, last]))
    assert_array_equal(model.coef_, np.zeros(4))
    with pytest.raises(ValueError, match="all times are censored: the partial likelihood needs"):
        model.fit(X, np.column_stack([TIME, 0 * one]))
    with pytest.raises(ValueError, match="all times are censored"):
        model.fit(X, Y, (~EVENT).astype(float))


@pytest.mark.parametrize("ties", ["breslow", "efron"])
@pytest.mark.parametrize("alpha", [0, 0.1])
def test_all_times_may_be_equal(ties, alpha):
    for time in (0.0, 3.0):
        model = CoxRegressor(alpha, ties=ties, tol=1e-9)
        model.fit(X, np.column_stack([np.full(N, time), EVENT]))
        assert model.duality_gap_ <= 1e-9 * model.objective_
        assert np.abs(model.coef_).max() > 1e-3
        model.fit(X, np.column_stack([np.full(N, time), np.ones(N)]))
        assert_allclose(model.coef_, 0, atol=1e-6)
    apart = CoxRegressor(alpha, ties=ties).fit(X, Y, strata=np.arange(N))
    assert_array_equal(apart.coef_, 0)


def test_who_enters_at_the_time_of_an_event_is_not_at_risk_of_it():
    y = np.column_stack([[2.0, 3, 4, 5, 6, 7], [1, 1, 0, 1, 1, 1]])
    features, entry = np.array([[1.0], [0], [2], [1], [3], [0.5]]), np.array([0, 0, 2.0, 3, 0, 3])
    model = CoxRegressor(0, tol=1e-12).fit(features, y, entry=entry)
    assert model.coef_[0] == pytest.approx(-0.2213576, rel=1e-5)  # lifelines'
    assert model.summary(features, y, entry=entry).std_errors[0] == pytest.approx(0.4322877)
    risks, died = np.exp(model.predict(features)), y[y[:, 1] > 0, 0]
    rises = [1 / risks[(t <= y[:, 0]) & (entry < t)].sum() for t in died]
    assert_allclose(model.baseline_[0][1], np.cumsum(rises))
    penalized = CoxRegressor(0.1, l1_ratio=0.5, tol=1e-9).fit(features, y, entry=entry)
    assert penalized.duality_gap_ <= 1e-9 * penalized.objective_
    problem = replace(
        Problem.from_arrays(features, np.where(y[:, 1], 1, -1) * y[:, 0]), entry=entry
    )
    assert_array_equal(CoxRegressor(0, tol=1e-12).fit(problem).coef_, model.coef_)


def test_what_is_refused():
    with pytest.raises(ValueError, match=r"entry\[2\] is 4; it must be below the time, 4"):
        CoxRegressor().fit(X[:3], [[2.0, 1], [3, 1], [4, 1]], entry=[0, 1, 4])
    with pytest.raises(ValueError, match=r"entry has shape \(1,\), but X has 150 rows"):
        CoxRegressor().fit(X, Y, entry=[1])
    with pytest.raises(ValueError, match="loss squared takes no times of entry"):
        fit(replace(Problem.from_arrays(X, TIME), entry=ENTRY), Parameter(loss="squared"))
    with pytest.raises(ValueError, match="y has 3 columns; it must have two, the time and the"):
        CoxRegressor().fit(X, np.column_stack([EVENT, 0 * TIME, TIME]))
    with pytest.raises(ValueError, match="y is boolean; it must have times"):
        CoxRegressor().fit(X, EVENT)
    with pytest.raises(ValueError, match="the time of example 3 is inf; times must be finite"):
        CoxRegressor().fit(X[:3], [[1.0, 1.0], [1.0, 1.0], [np.inf, 0.0]])
    with pytest.raises(ValueError, match="ties is 'exact'; it must be one of breslow, efron"):
        CoxRegressor(ties="exact").fit(X, Y)
    with pytest.raises(ValueError, match="the time of example 1 is -1; times must be finite and"):
        CoxRegressor().fit(X[:2], [[-1.0, 1.0], [1.0, 1.0]])
    with pytest.raises(ValueError, match="y has the event 2 in column 2; it must be 0 or 1"):
        CoxRegressor().fit(X[:2], [[1.0, 2.0], [1.0, 1.0]])
    with pytest.raises(ValueError, match="it must have a boolean event and a time"):
        CoxRegressor().fit(X[:1], np.array([(1, 2.0)], dtype=[("event", "i8"), ("time", "f8")]))
    with pytest.raises(ValueError, match=r"strata has shape \(1,\); it must have 150 entries"):
        CoxRegressor().fit(X, Y, strata=[1])


def lung():
    if not (DATA / "lung.csv.xz").exists():
        pytest.skip("RRMLINEAR_DATA has no lung.csv.xz")
    with lzma.open(DATA / "lung.csv.xz", "rt") as file:
        rows = list(csv.DictReader(file))
    columns = ("age", "sex", "ph.ecog", "ph.karno", "wt.loss")
    kept = [row for row in rows if all(row[name] for name in columns)]
    features = np.array([[float(row[name]) for name in columns] for row in kept])
    y = np.array([[float(row["time"]), row["status"] == "1"] for row in kept], dtype=float)
    return (features - features.mean(axis=0)) / features.std(axis=0), y


@pytest.mark.parametrize("ties", ["breslow", "efron"])
def test_real_data_against_scikit_survival(ties):
    sksurv = pytest.importorskip("sksurv.linear_model", reason="scikit-survival is the peer")
    features, y = lung()
    theirs = sksurv.CoxPHSurvivalAnalysis(alpha=0.01 * len(y), ties=ties, tol=1e-12)
    fields = np.array([(e == 1, t) for t, e in y], dtype=[("event", "?"), ("time", "f8")])
    theirs.fit(features, fields)
    ours = CoxRegressor(0.01, ties=ties, tol=1e-12).fit(features, y)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    assert ours.score(features, y) == pytest.approx(theirs.score(features, fields))
    curves = theirs.predict_survival_function(features[:5], return_array=True)
    assert_allclose(
        ours.predict_survival_function(features[:5], theirs.unique_times_), curves, atol=1e-5
    )


def test_real_data_against_lifelines():
    lifelines = pytest.importorskip("lifelines", reason="lifelines is the peer")
    import pandas

    features, y = lung()
    frame = pandas.DataFrame(features).assign(time=y[:, 0], event=y[:, 1])
    frame[list(range(5))] /= frame[list(range(5))].std()
    theirs = lifelines.CoxPHFitter(penalizer=0.1).fit(frame, "time", "event")
    ours = CoxRegressor(0.1, ties="efron", tol=1e-12).fit(frame[list(range(5))].to_numpy(), y)
    assert_allclose(ours.coef_, theirs.params_, atol=1e-4)

    frame = pandas.DataFrame(features).assign(time=y[:, 0], event=y[:, 1])
    exact = {"precision": 1e-12}
    theirs = lifelines.CoxPHFitter().fit(frame, "time", "event", fit_options=exact)
    ours = CoxRegressor(0, ties="efron", tol=1e-12).fit(features, y)
    assert_allclose(ours.coef_, theirs.params_, atol=1e-6)
    assert -ours.objective_ * len(y) == pytest.approx(theirs.log_likelihood_, rel=1e-9)
    made = ours.summary(features, y)
    assert_allclose(made.std_errors[0], theirs.standard_errors_, rtol=1e-6)
    ratios = theirs.summary["exp(coef) lower 95%"]
    assert_allclose(np.exp(made.lower[0]), ratios, rtol=1e-6)


@pytest.mark.parametrize("ties", ["breslow", "efron"])
@pytest.mark.parametrize("l1_ratio", [0.3, 1.0])
def test_the_elastic_net_of_many_examples_is_that_of_gradient_steps(ties, l1_ratio):
    # as many examples as make a sample the begin
    n = 3000
    features = rng.normal(size=(n, 6)) + 3
    lives = rng.exponential(np.exp(3 - features[:, 0] + features[:, 1] / 2))
    y = np.column_stack([np.round(lives, 2), rng.random(n) < 0.7])
    strata, weights = rng.integers(0, 2, n), rng.integers(0, 3, n).astype(float)
    fits = [
        CoxRegressor(0.02, l1_ratio=l1_ratio, ties=ties, solver=solver, tol=tol).fit(
            features, y, sample_weight=weights, strata=strata
        )
        for solver, tol in (("auto", 1e-10), ("agm", 1e-6))
    ]
    assert fits[0].status_.name == "SOLVED"
    assert 0 <= fits[1].objective_ - fits[0].objective_ <= 1e-6 * fits[1].objective_


@pytest.mark.parametrize("ties", ["breslow", "efron"])
@pytest.mark.parametrize(
    ("ratio", "factors"), [(0.0, None), (0.5, None), (1.0, None), (0.0, [0, 1, 0.1, 1, 1, 20])]
)
def test_large_sets_are_solved_to_small_gaps(ratio, factors, ties):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(20_000, 6)) * [1, 1, 1, 30, 0.1, 1]
    hazards = np.exp(X[:, 0] - 0.5 * X[:, 1])
    times = np.round(rng.exponential(1 / hazards), 2) + 0.01
    y = np.column_stack([times, rng.random(20_000) < 0.7])
    for tol in (1e-3, 1e-6, 1e-12):
        model = CoxRegressor(0.01, l1_ratio=ratio, ties=ties, tol=tol, max_iter=30)
        fitted = model.set_params(penalty_factors=factors).fit(X, y)
        assert fitted.status_.name == "SOLVED"
        assert fitted.duality_gap_ <= tol * fitted.objective_
