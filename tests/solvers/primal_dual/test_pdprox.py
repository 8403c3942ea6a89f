"""Pdprox: the optimum of other solvers, whichever order and storage it has."""

import numpy as np
import pytest

from rrmlinear import Problem
from rrmlinear.losses import margin
from rrmlinear.regularizers.groups.group_norms import L2Groups
from rrmlinear.regularizers.separable import L1
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.solvers.loop.result import Status
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.solvers.primal_dual.pdprox import ORDERS, STORAGES, Pdprox
from rrmlinear.solvers.primal_dual.weights_metric import DataMetric, PlainMetric, metric_of

N, D = 60, 12


def test_what_cannot_be_is_refused(make):
    problem, _, y = make("hinge")
    risk = ScalarRisk(problem.rows, margin.Hinge(), y, np.ones(N))
    with pytest.raises(ValueError, match=r"ratio must be positive and finite, got 0\.0"):
        Pdprox(risk, L1(0.1), ratio=0.0)
    with pytest.raises(ValueError, match="unknown order 'both'; there are dual, primal"):
        Pdprox(risk, L1(0.1), order="both")
    with pytest.raises(ValueError, match="unknown storage 'all'; there are double-primal, double-"):
        Pdprox(risk, L1(0.1), storage="all")


def solved(risk, omega, **choices):
    result = Pdprox(risk, omega, **choices).solve(Stopping(gap_tol=1e-9, max_passes=20_000))
    assert result.status is Status.SOLVED
    for row in result.trace:
        assert row.gap >= -1e-12 * abs(row.primal)
    return result


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (5, 1)])
def test_one_example_or_one_feature(shape, order, storage):
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal(shape), np.sign(rng.standard_normal(shape[0]))
    risk = ScalarRisk(Problem.from_arrays(X, y).rows, margin.Hinge(), y, np.ones(shape[0]))
    result = solved(risk, L1(0.1), order=order, storage=storage)
    if shape == (1, 1):  # the kink or zero, whichever is lower
        assert result.primal == pytest.approx(min(1.0, 0.1 / abs(X[0, 0])), rel=1e-8)


@pytest.mark.parametrize("order", ORDERS)
def test_data_without_effect(order):
    y = np.array([1.0, -1.0, 1.0])
    zeros, some = np.zeros((3, 2)), np.ones((3, 2))
    risk = ScalarRisk(Problem.from_arrays(zeros, y).rows, margin.Hinge(), y, np.ones(3))
    assert solved(risk, L1(1.0), order=order).primal == pytest.approx(3)
    risk = ScalarRisk(Problem.from_arrays(some, y).rows, margin.Hinge(), y, np.zeros(3))
    assert solved(risk, L1(1.0), order=order).primal == pytest.approx(0)


def test_lengths_of_the_data_need_no_scaling_of_features(make):
    problem, X, y = make("hinge", "dense")
    scales = 10.0 ** np.linspace(-1, 1, D)
    risk = ScalarRisk(problem.rows, margin.Hinge(), y, np.ones(N))
    scaled = ScalarRisk(Problem.from_arrays(X * scales, y).rows, margin.Hinge(), y, np.ones(N))
    assert isinstance(metric_of(risk, L1(1.0)), DataMetric)
    few = ScalarRisk(Problem.from_arrays(X[:9], y[:9]).rows, margin.Hinge(), y[:9], np.ones(9))
    assert isinstance(metric_of(few, L1(1.0)), PlainMetric)  # they do not pay for it
    plain, own = PlainMetric(scaled, L1(1.0)), DataMetric(scaled.gram(), L1(1.0), 1e-9)
    w, v = np.linspace(-1, 1, D), np.linspace(3, -2, D)
    for metric in (plain, own):
        u = metric.step(w, v, 0.7)

        def objective(at, metric=metric):
            return np.abs(at).sum() - v @ at + metric.square(at - w) / 1.4

        rng = np.random.default_rng(2)
        for _ in range(200):
            away = rng.standard_normal(D) * 10.0 ** rng.uniform(-6, 0)
            assert objective(u + away) >= objective(u) - 1e-9 * (1 + abs(objective(u)))
        alphas = rng.standard_normal(N)
        image = scaled.gradient(alphas)
        assert metric.dual_square(image) <= (1 + 1e-9) * (alphas @ alphas)
        assert metric.dual_square(image) * metric.square(w) >= (image @ w) ** 2 * (1 - 1e-9)


@pytest.mark.parametrize("own", [False, True], ids=["same matrix", "a matrix a column"])
def test_steps_in_the_lengths_of_columns_are_optimal(own):
    rng = np.random.default_rng(4)
    k = 3
    factors = rng.standard_normal((k if own else 1, 2 * D, D))
    matrices = factors.transpose(0, 2, 1) @ factors
    gram = matrices.transpose(1, 2, 0) if own else matrices[0]
    metric = DataMetric(gram, L2Groups("rows").over((D, k)), 1e-9)
    w, v = rng.standard_normal((D, k)), 4 * rng.standard_normal((D, k))
    each = [metric.G[a if own else 0] for a in range(k)]
    square = sum(w[:, a] @ each[a] @ w[:, a] for a in range(k))
    assert metric.square(w) == pytest.approx(square)
    dual = sum(v[:, a] @ np.linalg.solve(each[a], v[:, a]) for a in range(k))
    assert metric.dual_square(v) == pytest.approx(dual)
    u = metric.step(w, v, 0.7)

    def objective(at):
        return np.linalg.norm(at, axis=1).sum() - np.vdot(v, at) + metric.square(at - w) / 1.4

    for _ in range(200):
        away = rng.standard_normal((D, k)) * 10.0 ** rng.uniform(-5, 0)
        assert objective(u + away) >= objective(u) - 1e-8 * abs(objective(u))


def test_an_epoch_with_steps_that_are_too_long_ends_and_they_get_shorter():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((100, 5))
    y = np.sign(X[:, 0] + 0.5 * rng.standard_normal(100))
    risk = ScalarRisk(Problem.from_arrays(X, y).rows, margin.Hinge(), y, np.ones(100))
    solver = Pdprox(risk, L1(1.0))
    solver.start()
    solver.lengths.stretch = 30.0
    solver._begin(solver.state)
    epochs = solver.epochs
    for number in range(1, 400):
        solver.run_pass(number)
        assert 1 <= solver.lengths.stretch <= 30
    assert solver.epochs > epochs
    assert 1 <= solver.lengths.stretch <= max(1.0, solver.lengths.longest) < 30
    optimum = Pdprox(risk, L1(1.0)).solve(Stopping(gap_tol=1e-7, max_passes=20_000))
    solver.measure()
    assert solver.certificate.primal == pytest.approx(optimum.primal, rel=1e-3)
