"""The one-class machine: its optimum, its certificate and its model."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from rrmlinear import Model, Parameter, Problem, fit
from rrmlinear.catalog.errors import ChoiceError
from rrmlinear.losses.margin import Hinge
from rrmlinear.regularizers.separable import L2
from rrmlinear.risks.scores import ScalarRisk
from rrmlinear.solvers.dual.pairs.one_class import OneClassAscent
from rrmlinear.solvers.loop.result import Status
from rrmlinear.solvers.loop.task import Task


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(1)
    return rng.normal(size=(80, 4)) + [2.0, 0.5, -1.0, 0.0]


def trained(X, nu, **choices):
    problem = Problem.from_arrays(X, np.ones(len(X)))
    return fit(problem, Parameter(solver=21, nu=nu, **({"gap_tol": 1e-10} | choices)))


@pytest.mark.parametrize("weighs", [False, True])
@pytest.mark.parametrize("form", [np.asarray, csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("nu", [0.06, 0.31, 0.81])
def test_the_certificate_is_that_of_the_problem(X, nu, form, weighs):
    costs = np.where(np.arange(len(X)) % 17, 0.1 + np.arange(len(X)) % 3, 0.0)
    costs = costs if weighs else np.ones(len(X))
    problem = Problem.from_arrays(form(X), np.ones(len(X)), costs)
    model = fit(problem, Parameter(solver=21, nu=nu, gap_tol=1e-10))
    result, w = model.result, model.weights[:, 0]
    losses = costs @ np.maximum(0, model.rho - X @ w) - nu * costs.sum() * model.rho
    assert result.primal == pytest.approx(w @ w / 2 + losses, rel=1e-9)
    assert result.duals.min() >= 0
    assert result.duals.max() <= 1
    assert costs @ result.duals == pytest.approx(nu * costs.sum())
    v = X.T @ (costs * result.duals)
    assert result.dual == pytest.approx(-v @ v / 2, rel=1e-9)
    assert 0 <= result.gap <= 1e-8 * abs(result.primal)


def test_without_time_the_duals_are_alike(X):
    nu, costs = 0.3, 0.1 + np.arange(len(X)) % 3
    rows = Problem.from_arrays(X, np.ones(len(X))).rows
    solver = OneClassAscent(Task.of(ScalarRisk(rows, Hinge(), np.zeros(len(X)), costs), L2()), nu)
    solver.start()
    solver.stay_at_zero()
    primal, dual = solver.certificate.measure()
    w = nu * costs @ X
    assert_allclose(solver.final_weights(), w)
    assert dual == pytest.approx(-w @ w / 2)
    losses = costs @ np.maximum(0, solver.rho - X @ w) - nu * costs.sum() * solver.rho
    assert primal == pytest.approx(w @ w / 2 + losses)


def test_its_own_rule_ends_it_near_the_optimum(X):
    exact, model = trained(X, 0.3), trained(X, 0.3, gap_tol=None)
    assert model.result.primal - exact.result.primal <= 1e-2 * abs(exact.result.primal)


def test_it_is_saved_and_predicts_signs(X, tmp_path):
    model = trained(X, 0.3)
    model.save(tmp_path / "m")
    lines = (tmp_path / "m").read_text().splitlines()
    assert lines[:4] == ["solver_type ONECLASS_SVM", "nr_class 2", "nr_feature 4", "bias -1"]
    assert lines[4] == f"rho {model.rho:.17g}"
    loaded = Model.load(tmp_path / "m")
    assert loaded.rho == model.rho
    decisions = X @ model.weights[:, 0] - model.rho
    expected = np.where(decisions > 0, 1, -1)
    # ρ is the score of examples whose duals are between their bounds: their signs are rounding
    clear = np.abs(decisions) > 1e-12 * abs(model.rho)
    assert clear.sum() >= len(X) - X.shape[1] - 1
    assert (loaded.predict(X) == expected)[clear].all()
    assert 0.6 <= (expected == 1).mean() <= 0.8


def test_all_may_be_outside(X, tmp_path):
    seen = []
    problem = Problem.from_arrays(X, np.ones(len(X)), np.r_[np.zeros(1), np.full(len(X) - 1, 2.0)])
    model = fit(problem, Parameter(solver=21, nu=1.0), on_pass=seen.append)
    w = 2 * X[1:].sum(axis=0)
    assert_allclose(model.weights[:, 0], w)
    assert model.rho == pytest.approx((X[1:] @ w).max())
    assert model.result.gap == 0
    losses = 2 * (np.maximum(0, model.rho - X[1:] @ w) - model.rho)
    assert model.result.primal == pytest.approx(w @ w / 2 + losses.sum())
    assert seen == model.result.trace
    assert (model.predict(X[1:]) == -1).all()
    model.save(tmp_path / "m")
    assert Model.load(tmp_path / "m").rho == model.rho


def test_a_bias_is_refused(X):
    problem = Problem.from_arrays(X, np.ones(len(X)), bias=1.0)
    with pytest.raises(ChoiceError, match=r"prob->bias >=0, but this is ignored in ONECLASS_SVM"):
        fit(problem, Parameter(solver=21))


@pytest.mark.parametrize("nu", [0.0, np.nextafter(1.0, 2.0), np.nan])
def test_nu_is_a_fraction(X, nu):
    with pytest.raises(ChoiceError, match="nu is"):
        trained(X, nu)


@pytest.mark.filterwarnings("ignore:all weights are 0")
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("nu", [0.3, 0.5])
def test_an_optimum_of_zero_is_found_within_the_digits_there_are(dtype, nu):
    """0 lies among the reduced hull of the examples: no relative gap proves an optimum of 0."""
    X = np.random.default_rng(0).standard_normal((80, 6)).astype(dtype).astype(np.float64)
    model = trained(X, nu, gap_tol=1e-3)
    result = model.result
    assert result.solved
    assert result.passes < 300
    scale = (nu * X.sum(axis=0)) @ (nu * X.sum(axis=0)) / 2
    assert -1e-12 * scale <= result.primal - result.dual <= 1e-11 * scale


@pytest.mark.filterwarnings("ignore:all weights are 0")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("nu", [0.1, 0.5])
def test_centred_columns_have_weights_of_zero(dtype, nu):
    X = np.random.default_rng(1).standard_normal((300, 7)).astype(dtype) + dtype(3)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    assert X.sum(axis=0, dtype=np.float64).any()
    result = trained(X.astype(np.float64), nu, gap_tol=1e-3).result
    assert result.status is Status.SOLVED
    assert result.passes < 10
    assert not result.weights.any()
    assert not result.notes  # pairs alone find it
    v = result.duals @ X
    assert result.primal == result.gap == 0
    assert v @ v <= 1e-24 * (result.duals @ np.linalg.norm(X, axis=1)) ** 2
    assert [row.number for row in result.trace] == list(range(1, result.passes + 1))


@pytest.mark.filterwarnings("ignore:all weights are 0")
@pytest.mark.parametrize("weighs", [False, True])
@pytest.mark.parametrize(("n", "d"), [(60, 60), (90, 60), (300, 8), (40, 100)])
def test_columns_of_unlike_length_take_few_passes(n, d, weighs):
    """Where it is 0 that is the optimum, or next to it, too, up to the rounding of its terms."""
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, d)) * 10 ** rng.uniform(-3, 4, d)
    costs = np.where(np.arange(n) % 17, 0.1 + np.arange(n) % 3, 0.0) if weighs else np.ones(n)
    model = fit(Problem.from_arrays(X, np.ones(n), costs), Parameter(solver=21, nu=0.3))
    result, exact = model.result, np.longdouble
    assert result.solved
    assert result.passes < 50
    w, v = model.weights[:, 0].astype(exact), (costs * result.duals).astype(exact) @ X
    assert costs @ result.duals == pytest.approx(0.3 * costs.sum())
    losses = costs @ np.maximum(0, model.rho - X @ w) - exact(0.3) * costs.sum() * model.rho
    rounding = 1e-12 * (costs * result.duals) @ np.linalg.norm(X, axis=1)
    assert w @ w / 2 + losses + v @ v / 2 <= max(1e-3 * abs(losses), rounding**2)


def test_a_caller_stops_it(X):
    problem = Problem.from_arrays(X, np.ones(len(X)))
    model = fit(problem, Parameter(solver=21, gap_tol=1e-12), on_pass=lambda row: True)
    assert len(model.result.trace) == 1
    assert 0 <= model.result.gap < np.inf


def test_many_examples_begin_by_a_sample_and_go_on_from_duals():
    rng = np.random.default_rng(8)
    X = rng.standard_normal((20_000, 3)) + [1.0, 0.5, 0.0]
    problem, choices = Problem.from_arrays(X, np.ones(len(X))), Parameter(solver=21, gap_tol=1e-9)
    model = fit(problem, choices)
    result, w = model.result, model.weights[:, 0]
    losses = np.maximum(0, model.rho - X @ w).sum() - len(X) / 2 * model.rho
    assert result.primal == pytest.approx(w @ w / 2 + losses, rel=1e-9)
    assert result.dual == pytest.approx(-np.sum((X.T @ result.duals) ** 2) / 2, rel=1e-9)
    assert result.gap <= 1e-9 * abs(result.primal)
    again = fit(problem, choices, start=model).result
    assert len(again.trace) == 1
    assert again.primal == pytest.approx(result.primal, rel=1e-9)
