"""Losses and regularizers chosen by name: every one trained to its certificate."""

import numpy as np
import pytest
from members import CLASS_LOSSES, REAL_LOSSES, SCALAR_LOSSES, SIGN_LOSSES
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

import rrmlinear
from rrmlinear import Parameter, Problem
from rrmlinear.catalog import second_order_builders
from rrmlinear.catalog.losses import LOSSES
from rrmlinear.catalog.selection import select
from rrmlinear.catalog.stages import automatic, methods
from rrmlinear.solvers.loop.result import Status


@pytest.fixture(scope="module")
def reals():
    generator = np.random.default_rng(1)
    X = generator.normal(size=(80, 5))
    return Problem.from_arrays(X, X @ [1, -2, 0.5, 0, 0] + 0.3 * generator.normal(size=80))


def choices_of(regularizer):
    return {"regularizer": regularizer} | ({"l1": 0.7} if regularizer == "elastic-net" else {})


def regularizer_value(weights, regularizer):
    one_norm = 0.7 * np.abs(weights).sum() if regularizer == "elastic-net" else 0.0
    return (weights**2).sum() / 2 + one_norm


@pytest.mark.parametrize("regularizer", ["l2", "elastic-net"])
@pytest.mark.parametrize("loss", SIGN_LOSSES)
def test_two_classes_have_one_column(signs, fit, loss, regularizer):
    given = {"solver": 32, "loss": loss, "gap_tol": 1e-7, "C": 0.5}
    model = fit(signs, **given, **choices_of(regularizer))
    assert model.weights.shape == (5, 1)
    assert model.loss == loss
    assert -1e-12 <= model.result.gap <= model.result.target
    scores = signs.rows.values @ model.weights[:, 0]
    assert_allclose(model.decision_function(signs), scores, atol=1e-12)
    expected = np.where(scores > 0, model.labels[0], model.labels[1])
    assert_array_equal(model.predict(signs), expected)
    y = np.where(signs.labels == model.labels[0], 1.0, -1.0)
    losses = select(model.parameter).loss.values(y, scores).sum()
    primal = regularizer_value(model.weights, regularizer) + 0.5 * losses
    assert model.result.primal == pytest.approx(primal, rel=1e-12)


@pytest.mark.parametrize("regularizer", ["l2", "elastic-net"])
@pytest.mark.parametrize("loss", REAL_LOSSES)
def test_regression_predicts_numbers(reals, fit, loss, regularizer):
    given = {"solver": 32, "loss": loss, "gap_tol": 1e-7, "C": 0.5}
    model = fit(reals, **given, **choices_of(regularizer))
    assert model.is_regression
    assert len(model.labels) == 0
    assert -1e-12 <= model.result.gap <= model.result.target
    predicted = model.predict(reals)
    assert_allclose(predicted, reals.rows.values @ model.weights[:, 0], atol=1e-12)
    losses = select(model.parameter).loss.values(reals.labels, predicted).sum()
    primal = regularizer_value(model.weights, regularizer) + 0.5 * losses
    assert model.result.primal == pytest.approx(primal, rel=1e-12)


@pytest.mark.parametrize("regularizer", ["l2", "elastic-net"])
@pytest.mark.parametrize("loss", CLASS_LOSSES)
def test_multiclass_losses_have_a_column_for_each_class(small_problem, fit, loss, regularizer):
    problem = small_problem().problem()
    model = fit(problem, solver=32, loss=loss, gap_tol=1e-6, **choices_of(regularizer))
    assert model.weights.shape == (6, 4)
    assert -1e-12 <= model.result.gap <= model.result.target
    best = model.decision_function(problem).argmax(axis=1)
    assert_array_equal(model.predict(problem), model.labels[best])


@pytest.mark.parametrize(
    "choices",
    [
        {"option": "II"},
        {"option": "III"},
        {"option": "IV"},
        {"option": "V"},
        {"sampling": "uniform"},
        {"averaging": True},
        {"threads": 2},
    ],
)
def test_ways_of_visiting_lead_to_the_same_minimum(signs, fit, choices):
    expected = fit(signs, solver=32, loss="smooth-hinge", gap_tol=1e-9)
    model = fit(signs, solver=32, loss="smooth-hinge", gap_tol=1e-6, **choices)
    assert -1e-12 <= model.result.gap <= model.result.target
    assert_allclose(model.weights, expected.weights, atol=1e-2)
    if choices != {"option": "II"} and choices != {"threads": 2}:
        other = fit(signs, solver=32, loss="smooth-hinge", gap_tol=1e-6)
        assert (model.weights != other.weights).any()


@pytest.mark.parametrize("regularizer", ["l2", "elastic-net"])
@pytest.mark.parametrize("solver", [33, "auto"])
@pytest.mark.parametrize("loss", list(LOSSES))
def test_accelerated_solvers_find_the_same_minimum(signs, fit, loss, solver, regularizer):
    given = {"loss": loss, "gap_tol": 1e-5, "C": 5.0} | choices_of(regularizer)
    plain = fit(signs, solver=32, **given).result
    model = fit(signs, solver=solver, **given)
    result = model.result
    assert result.solved
    assert result.primal == pytest.approx(plain.primal, rel=3e-5)
    assert result.gap <= result.target or result.status is Status.BOUNDED
    assert model.solver_name == ("SDCA_ACC" if solver == 33 else "AUTO")


@pytest.mark.parametrize("regularizer", ["l2", "elastic-net"])
@pytest.mark.parametrize("free_bias", [None, True])
def test_the_automatic_choice_for_the_squared_loss_has_a_gap(reals, fit, regularizer, free_bias):
    given = {"loss": "squared", "gap_tol": 1e-9, "free_bias": free_bias} | choices_of(regularizer)
    problem = reals.with_bias(1.0)
    chosen = fit(problem, solver="auto", **given)
    plain = fit(problem, solver=32, **given)
    assert chosen.result.status is Status.SOLVED
    assert -1e-12 <= chosen.result.gap <= chosen.result.target
    assert_allclose(chosen.weights, plain.weights, atol=1e-3)


def test_the_automatic_choice_says_what_it_chose(signs, reals, fit):
    sparse = Problem.from_arrays(csr_array(reals.to_scipy()), reals.labels)
    for problem, note in (
        (reals, "coordinate descent over features is used"),
        (sparse, "Newton steps over features are used"),
    ):
        given = {"loss": "squared", "regularizer": "elastic-net", "l1": 0.1}
        assert fit(problem, solver="auto", **given).result.notes == (note,)
    many = Problem.from_arrays(
        np.repeat(signs.rows.values, 20, axis=0), np.repeat(signs.labels, 20)
    )
    given = {"loss": "logistic", "C": 0.01, "gap_tol": 1e-9}
    chosen = fit(many, solver="auto", **given).result
    by_newton = fit(many, solver="newton", **given).result
    assert chosen.passes == by_newton.passes
    by_ascent = fit(many, solver=33, **given).result
    assert chosen.primal == pytest.approx(by_ascent.primal, rel=2e-9)


@pytest.mark.parametrize("loss", ["logistic", "squared-hinge"])
def test_newton_takes_over_from_another_cost_where_it_comes_first(loss):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((60_000, 6))
    X[rng.random(X.shape) < 0.3] = 0
    scores = X @ rng.standard_normal(6) + 2 * rng.standard_normal(60_000)
    problem = Problem.from_arrays(csr_array(X), np.where(scores > 0, 1, -1))
    given = {"solver": "auto", "loss": loss, "gap_tol": 1e-7}
    before = rrmlinear.fit(problem, Parameter(C=0.5, **given))
    chosen = rrmlinear.fit(problem, Parameter(C=1.0, **given), start=before).result
    # by the ascent from the duals before, these took 8 passes and more
    assert chosen.solved
    assert chosen.passes <= 3


def test_least_squares_with_a_free_intercept_is_one_system(fit):
    """Of more weights than are factorized; a finer tolerance takes no more passes."""
    rng = np.random.default_rng(0)
    n, d = 4_000, 4_000
    places = rng.zipf(1.3, 20 * n) % d
    X = csr_array((rng.random(20 * n), places, np.arange(0, 20 * n + 1, 20)), (n, d))
    X.sum_duplicates()
    y = X @ rng.standard_normal(d) + rng.standard_normal(n)
    problem = Problem.from_arrays(X, y).with_bias(1.0)
    given = {"loss": "squared", "C": 1.0, "free_bias": True}
    gaps = []
    for gap_tol in (1e-2, 1e-7):
        result = fit(problem, solver="auto", gap_tol=gap_tol, **given).result
        assert result.solved
        assert result.passes == 1
        gaps.append(result.gap / result.primal)
    assert gaps[1] <= 1e-7 < gaps[0] <= 1e-2


@pytest.mark.parametrize(("regularizer", "is_begun"), [("l2", False), ("elastic-net", True)])
def test_one_step_of_least_squares_begins_without_a_sample(fit, monkeypatch, regularizer, is_begun):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((20_000, 5))
    problem = Problem.from_arrays(X, X @ np.arange(5.0) + rng.standard_normal(20_000))
    begun = []

    def sample(task, *_):
        begun.append(task)
        return np.zeros(task.rows.width)

    monkeypatch.setattr(second_order_builders, "weights_of_sample", sample)
    given = {"loss": "squared", "C": 1.0, "gap_tol": 1e-8} | choices_of(regularizer)
    assert fit(problem, solver="newton", **given).result.solved
    assert bool(begun) == is_begun


def test_proximal_points_come_first_on_large_sparse_data(reals, fit, monkeypatch):
    """Newton steps over features, the next stage, begin at the weights that these have found."""
    labels = np.where(reals.labels > np.median(reals.labels), 1.0, -1.0)
    problem = Problem.from_arrays(csr_array(reals.to_scipy()), labels)
    given = {"solver": "auto", "loss": "logistic", "regularizer": "l1", "gap_tol": 1e-7}
    plain = fit(problem, **given).result
    assert plain.notes == ("Newton steps over features are used",)
    monkeypatch.setattr(automatic, "MIN_PROXIMAL_VALUES", 1)
    monkeypatch.setattr(automatic, "MAX_FACTORIZED", 1)
    left = fit(problem, **given).result
    monkeypatch.setattr(methods, "KINK_STEPS", 10**9)
    chosen = fit(problem, **given).result
    assert chosen.notes == ("proximal points by an ascent are used",)
    assert chosen.primal == pytest.approx(plain.primal, rel=2e-7)
    by_rule = fit(problem, solver=6).result
    assert by_rule.notes == plain.notes
    assert left.notes[0] == chosen.notes[0]
    assert left.notes[2:] == plain.notes
    assert "Newton's method over features goes on" in left.notes[1]
    assert left.passes < chosen.passes
    assert left.primal == pytest.approx(plain.primal, rel=2e-7)


@pytest.mark.parametrize("inner", ["adaptive", "theory", 3])
def test_paces_of_inner_problems(signs, fit, inner):
    plain = fit(signs, solver=32, loss="smooth-hinge", gap_tol=1e-6, C=500.0).result
    paced = fit(signs, solver=33, loss="smooth-hinge", gap_tol=1e-6, C=500.0, inner=inner).result
    assert paced.solved
    assert paced.primal == pytest.approx(plain.primal, rel=3e-6)


def test_the_weston_watkins_machine_accelerates_by_itself(small_problem, fit):
    problem = small_problem(n=80, k=4).problem()
    plain = fit(problem, gap_tol=1e-9, C=1000.0, accelerate=False)
    fast = fit(problem, gap_tol=1e-9, C=1000.0)
    assert fast.solver_name == "MCSVM_WW"
    assert fast.result.solved
    assert fast.result.primal == pytest.approx(plain.result.primal, rel=1e-6)
    assert 2 * fast.result.passes < plain.result.passes
    assert not plain.result.notes


def test_columns_far_apart_do_not_defeat_the_weston_watkins_machine(small_problem, fit):
    small = small_problem(n=200, d=8, k=4)
    stretched = small.X * 10.0 ** np.linspace(-2, 2, 8)
    result = fit(Problem.from_arrays(stretched, small.y), gap_tol=1e-6, max_passes=20_000).result
    assert result.solved
    assert result.gap <= 1e-6 * result.primal


def test_the_weston_watkins_machine_solves_raw_columns(data_set, fit):
    result = fit(data_set("pendigits"), gap_tol=1e-6, time_limit=60.0).result
    assert result.gap <= 1e-6 * result.primal


def test_the_plain_descent_is_what_easy_problems_get(small_problem, fit):
    problem = small_problem(n=80, k=4).problem()
    plain, usual = fit(problem, accelerate=False).result, fit(problem).result
    assert usual.solved
    assert not usual.notes
    assert usual.passes <= plain.passes


@pytest.mark.parametrize("loss", ["hinge", "absolute", "epsilon-insensitive", "quantile"])
def test_smoothing_a_loss_that_is_not_smooth(signs, fit, loss):
    rough = fit(signs, solver=32, loss=loss, gap_tol=1e-7, C=0.3)
    smooth = fit(signs, solver=32, loss=loss, gap_tol=1e-7, C=0.3, smoothing=0.5)
    # φ − γ/2 max α² ≤ φ_γ ≤ φ, and no |α| is above 1
    below = 0.3 * signs.n_examples * 0.5 / 2
    assert rough.result.primal - below <= smooth.result.primal < rough.result.primal
    same = fit(signs, solver=32, loss=loss, gap_tol=1e-7, C=0.3, smoothing=0.0)
    assert_array_equal(same.weights, rough.weights)


@pytest.mark.parametrize("loss", ["crammer-singer", "weston-watkins"])
def test_smoothing_a_multiclass_loss(small_problem, fit, loss):
    problem = small_problem(k=3).problem()
    rough = fit(problem, solver=32, loss=loss, gap_tol=1e-7, C=0.3)
    smooth = fit(problem, solver=32, loss=loss, gap_tol=1e-7, C=0.3, smoothing=0.5)
    steep = select(rough.parameter).loss.lipschitz(3)
    below = 0.3 * problem.n_examples * 0.5 / 2 * steep**2
    assert rough.result.primal - below <= smooth.result.primal < rough.result.primal


def test_numbers_of_losses_reach_them(reals):
    for choice, value in (("epsilon", 0.4), ("huber", 0.2), ("quantile", 0.9), ("slope", 3.0)):
        names = [name for name in SCALAR_LOSSES if choice in LOSSES[name].takes]
        assert names
        for name in names:
            default = select(Parameter(solver=32, loss=name)).loss
            given = select(Parameter(solver=32, loss=name, **{choice: value})).loss
            y, margin = (1.0, -2.0) if name in SIGN_LOSSES else (3.0, 0.0)
            assert given.values(y, margin) != default.values(y, margin)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"solver": 32, "loss": "foo"}, "unknown loss 'foo'; there are squared, absolute, eps"),
        ({"solver": 32, "regularizer": "l3"}, "unknown regularizer 'l3'; there are l2, elastic"),
        ({"solver": 8}, "unknown solver type 8; there are 0 .L2R_LR., 1 .L2R_L2LOSS_SVC_DUAL., 2"),
        ({"solver": "x"}, "unknown solver type x; there are"),
        ({"solver": 30, "loss": "hinge"}, "loss has no effect with solver 30: it is for solver 32"),
        (
            {"solver": 30, "regularizer": "l2"},
            "regularizer has no effect with solver 30: it is for solver 32",
        ),
        ({"l1": 1.0}, "l1 has no effect with solver 1: it is for regularizer elastic-net"),
        ({"epsilon": 0.1}, "epsilon has no effect with solver 1: it is for loss epsilon-"),
        ({"smoothing": 0.1}, "smoothing has no effect with solver 1"),
        (
            {"solver": 32, "block": "walrus"},
            "block has no effect with solver 32: it is for solver 30 or 31",
        ),
        ({"solver": 32, "l1": 1.0}, "l1 has no effect with regularizer l2: it is for regul"),
        ({"solver": 32, "regularizer": "elastic-net"}, "elastic-net needs l1"),
        (
            {"solver": "auto", "loss": "squared", "regularizer": "l1", "l1": 0},
            "l1 is 0; regularizer l1 needs it positive",
        ),
        (
            {"solver": 32, "loss": "squared", "regularizer": "l1", "l1": 1},
            "solver 32 needs a strongly convex reg.* l1 is not; it takes l2, elastic-net$",
        ),
        (
            {"solver": 32, "epsilon": 0.1},
            "epsilon has no effect with loss hinge: it is for loss eps",
        ),
        ({"solver": 32, "huber": 0.1}, "huber has no effect with loss hinge: it is for loss h"),
        ({"solver": 32, "quantile": 0.1}, "quantile has no effect with loss hinge"),
        ({"solver": 32, "slope": 3.0}, "slope has no effect with loss hinge: it is for loss gen"),
        ({"solver": 32, "loss": "logistic", "smoothing": 1.0}, "smoothing has no effect with"),
        ({"solver": 32, "loss": "huber", "smoothing": 1.0}, "smoothing has no effect with"),
        ({"solver": 32, "smoothing": -1.0}, "smoothing is -1.0, it must be at least 0"),
        ({"solver": 32, "smoothing": np.inf}, "smoothing is inf, it must be at least 0"),
        ({"solver": 32, "loss": "smooth-hinge", "smoothing": 0.0}, "smoothing is 0; loss smooth-"),
        ({"solver": 32, "loss": "huber", "huber": 0.0}, "huber is 0.0, it must be positive"),
        (
            {"solver": 32, "loss": "generalized-hinge", "slope": 1.0},
            "slope is 1.0, it must lie between 1 and",
        ),
        ({"solver": 32, "loss": "quantile", "quantile": 1.0}, "quantile is 1.0, it must lie betw"),
        ({"solver": 32, "loss": "quantile", "quantile": np.nan}, "quantile is nan, it must lie"),
        (
            {"solver": 32, "loss": "epsilon-insensitive", "epsilon": -0.1},
            "epsilon is -0.1, it must be at least 0",
        ),
        (
            {"solver": 32, "regularizer": "elastic-net", "l1": -0.1},
            "l1 is -0.1, it must be at least 0",
        ),
        ({"solver": 32, "option": "VI"}, "unknown option 'VI'; there are I, II, III, IV, V"),
        ({"solver": 32, "sampling": "x"}, "unknown sampling 'x'; there are permutation, uniform"),
        (
            {"solver": 32, "accelerate": True},
            "accelerate has no effect with solver 32: it is for solver",
        ),
        (
            {"solver": 32, "inner": 3},
            "inner has no effect with solver 32: it is for solver 30 or 33",
        ),
        ({"solver": 33, "inner": 0}, "inner is 0, it must be adaptive, theory or a number of pass"),
        ({"solver": 33, "inner": "x"}, "inner is 'x', it must be adaptive, theory or a number of"),
        (
            {"solver": 30, "inner": 3, "accelerate": False},
            "inner has no effect with accelerate False and solver 30",
        ),
        (
            {"solver": 33, "free_bias": True},
            "free_bias has no effect with solver 33: it is for solver 0, 2, 5, 6, 11, 30, 31, 32, "
            "34, 35, 36, 37, 38, 39, 40, 42, newton or auto",
        ),
        ({"option": "I"}, "option has no effect with solver 1: it is for solver 32"),
        (
            {"solver": "auto", "sampling": "uniform"},
            "sampling has no effect with solver auto: it is",
        ),
        (
            {"solver": 32, "loss": "weston-watkins", "averaging": True},
            "averaging has no effect with loss weston-watkins: it is for losses of one score",
        ),
        ({"solver": 32, "C": 0.0}, "C is 0.0, it must be positive"),
        (
            {"solver": 32, "loss": "squared", "class_weights": {1: 2.0}},
            "class_weights has no effect with loss squared",
        ),
    ],
)
def test_choices_that_cannot_be_meant(choices, message):
    with pytest.raises(ValueError, match=message):
        Parameter(**choices).check()


def test_labels_outside_a_domain(reals, fit):
    for loss in SIGN_LOSSES | CLASS_LOSSES:
        with pytest.raises(ValueError, match="is not a whole number of 32 bits, as classification"):
            fit(reals, solver=32, loss=loss)


@pytest.mark.parametrize("loss", SIGN_LOSSES | CLASS_LOSSES)
def test_one_class_is_refused(fit, loss):
    problem = Problem.from_arrays(np.eye(3), [2, 2, 2])
    with pytest.raises(ValueError, match="all 3 examples have label 2: this solver type takes"):
        fit(problem, solver=32, loss=loss)


@pytest.mark.parametrize("loss", list(LOSSES))
def test_examples_of_zeros_are_solved(fit, loss):
    problem = Problem.from_arrays(np.zeros((6, 2)), [0, 1, 0, 1, 2, 2])
    model = fit(problem, solver=32, loss=loss, gap_tol=1e-9)
    assert (model.weights == 0).all()
    assert -1e-12 <= model.result.gap <= model.result.target
