"""Options, sampling, averaging and first duals of Prox-SDCA, and the paper's bounds."""

import numpy as np
import pytest
from made_solvers import of_rows
from members import BOUNDED_LOSSES, SMOOTH_LOSSES, scalar_problem
from members import SCALAR_LOSSES as LOSSES

from rrmlinear import Problem
from rrmlinear.regularizers.separable import L2, ElasticNet
from rrmlinear.solvers.dual.prox_sdca import ProxSDCA
from rrmlinear.solvers.loop.result import Status, Stopping

N, D = 60, 12
REGULARIZERS = {"l2": L2(), "elastic-net": ElasticNet(0.7, 1.5)}


@pytest.fixture(scope="module")
def problem_for():
    return lambda name: scalar_problem(name)[0]


def solver_of(problem, loss, regularizer=None, cost=0.5, **choices):
    costs = np.full(problem.n_examples, cost) if np.isscalar(cost) else cost
    return of_rows(
        ProxSDCA, problem.rows, problem.labels, costs, loss, regularizer or L2(), **choices
    )


def run(solver, gap_tol=1e-6, on_pass=None, **rules):
    return solver.solve(Stopping(**({"gap_tol": gap_tol, "max_passes": 20_000} | rules)), on_pass)


@pytest.mark.parametrize("option", ["III", "IV", "V"])
def test_a_step_along_the_line_is_the_papers(problem_for, option):
    problem = problem_for("logistic")
    loss, C, gamma = SMOOTH_LOSSES["logistic"], 0.5, 4.0
    solver = solver_of(problem, loss, cost=C, option=option, start=np.full(N, 0.3) * problem.labels)
    solver.start()
    X, y = problem.to_scipy().toarray(), problem.labels
    norms = (X**2).sum(axis=1)
    for i in (0, 7, 31):
        alpha, w = solver.state.alphas[i], solver.state.dual_vector.copy()
        p = X[i] @ w
        q = -float(loss.derivatives(y[i], p)) - alpha
        curvature = C * (norms[i] if option == "III" else norms.max())
        gap = float(loss.values(y[i], p) + loss.conjugates(y[i], alpha)) + p * alpha
        part = min(1, (gap + gamma / 2 * q * q) / (q * q * (gamma + curvature)))
        if option == "V":
            part = gamma / (gamma + curvature)
        solver.state.sweep(np.array([i], dtype=np.int64), 0, 1)
        assert solver.state.alphas[i] == pytest.approx(alpha + part * q, rel=1e-12)
        np.testing.assert_allclose(solver.state.dual_vector, w + C * part * q * X[i], atol=1e-14)


@pytest.mark.parametrize("option", ["I", "IV"])
@pytest.mark.parametrize("regularizer", REGULARIZERS)
def test_squares_are_those_of_the_rows_whatever_the_steps_take(problem_for, option, regularizer):
    problem = problem_for("logistic")
    solver = solver_of(problem, LOSSES["logistic"], REGULARIZERS[regularizer], option=option)
    solver.start()
    np.testing.assert_allclose(solver.squares, problem.rows.squared_norms(), rtol=1e-12, atol=1e-99)


@pytest.fixture(scope="module")
def bounds(problem_for):
    """(problem, loss, cost, (n + R²/(λγ))/n, best dual − first) in units of our objective."""
    problem, loss, cost = problem_for("smooth-hinge"), SMOOTH_LOSSES["smooth-hinge"], 0.1
    radius = problem.rows.squared_norms().max()
    stretch = 1 + cost * radius / loss.smoothing  # R²/(λγ) = R² C n/γ
    best = run(solver_of(problem, loss, cost=cost), 1e-12).dual
    return problem, loss, cost, stretch, best


SEEDS = range(24)


@pytest.mark.parametrize("option", ["I", "III", "IV", "V"])
def test_the_dual_rises_as_fast_as_in_the_proof_of_theorem_1(bounds, option):
    problem, loss, cost, stretch, best = bounds
    passes = 12
    rest = np.zeros(passes)
    for seed in SEEDS:
        duals = []
        choices = {"option": option, "sampling": "uniform", "seed": seed}
        solver = solver_of(problem, loss, cost=cost, **choices)
        run(
            solver,
            1e-15,
            on_pass=lambda row, duals=duals: duals.append(row.dual),
            max_passes=passes,
        )
        rest += (best - np.array(duals)) / len(SEEDS)
    # E[D(α*) − D(α_t)] ≤ exp(−t/(n + R²/(λγ))) (D(α*) − D(α_0)), and D(α_0) = 0 here.
    assert (rest <= best * np.exp(-np.arange(1, passes + 1) / stretch)).all()


@pytest.mark.parametrize("option", ["I", "V"])
@pytest.mark.parametrize("epsilon", [1e-1, 1e-3])
def test_iterations_of_theorems_1_and_2(bounds, option, epsilon):
    problem, loss, cost, stretch, best = bounds
    choices = {"option": option, "sampling": "uniform"}

    def gaps(passes):
        solvers = [solver_of(problem, loss, cost=cost, seed=seed, **choices) for seed in SEEDS]
        return np.array([run(solver, 1e-15, max_passes=passes).gap for solver in solvers])

    expected = stretch * np.log(stretch * N * best / epsilon)
    assert gaps(int(np.ceil(expected))).mean() <= epsilon
    delta = 0.25
    log_terms = np.log(N * stretch) + np.log(2 * best / epsilon)
    likely = stretch * log_terms * np.ceil(np.log2(1 / delta))
    assert (gaps(int(np.ceil(likely))) <= epsilon).mean() >= 1 - delta


def test_averages_are_as_good_as_theorem_1_says(bounds):
    problem, loss, cost, stretch, best = bounds
    # Passes 16 … 31 are averaged: at least n + R²/(λγ) visits, after at least as many times
    # log((D(α*) − D(α_0))/ε) of them.
    assert stretch <= 16
    epsilon = best * np.exp(-15 / stretch)
    gaps = [
        run(
            solver_of(problem, loss, cost=cost, seed=s, sampling="uniform", averaging=True),
            1e-15,
            max_passes=31,
        ).gap
        for s in SEEDS
    ]
    assert np.mean(gaps) <= epsilon


@pytest.mark.parametrize("regularizer", REGULARIZERS)
@pytest.mark.parametrize("bias", [-1.0, 0.5])
def test_averages_are_over_the_states_before_each_visit(problem_for, regularizer, bias):
    problem, omega = problem_for("squared").with_bias(bias), REGULARIZERS[regularizer]
    solver = solver_of(problem, LOSSES["squared"], omega, averaging=True)
    solver.start()
    solver.run_pass(1)
    state, weights, duals = solver.state, [], []
    state.average.restart()
    order = np.random.default_rng(0).integers(0, N, 40)
    for at in range(40):
        weights.append(omega.primal_of(state.dual_vector))
        duals.append(state.alphas.copy())
        state.sweep(order, at, at + 1)
    np.testing.assert_allclose(solver.present_weights(), np.mean(weights, axis=0), atol=1e-13)
    np.testing.assert_allclose(solver.present_duals(), np.mean(duals, axis=0), atol=1e-13)


@pytest.mark.parametrize("name", BOUNDED_LOSSES)
def test_any_finite_start_will_do(problem_for, name):
    problem, loss = problem_for(name), LOSSES[name]
    wild = 100 * np.random.default_rng(2).standard_normal(N)
    result = run(solver_of(problem, loss, start=wild))
    assert result.status is Status.SOLVED
    assert result.primal == pytest.approx(run(solver_of(problem, loss)).primal, rel=2e-6)


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({"option": "VI"}, "option must be one of I, II, III, IV, V, got 'VI'"),
        ({"option": "V"}, "option V needs a smooth loss, and Hinge has a kink"),
        ({"sampling": "cyclic"}, "sampling must be one of permutation, uniform, got 'cyclic'"),
        ({"start": np.zeros(N - 1)}, "have shape \\(59,\\), but there are 60 examples"),
        ({"start": np.full(N, np.nan)}, "start\\[0\\] is nan; duals must be finite"),
    ],
)
def test_bad_choices_are_refused(problem_for, choices, sentence):
    with pytest.raises(ValueError, match=sentence):
        solver_of(problem_for("hinge"), LOSSES["hinge"], **choices)


@pytest.mark.parametrize("choices", [{}, {"averaging": True}, {"sampling": "uniform"}])
def test_one_example_and_costs_of_zero(choices):
    problem = Problem.from_arrays(np.array([[2.0, -1.0]]), np.array([1.0]))
    result = run(solver_of(problem, LOSSES["hinge"], **choices), 1e-6)
    assert result.status is Status.SOLVED
    # ½‖w‖² + ½ max(0, 1 − w'x), ‖x‖² = 5: w = x/5 has margin 1.
    np.testing.assert_allclose(result.weights, [0.4, -0.2], atol=1e-3)
    nothing = run(solver_of(problem, LOSSES["hinge"], cost=np.zeros(1), **choices), 1e-6)
    assert nothing.status is Status.SOLVED
    assert (nothing.weights == 0).all()
