"""The accelerated ascent: the problem's certificate, and fewer passes than the plain ascent."""

import numpy as np
import pytest
import scipy.sparse
from members import SCALAR_LOSSES as LOSSES
from members import STRONG_REGULARIZERS as REGULARIZERS
from members import scalar_problem

from rrmlinear import Problem
from rrmlinear.losses.multiclass import CrammerSinger
from rrmlinear.losses.weston_watkins import WestonWatkins
from rrmlinear.regularizers.separable import L2
from rrmlinear.solvers.dual.accelerated import Accelerated
from rrmlinear.solvers.dual.blocks.block_descent import BlockAscent
from rrmlinear.solvers.dual.prox_sdca import ProxSDCA
from rrmlinear.solvers.loop.result import Status
from rrmlinear.solvers.loop.stopping import Stopping

BLOCKS = {"weston-watkins": WestonWatkins(), "crammer-singer": CrammerSinger()}
D, COST = 12, 40.0


def ascent(problem, loss, cost=COST):
    costs = np.full(problem.n_examples, cost)
    return lambda omega: ProxSDCA(problem.rows, problem.labels, costs, loss, omega)


def check(result, loss, omega, X, y, gap, cost=COST):
    w, duals = result.weights.reshape(-1), result.duals
    primal = cost * loss.values(y, X @ w).sum() + omega.value_of(w)
    dual = -cost * loss.conjugates(y, duals).sum() - omega.conjugate_of(cost * (X.T @ duals))
    assert result.primal == pytest.approx(primal, rel=1e-10)
    assert result.dual == pytest.approx(dual, rel=1e-8, abs=1e-8 * primal)
    assert -1e-10 * primal <= primal - dual <= 1.01 * gap * max(1, primal)


@pytest.mark.parametrize("inner", ["adaptive", 3])
@pytest.mark.parametrize("omega", REGULARIZERS)
@pytest.mark.parametrize("name", LOSSES)
def test_the_certificate_is_true(name, omega, inner):
    problem, X, y = scalar_problem(name)
    loss, omega = LOSSES[name], REGULARIZERS[omega]
    solver = Accelerated(ascent(problem, loss), omega, inner)
    result = solver.solve(Stopping(gap_tol=1e-7))
    assert result.status is Status.SOLVED
    check(result, loss, omega, X, y, 1e-7)


@pytest.mark.parametrize("omega", REGULARIZERS)
@pytest.mark.parametrize("name", LOSSES)
def test_the_theory_arrives_and_its_bound_holds(name, omega):
    problem, X, y = scalar_problem(name)
    loss, omega = LOSSES[name], REGULARIZERS[omega]
    make, cost = (
        ascent(problem, loss, 20.0 if loss.smoothing else 1.0),
        20.0 if loss.smoothing else 1.0,
    )
    best = make(omega).solve(Stopping(gap_tol=1e-10))
    result = Accelerated(make, omega, "theory").solve(Stopping(gap_tol=0.02))
    assert result.solved
    assert result.primal - best.primal <= result.target
    if result.status is Status.SOLVED:
        check(result, loss, omega, X, y, 0.02, cost)
    else:
        assert result.status is Status.BOUNDED
        assert "above its minimum" in result.notes[-1]


@pytest.mark.parametrize("inner", ["adaptive", 2])
@pytest.mark.parametrize("k", [3, 20])
@pytest.mark.parametrize("omega", REGULARIZERS)
@pytest.mark.parametrize("name", BLOCKS)
def test_block_losses_are_accelerated(name, omega, k, inner):
    rng = np.random.default_rng(k)
    X = rng.standard_normal((120, D))
    label = np.concatenate([np.arange(k), rng.integers(0, k, 120 - k)]).astype(np.int32)
    rows, costs, omega = (
        Problem.from_arrays(X, label).rows,
        np.full(120, 0.5),
        REGULARIZERS[omega],
    )

    def make(regularizer):
        return BlockAscent(rows, label, k, costs, BLOCKS[name], regularizer)

    result = Accelerated(make, omega, inner).solve(Stopping(gap_tol=1e-5))
    assert result.status is Status.SOLVED
    W, duals = result.weights, result.duals.dense(k)
    steps = -duals
    steps[np.arange(120), label] = duals.sum(axis=1)
    primal = omega.value_of(W.ravel()) + 0.5 * BLOCKS[name].values(X @ W, label).sum()
    conjugates = BLOCKS[name].conjugates(duals, label, 0.5).sum()
    dual = -conjugates - omega.conjugate_of((X.T @ steps).ravel())
    assert result.primal == pytest.approx(primal, rel=1e-10)
    assert result.dual == pytest.approx(dual, rel=1e-8, abs=1e-8 * primal)
    assert -1e-10 * primal <= primal - dual <= 1.01e-5 * primal
    plain = make(omega).solve(Stopping(gap_tol=1e-6))
    assert result.primal == pytest.approx(plain.primal, rel=2e-5)


@pytest.mark.parametrize("name", ["smooth-hinge", "squared-hinge", "logistic"])
def test_it_takes_at_most_a_third_of_the_passes_where_the_condition_is_bad(name):
    problem, _, _ = scalar_problem(name, n=300)
    make = ascent(problem, LOSSES[name], 1e3)
    quick = Accelerated(make, L2()).solve(Stopping(gap_tol=1e-5))
    assert quick.solved
    plain = make(L2()).solve(Stopping(gap_tol=1e-5, max_passes=3 * quick.passes))
    assert plain.status is Status.PASS_LIMIT


def test_weston_watkins_at_large_c_takes_at_most_a_fifth_of_the_passes(data_set):
    letter = data_set("letter.scale")
    label = letter.labels.astype(np.int32) - 1
    costs = np.full(letter.n_examples, 8.0)

    def make(omega):
        return BlockAscent(letter.rows, label, 26, costs, WestonWatkins(), omega)

    quick = Accelerated(make, L2()).solve(Stopping(delta=0.0009))
    assert quick.status is Status.RULE
    plain = make(L2()).solve(Stopping(delta=0.0009, max_passes=5 * quick.passes))
    assert quick.trace[0].gap == pytest.approx(plain.trace[0].gap, rel=1e-12)
    assert plain.status is Status.PASS_LIMIT


def test_weston_watkins_to_six_digits_takes_at_most_a_tenth_of_the_visits(data_set):
    letter = data_set("letter.scale")
    label = letter.labels.astype(np.int32) - 1

    def make(omega):
        return BlockAscent(
            letter.rows, label, 26, np.ones(letter.n_examples), WestonWatkins(), omega
        )

    solvers = make(L2()), Accelerated(make, L2())
    plain, quick = (solver.solve(Stopping(gap_tol=1e-6)) for solver in solvers)
    assert quick.status is Status.SOLVED
    assert quick.primal == pytest.approx(plain.primal, rel=1e-6)
    assert 5 * solvers[1].work <= solvers[0].work
    assert 10 * quick.passes <= plain.passes


def test_where_the_theory_expects_nothing_it_stays_plain_and_says_so():
    problem, _, _ = scalar_problem("logistic")
    omega, make = L2(), ascent(problem, LOSSES["logistic"], 0.1)
    quick, plain = Accelerated(make, omega), make(omega)
    found, expected = quick.solve(Stopping(gap_tol=1e-8)), plain.solve(Stopping(gap_tol=1e-8))
    assert quick.kappa == 0
    assert "the plain ascent is used" in found.notes[0]
    assert found.weights.tobytes() == expected.weights.tobytes()


def test_a_loss_that_is_smooth_enough_is_still_accelerated_where_it_proves_slow():
    problem, X, _ = scalar_problem("squared")
    cost = 9 / (X**2).sum(axis=1).max()
    solver = Accelerated(ascent(problem, LOSSES["squared"], cost), L2(), observe=True)
    result = solver.solve(Stopping(gap_tol=1e-9))
    assert result.status is Status.SOLVED
    assert result.notes[0].startswith("not accelerated at first")
    assert solver.kappa > 0


@pytest.mark.parametrize("loss", ["squared-hinge", "logistic"])
def test_dense_data_of_many_features_stay_plain_while_that_is_quick(loss):
    # rows are nearly orthogonal: with the theory's κ the squared hinge took hundreds of passes
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 4000))
    y = np.where(X[:, :5].sum(axis=1) > 0, 1.0, -1.0)
    make = ascent(Problem.from_arrays(X, y), LOSSES[loss], 1.0)
    solver = Accelerated(make, L2(), observe=True)
    result = solver.solve(Stopping(gap_tol=1e-6))
    assert result.status is Status.SOLVED
    assert solver.kappa == 0
    theory = Accelerated(make, L2()).solve(Stopping(gap_tol=1e-6, max_passes=50))
    assert theory.passes > 2 * result.passes


@pytest.mark.parametrize("loss", ["logistic", "squared-hinge"])
def test_a_first_pass_is_measured_where_examples_sleep_after_it(loss):
    rng = np.random.default_rng(5)
    X = scipy.sparse.random(400, 300, 0.05, "csr", random_state=rng, data_rvs=rng.standard_normal)
    y = np.where(X @ rng.standard_normal(300) > 0, 1.0, -1.0)
    solver = Accelerated(ascent(Problem.from_arrays(X, y), LOSSES[loss], 1.0), L2(), observe=True)
    result = solver.solve(Stopping(gap_tol=1e-7))
    assert result.trace[0].estimated == (loss == "logistic")
    assert result.status is Status.SOLVED
    check(result, LOSSES[loss], L2(), X, y, 1e-7, 1.0)


def separable(n=40, d=400):
    """Classes that a plane separates: there are more features than examples."""
    rng = np.random.default_rng(3)
    X = 100 * rng.random((n, d))
    return Problem.from_arrays(X, np.where(rng.random(n) < 0.5, 1.0, -1.0)), X


def test_a_kappa_far_too_large_falls_and_the_run_does_not_stall():
    # the curvature of the data asks for a κ of 1e9, at which w would stand still
    problem, X = separable()
    loss = LOSSES["squared-hinge"]
    solver = Accelerated(ascent(problem, loss, 1e4), L2())
    result = solver.solve(Stopping(gap_tol=1e-6))
    assert result.status is Status.SOLVED
    check(result, loss, L2(), X, problem.labels, 1e-6, 1e4)


@pytest.mark.parametrize("k", [2, 3])
def test_a_dual_vector_is_added_up_anew(k):
    problem, _ = separable()
    label = np.arange(40, dtype=np.int32) % k
    if k == 2:
        plain = ascent(problem, LOSSES["hinge"], 1e-4)(L2())
    else:
        plain = BlockAscent(problem.rows, label, k, np.full(40, 1e-4), WestonWatkins(), L2())
    plain.solve(Stopping(gap_tol=1e-9))
    expected = plain.dual_vector.copy()
    z = np.linspace(-1, 1, expected.size)
    plain.dual_vector[:] = 1e12  # what is left of a long κ y
    plain.rebuild(z)
    np.testing.assert_allclose(plain.dual_vector, z + expected, atol=1e-12)


def test_same_seed_same_bits():
    problem, _, _ = scalar_problem("hinge")
    runs = [
        Accelerated(ascent(problem, LOSSES["hinge"]), L2()).solve(Stopping(gap_tol=1e-6)).weights
        for _ in range(2)
    ]
    assert runs[0].tobytes() == runs[1].tobytes()


def test_limits_end_a_run_with_a_full_measurement():
    problem, _, _ = scalar_problem("hinge")
    solver = Accelerated(ascent(problem, LOSSES["hinge"], 1e4), L2())
    result = solver.solve(Stopping(gap_tol=1e-12, max_passes=30))
    assert (result.status, result.passes) == (Status.PASS_LIMIT, 30)
    assert not result.last.estimated
    assert result.gap >= 0


@pytest.mark.parametrize("name", LOSSES)
def test_data_of_zeros_are_solved(name):
    problem = Problem.from_arrays(np.zeros((5, 3)), np.array([1.0, -1, 1, 1, -1]))
    result = Accelerated(ascent(problem, LOSSES[name]), L2()).solve(Stopping(gap_tol=1e-9))
    assert result.status is Status.SOLVED
    assert not result.weights.any()
