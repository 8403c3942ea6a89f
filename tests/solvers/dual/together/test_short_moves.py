"""Dual moves by a copy of 16 bits a value, and the optimum of the rows that they lead to."""

import numpy as np
import pytest
from told_passes import passes_told

from rrmlinear import LogisticRegression
from rrmlinear.catalog.stages import first_stage
from rrmlinear.data.array_rows import rows_of
from rrmlinear.losses.logistic import Logistic
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.solvers.dual.together import conjugate_ascent
from rrmlinear.solvers.dual.together._dual_moves import ShortMoves, dual_moves, scores_and_sum
from rrmlinear.solvers.dual.together.conjugate_ascent import ConjugateAscent

SHAPES = [(1, 3), (7, 64), (129, 2501), (83, 9000)]


def risk_of(n, d, dtype, threads, scale=1.0):
    rng = np.random.default_rng(n + d)
    X = (rng.standard_normal((n, d)) * scale).astype(dtype)
    y, costs = rng.choice([-1.0, 1.0], n), rng.uniform(1, 3, n)
    rows = rows_of(X).with_bias(1.0)
    return X, ScalarRisk(rows, Logistic(), y, costs, threads, Intercept())


def point_of(risk, X):
    rng = np.random.default_rng(0)
    n, d = X.shape
    alphas = risk.labels * rng.uniform(0.1, 0.9, n)
    squares = (X.astype(float) ** 2).sum(axis=1)
    w = rng.standard_normal(d) / np.sqrt(squares.mean())
    return w, 0.3, alphas, squares * risk.costs / squares.mean()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("scale", [1e-25, 1.0, 1e25])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "d"), SHAPES)
def test_moves_are_those_of_rounded_values(n, d, dtype, scale, threads):
    X, risk = risk_of(n, d, dtype, threads, scale if dtype is np.float64 else 1.0)
    short = ShortMoves(risk)
    squares = risk.rows.squared_norms()
    assert np.array_equal(short.squares, squares)
    w, b, alphas, curvatures = point_of(risk, X)
    units = np.abs(X).max(axis=1, keepdims=True).astype(float) / 32767
    near = np.rint(X / units) * units
    around = np.random.default_rng(1).standard_normal(n)
    found = short.moves(w, around, b, alphas, curvatures)
    other = ScalarRisk(rows_of(near), Logistic(), risk.labels, risk.costs)
    scores = around + near @ w
    np.testing.assert_allclose(found[0], scores, rtol=1e-5, atol=1e-4)
    moved = dual_moves(other, np.zeros(d), b, alphas, curvatures)
    assert moved[0].max() == moved[0].min() == 0
    far = risk.terms.dual_steps(scores + b, alphas, curvatures) - alphas
    np.testing.assert_allclose(found[1], far, atol=1e-4)
    ahead = risk.terms.dual_steps(scores + b + 1e-5, alphas, curvatures) - alphas
    np.testing.assert_allclose(found[2], (far - ahead) / 1e-5, atol=1e-3)
    for part, sums in zip(found[1:3], found[3:], strict=True):
        exact, size = other.gradient(part), np.sqrt(squares.sum())
        np.testing.assert_allclose(sums / size, exact / size, atol=2e-5)
    again = short.moves(w, around, b, alphas, curvatures)
    assert all(np.array_equal(one, two) for one, two in zip(found, again, strict=True))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "d"), SHAPES)
def test_one_way_finds_scores_and_sum(n, d, dtype, threads):
    X, risk = risk_of(n, d, dtype, threads)
    w, _, alphas, _ = point_of(risk, X)
    scores, sums = scores_and_sum(risk, w, alphas)
    np.testing.assert_allclose(scores, X.astype(float) @ w, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(sums, (risk.costs * alphas) @ X.astype(float), atol=1e-10 * n)
    with pytest.raises(ValueError, match=f"of {n} examples"):
        scores_and_sum(risk, w, np.zeros(n + 1))


def test_values_out_of_range_have_no_copy():
    _, risk = risk_of(5, 40, np.float64, 1, 1e60)
    with pytest.raises(FloatingPointError):
        ShortMoves(risk)


def problem_of(scale, decades=0.0):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((300, 4000)) * scale
    if decades:
        X = np.sign(X) * 10 ** rng.uniform(-decades, 0, X.shape)
    return X, np.where(X[:, :50].sum(axis=1) + 5 * scale * rng.standard_normal(300) > 0, 1, -1)


class Copy(ShortMoves):
    """A copy that counts its moves, and adds ``error`` of the scores to them."""

    error, calls = 0.0, 0

    def moves(self, w, around, *others):
        Copy.calls += 1
        wrong = Copy.error * np.random.default_rng(7).standard_normal(len(around))
        return super().moves(w, around + wrong, *others)


@pytest.fixture
def runs(monkeypatch):
    monkeypatch.setattr(first_stage, "MIN_CONJUGATE_VALUES", 0)
    monkeypatch.setattr(conjugate_ascent, "ShortMoves", Copy)
    monkeypatch.setattr(Copy, "calls", 0)
    return passes_told(monkeypatch, ConjugateAscent)


def assert_solved(X, y, model, C, tol):
    assert model.duality_gap_ <= tol * model.objective_
    margins = y * (X @ model.coef_[0] + model.intercept_[0])
    primal = (model.coef_**2).sum() / 2 + C * np.logaddexp(0, -margins).sum()
    assert model.objective_ == pytest.approx(primal, rel=1e-12)
    duals = C * np.ravel(model.dual_coef_)
    p = y * duals / C
    entropy = -C * (p * np.log(p) + (1 - p) * np.log1p(-p)).sum()
    dual = entropy - ((duals @ X) ** 2).sum() / 2
    assert model.duality_gap_ == pytest.approx(primal - dual, rel=1e-2, abs=1e-13 * primal)


@pytest.mark.parametrize("tol", [1e-2, 1e-6, 1e-10])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("decades", [0.0, 6.0])
def test_the_certificate_is_that_of_the_rows(runs, decades, C, tol):
    X, y = problem_of(1.0, decades)
    model = LogisticRegression(C=C, tol=tol).fit(X, y)
    assert Copy.calls > 0
    assert model.n_iter_ == len(runs)
    assert_solved(X, y, model, C, tol)


@pytest.mark.parametrize("error", [1e-3, 0.3])
def test_a_wrong_copy_is_left(runs, monkeypatch, error):
    monkeypatch.setattr(Copy, "error", error)
    X, y = problem_of(1.0)
    model = LogisticRegression(tol=1e-9).fit(X, y)
    assert 0 < Copy.calls < len(runs)
    assert_solved(X, y, model, 1.0, 1e-9)


def test_a_problem_out_of_range_is_solved_by_its_rows(runs):
    X, y = problem_of(1e60)
    model = LogisticRegression(C=1e-120, tol=1e-9).fit(X, y)
    assert len(runs) > Copy.calls == 0
    assert model.duality_gap_ <= 1e-9 * model.objective_
