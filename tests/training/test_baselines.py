"""Pegasos and FISTA by their numbers, with their choices."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rrmlinear
from rrmlinear import Model, Parameter, Problem


@pytest.mark.parametrize("choices", [{"regularizer": "l2"}, {"regularizer": "elastic-net"}])
@pytest.mark.parametrize("loss", ["smooth-hinge", "squared-hinge", "logistic"])
def test_fista_has_the_optimum_of_the_ascent(signs, fit, loss, choices):
    choices = choices | ({"l1": 0.7} if choices["regularizer"] == "elastic-net" else {})
    models = [fit(signs, solver=s, loss=loss, gap_tol=1e-10, **choices) for s in (32, 42)]
    assert models[1].result.primal == pytest.approx(models[0].result.primal, rel=1e-9)
    assert_allclose(models[1].weights, models[0].weights, atol=1e-4)


def test_fista_smooths_what_it_is_told_to(signs, fit):
    models = [fit(signs, solver=s, loss="hinge", smoothing=0.25, gap_tol=1e-9) for s in (32, 42)]
    assert models[1].result.primal == pytest.approx(models[0].result.primal, rel=1e-8)
    with pytest.raises(
        ValueError,
        match="solver 42 needs a smooth loss, and loss hinge has a kink: choose a smoothing",
    ):
        fit(signs, solver=42, loss="hinge")


@pytest.mark.parametrize(
    ("loss", "smoothing"),
    [("softmax", None), ("smooth-crammer-singer", None), ("weston-watkins", 0.5)],
)
def test_fista_takes_losses_of_all_classes(small_problem, fit, loss, smoothing):
    problem = small_problem().problem()
    choices = {"loss": loss, "smoothing": smoothing, "gap_tol": 1e-9}
    models = [fit(problem, solver=s, **choices) for s in (32, 42)]
    assert models[1].result.primal == pytest.approx(models[0].result.primal, rel=1e-8)
    assert_allclose(models[1].weights, models[0].weights, atol=1e-3)
    warmer = fit(problem, solver=32, start=models[1], **choices)
    assert warmer.result.passes < models[0].result.passes / 2


@pytest.mark.parametrize("loss", ["squared-hinge", "logistic"])
def test_fista_takes_regularizers_without_strong_convexity(signs, fit, loss):
    choices = {"solver": 42, "loss": loss, "gap_tol": 1e-9}
    sparse = fit(signs, regularizer="l1", l1=6.0, **choices)
    assert sparse.result.solved
    assert np.count_nonzero(sparse.weights) < 5
    penalty = fit(signs, regularizer="elastic-net", l1=0.7, **choices)
    w = penalty.weights
    radius = 0.7 * np.abs(w).sum() + (w**2).sum() / 2
    ball = fit(signs, regularizer="elastic-ball", l1=0.7, radius=float(radius), **choices)
    assert_allclose(ball.weights, w, atol=1e-4)
    assert ball.result.primal == pytest.approx(penalty.result.primal - radius, rel=1e-7)


@pytest.mark.parametrize("loss", ["smooth-hinge", "logistic", "huber"])
def test_fista_leaves_the_bias_free(signs, fit, loss):
    problem = Problem.from_arrays(signs.to_scipy().toarray() + 1, signs.labels, bias=1.0)
    choices = {"loss": loss, "free_bias": True, "gap_tol": 1e-9, "C": 0.5}
    models = [fit(problem, solver=s, **choices) for s in (42, 32)]
    assert models[0].result.primal == pytest.approx(models[1].result.primal, rel=1e-8)
    assert_allclose(models[0].weights, models[1].weights, atol=1e-3)
    sparse = fit(problem, solver=42, regularizer="l1", l1=1.0, **choices)
    assert sparse.result.solved
    assert sparse.weights.shape == (6, 1)


def test_the_lasso_is_one_problem_by_either_solver(signs, fit):
    choices = {"loss": "squared", "regularizer": "l1", "l1": 3.0, "gap_tol": 1e-11}
    models = [fit(signs, solver=s, **choices) for s in (42, "auto")]
    assert models[0].result.primal == pytest.approx(models[1].result.primal, rel=1e-10)
    assert_allclose(models[0].weights, models[1].weights, atol=1e-5)


@pytest.mark.parametrize("loss", ["hinge", "squared-hinge", "logistic"])
def test_cutting_planes_have_the_optimum_of_the_ascent(signs, fit, loss):
    choices = {"loss": loss, "regularizer": "elastic-net", "l1": 0.5, "C": 0.3}
    best = fit(signs, solver=32, gap_tol=1e-10, **choices).result.primal
    passes = {}
    for number, tolerance in ((39, 1e-9), (40, 1e-2)):
        for search in ("ocas", "none"):
            result = fit(
                signs, solver=number, gap_tol=tolerance, line_search=search, **choices
            ).result
            assert result.solved
            assert -1e-9 * best <= result.primal - best <= tolerance * max(1, best)
            passes[number, search] = result.passes
        default = fit(signs, solver=number, gap_tol=tolerance, **choices).result
        assert default.passes == passes[number, "ocas" if number == 39 else "none"]


@pytest.mark.parametrize("loss", ["weston-watkins", "crammer-singer", "softmax"])
def test_cutting_planes_take_losses_of_all_classes(small_problem, fit, loss):
    problem = small_problem(n=60, d=5, k=4).problem()
    best = fit(problem, solver=32, loss=loss, gap_tol=1e-10).result.primal
    found = fit(problem, solver=39, loss=loss, gap_tol=1e-8).result
    assert found.primal == pytest.approx(best, rel=2e-8)


@pytest.mark.parametrize("batch", [None, 8, 80])
@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_pegasos_comes_near_the_optimum(signs, fit, loss, batch):
    exact = fit(signs, solver=32, loss=loss, gap_tol=1e-9, C=0.1).result
    for averaging in (None, True):
        found = fit(
            signs,
            solver=41,
            loss=loss,
            gap_tol=1e-2,
            C=0.1,
            batch=batch,
            averaging=averaging,
            max_passes=2000,
        ).result
        assert found.gap <= 1e-2 * max(1, found.primal)
        assert -1e-8 <= found.primal - exact.primal <= found.gap


@pytest.mark.parametrize(
    ("number", "name"), [(39, "BMRM"), (40, "LS_BMRM"), (41, "PEGASOS"), (42, "FISTA")]
)
def test_their_models_are_written_and_read(small_problem, fit, tmp_path, number, name):
    problem = small_problem().problem()
    model = fit(problem, solver=number, loss="squared-hinge", max_passes=20)
    assert model.weights.shape == (6, 4)  # one class against the rest
    model.save(tmp_path / "model")
    again = Model.load(tmp_path / "model")
    assert again.solver_name == name
    assert (again.predict(problem) == model.predict(problem)).all()


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"solver": 32, "batch": 4}, "batch has no effect with solver 32: it is for solver 41"),
        (
            {"solver": 32, "line_search": "ocas"},
            "line_search has no effect with solver 32: it is for solver 39 or 40",
        ),
        (
            {"solver": 39, "line_search": "wolfe"},
            "unknown line_search 'wolfe'; there are ocas, none",
        ),
        (
            {"solver": 39, "regularizer": "l1", "l1": 1.0},
            "solver 39 needs a strongly convex regularizer, and regularizer l1 is not; it takes",
        ),
        ({"solver": 41, "batch": 0}, "batch is 0, it must be a whole number of at least 1"),
        (
            {"solver": 41, "loss": "weston-watkins"},
            "solver 41 needs losses of one score, and loss weston-watkins has several",
        ),
        (
            {"solver": 33, "regularizer": "elastic-ball", "l1": 1.0, "radius": 1.0},
            "radius has no effect with solver 33: it is for solver 35, 36, 37, 38, 42, newton or "
            "auto",
        ),
        (
            {"solver": 42, "regularizer": "elastic-ball", "l1": 1.0},
            "regularizer elastic-ball needs radius, the bound R of elastic-ball",
        ),
        (
            {"solver": 42, "regularizer": "elastic-ball", "radius": 1.0},
            "regularizer elastic-ball needs l1, the factor S of the 1-norm",
        ),
        (
            {"solver": 42, "regularizer": "l1", "l1": 1.0, "radius": 1.0},
            "l1 has no effect with radius of regularizer l1",
        ),
        (
            {"solver": 42, "regularizer": "elastic-ball", "l1": 1.0, "radius": 0.0},
            "radius is 0.0, it must be positive and finite",
        ),
    ],
)
def test_choices_they_do_not_have_are_refused(choices, message):
    with pytest.raises(ValueError, match=message):
        Parameter(**choices).check()


def test_pegasos_refuses_the_elastic_net(signs, fit):
    with pytest.raises(
        ValueError,
        match="needs the squared norm alone, and regularizer elastic-net is a different one",
    ):
        fit(signs, solver=41, regularizer="elastic-net", l1=1.0)


def test_a_start_that_would_have_no_effect_is_refused(signs):
    with pytest.raises(ValueError, match="solver 41 begins at weights of zero"):
        rrmlinear.fit(signs, Parameter(solver=41), start=np.zeros(80))
