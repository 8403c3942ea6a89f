"""Each label's problem is that of one class against the rest, with a certificate that holds."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import make_multilabel_classification

from rrmlinear import MultilabelProblem, Parameter, Problem, fit, fit_labels
from rrmlinear.core.records import replace
from rrmlinear.training.fit import NotSolvedWarning
from tests.support.label_problems import problem_of

LOSSES = ["squared-hinge", "hinge", "logistic", "smooth-hinge"]


def values_of(loss, y, scores):
    slack = 1 - y * scores
    return {
        "squared-hinge": np.maximum(slack, 0) ** 2,
        "hinge": np.maximum(slack, 0),
        "logistic": np.logaddexp(0, -y * scores),
        "smooth-hinge": np.where(slack <= 0, 0, np.where(slack < 1, slack**2 / 2, slack - 0.5)),
    }[loss]


def alone(X, Y, j, weights, **asked):
    """The result of label j by `fit`."""
    y = np.where(Y[:, j], 1, -1)
    return fit(Problem.from_arrays(X, y, weights, bias=1.0), Parameter(**asked)).result


def objectives(model, X, Y, costs, loss, is_free=False):
    """The objective of each label's weights as they are, in double precision."""
    weights = model.weights.toarray().astype(np.float64)
    y = np.where(Y, 1.0, -1.0)
    losses = values_of(loss, y, X @ weights + model.intercepts)
    bias = 0 if is_free or model.bias < 0 else (model.intercepts / model.bias) ** 2
    return ((weights**2).sum(axis=0) + bias) / 2 + (costs * losses).sum(axis=0)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("bias", [-1.0, 0.5])
@pytest.mark.parametrize("tolerance", [1e-2, 1e-3, 1e-6])
def test_the_certificate_holds_for_the_weights(loss, bias, tolerance):
    problem, X, Y, weights = problem_of(bias=bias)
    model = fit_labels(problem, Parameter(loss=loss, C=2.0, gap_tol=tolerance))
    result = model.result
    assert result.solved
    exact = objectives(model, X, Y, 2 * weights[:, None], loss)
    np.testing.assert_allclose(exact, result.primal, rtol=1e-12)
    assert (result.gap <= tolerance * result.primal).all()
    best = fit_labels(problem, Parameter(loss=loss, C=2.0, gap_tol=1e-9)).result.primal
    assert (result.dual <= best * (1 + 1e-9)).all()
    assert (exact >= best * (1 - 1e-9)).all()


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("tolerance", [1e-3, 1e-5])
def test_the_certificate_holds_on_rows_that_are_alike(loss, tolerance):
    random = np.random.default_rng(3)
    X = csr_array(3 + random.random((80, 12)))  # slow passes
    Y = (X.toarray() - 3.5) @ random.standard_normal((12, 19)) > random.standard_normal((80, 19))
    problem = MultilabelProblem.from_arrays(X, Y, bias=1.0)
    model = fit_labels(problem, Parameter(loss=loss, C=5.0, gap_tol=tolerance))
    exact = objectives(model, X, Y, np.full((80, 1), 5.0), loss)
    np.testing.assert_allclose(exact, model.result.primal, rtol=1e-9)
    assert model.result.solved
    assert (model.result.gap <= 1.01 * tolerance * exact).all()


@pytest.mark.parametrize("asked", [{}, {"loss": "hinge"}, {"free_bias": True, "C": 10.0}])
def test_primal_and_dual_are_those_of_double_precision(asked):
    problem, X, Y, weights = problem_of(n=300, k=33)
    asked = Parameter(**{"loss": "squared-hinge", "gap_tol": 1e-3, **asked})
    result = (model := fit_labels(problem, asked, keeps_duals=True)).result
    costs, y = asked.C * weights[:, None], np.where(Y, 1.0, -1.0)
    exact = objectives(model, X, Y, costs, asked.loss, asked.free_bias)
    np.testing.assert_allclose(result.primal, exact, rtol=1e-12)
    duals = result.duals.toarray().astype(np.float64)
    if asked.free_bias:  # duals of one side are shortened for it
        return
    conjugates = y * duals - (duals**2 / 4 if asked.loss == "squared-hinge" else 0)
    sums = np.hstack([X.toarray(), np.ones((300, 1))]).T @ (costs * duals)
    dual = (costs * conjugates).sum(axis=0) - (sums**2).sum(axis=0) / 2
    np.testing.assert_allclose(result.dual, dual, rtol=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_optimum_is_that_of_one_label_alone(loss):
    problem, X, Y, weights = problem_of(k=5)
    model = fit_labels(problem, Parameter(loss=loss, gap_tol=1e-8))
    for j in range(5):
        other = alone(X, Y, j, weights, loss=loss, gap_tol=1e-8)
        assert model.result.primal[j] == pytest.approx(other.primal, rel=2e-8)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("tolerance", [1e-2, 1e-6])
def test_a_free_intercept_has_a_certificate(loss, tolerance):
    problem, X, Y, weights = problem_of()
    asked = Parameter(loss=loss, free_bias=True, gap_tol=tolerance)
    result = (model := fit_labels(problem, asked)).result
    assert result.solved
    exact = objectives(model, X, Y, weights[:, None], loss, is_free=True)
    np.testing.assert_allclose(exact, result.primal, rtol=1e-12)
    for j in (0, 7):
        solver = "newton" if loss != "hinge" else "auto"
        asked = {"solver": solver, "loss": loss, "free_bias": True, "gap_tol": 1e-8}
        other = alone(X, Y, j, weights, **asked)
        assert result.dual[j] <= other.primal * (1 + 1e-9)
        assert exact[j] >= other.dual * (1 - 1e-9)


@pytest.mark.parametrize("kind", ["csr", "dense", "csr32", "dense32"])
def test_all_kinds_of_rows_agree(kind):
    dtype = np.float32 if kind.endswith("32") else np.float64
    problem, *_ = problem_of(dense=kind.startswith("dense"), dtype=dtype)
    plain, *_ = problem_of()
    found, expected = (
        fit_labels(each, Parameter(gap_tol=1e-7)).result for each in (problem, plain)
    )
    np.testing.assert_allclose(
        found.primal, expected.primal, rtol=1e-5 if dtype == np.float32 else 2e-7
    )


@pytest.mark.parametrize("asked", [{}, {"loss": "logistic", "free_bias": True}])
def test_threads_give_the_same_bits(asked):
    problem, *_ = problem_of(k=70)
    one, two = (fit_labels(problem, Parameter(threads=t, **asked)) for t in (1, 2))
    assert (one.weights != two.weights).nnz == 0
    assert (one.intercepts == two.intercepts).all()
    assert (one.result.dual == two.result.dual).all()


def test_rows_of_long_values_are_solved():
    _, X, Y, weights = problem_of()
    long = MultilabelProblem.from_arrays(1000 * X, Y, weights, bias=1.0)
    result = (model := fit_labels(long, Parameter(C=1e-3, gap_tol=1e-3))).result
    assert result.solved
    exact = objectives(model, 1000 * X, Y, 1e-3 * weights[:, None], "squared-hinge")
    np.testing.assert_allclose(exact, result.primal, rtol=1e-11)


@pytest.mark.parametrize("asked", [{}, {"loss": "logistic", "free_bias": True}])
def test_pruned_weights_have_a_certificate_of_their_own(asked):
    problem, X, Y, weights = problem_of()
    whole = fit_labels(problem, Parameter(gap_tol=1e-4, **asked))
    model = fit_labels(problem, Parameter(gap_tol=1e-4, **asked), prune=0.3)
    kept = np.abs(model.weights.data)
    assert kept.min() >= 0.3
    assert model.weights.nnz < 0.8 * whole.weights.nnz
    loss = asked.get("loss", "squared-hinge")
    exact = objectives(model, X, Y, weights[:, None], loss, bool(asked))
    np.testing.assert_allclose(exact, model.result.primal, rtol=1e-12)
    assert (model.result.proven <= 1e-4 * whole.result.primal * 1.01).all()
    worse = model.result.gap > 1e-4 * model.result.primal
    assert worse.any()  # the gap given is that of the weights that are left
    assert (model.result.dual <= whole.result.primal * (1 + 1e-9)).all()
    moved = model.intercepts + 1e-3
    other = objectives(replace(model, intercepts=moved), X, Y, weights[:, None], loss, bool(asked))
    assert (other >= exact * (1 - 1e-9)).all()  # the bias fits the weights that are left


@pytest.mark.parametrize("is_free", [False, True])
def test_labels_that_end_by_another_solver_are_pruned_too(is_free):
    X, Y = make_multilabel_classification(400, 30, n_classes=21, random_state=0)
    X = X / X.max()
    asked = Parameter(loss="hinge", gap_tol=1e-6, free_bias=is_free)
    model = fit_labels(MultilabelProblem.from_arrays(X, Y, bias=1.0), asked, prune=0.3)
    assert model.result.passes.max() > 345  # passes that labels share
    assert np.abs(model.weights.data).min() >= 0.3
    exact = objectives(model, X, Y, 1.0, "hinge", is_free)
    np.testing.assert_allclose(exact, model.result.primal, rtol=1e-9)
    assert (model.result.proven <= 1e-6 * model.result.primal).all()


def test_costs_of_labels_and_of_rows_with_them():
    problem, X, Y, weights = problem_of(k=4)
    costs, factor = np.array([1.0, 2.0, 0.5, 1.0]), np.array([1.0, 3.0, 1.0, 0.25])
    model = fit_labels(problem, Parameter(gap_tol=1e-8), costs=costs, positive_weight=factor)
    each = weights[:, None] * costs * np.where(Y, factor, 1.0)
    for j in range(4):
        other = alone(X, Y, j, each[:, j], loss="squared-hinge", gap_tol=1e-8)
        assert model.result.primal[j] == pytest.approx(other.primal, rel=3e-8)


@pytest.mark.parametrize(
    "asked", [{"regularizer": "l1"}, {"regularizer": "elastic-net", "l1": 0.5}]
)
def test_other_regularizers_take_label_after_label(asked):
    problem, X, Y, weights = problem_of(k=4)
    model = fit_labels(problem, Parameter(loss="squared-hinge", gap_tol=1e-6, **asked))
    assert model.result.solved
    other = alone(X, Y, 2, weights, loss="squared-hinge", gap_tol=1e-6, **asked)
    assert model.result.primal[2] == pytest.approx(other.primal, rel=2e-6)
    said = r"prune is 0\.3; weights are dropped under the regularizer l2"
    with pytest.raises(ValueError, match=said):
        fit_labels(problem, Parameter(loss="squared-hinge", **asked), prune=0.3)


def test_labels_of_no_row_or_all_have_no_problem():
    X = np.random.default_rng(0).normal(size=(30, 4))
    Y = np.zeros((30, 3), int)
    Y[:, 1], Y[:5, 2] = 1, 1
    model = fit_labels(MultilabelProblem.from_arrays(X, Y, bias=1.0), Parameter())
    assert model.intercepts[:2].tolist() == [-1, 1]
    assert model.weights[:, [0, 1]].nnz == 0
    assert model.result.notes == ("2 labels are of no row or of all rows: their score is -1 or 1",)
    assert model.result.solved
    counted = np.arange(30) > 4  # label 2 is of no other row, and label 1 of all others
    Y[0, 1] = 0
    problem = MultilabelProblem.from_arrays(X, Y, counted.astype(float), bias=1.0)
    assert fit_labels(problem, Parameter()).intercepts.tolist() == [-1, 1, -1]


def test_a_caller_stops_the_run():
    problem, *_ = problem_of(k=70)
    seen = []

    def see(name, end):
        seen.append((name, end.primal, end.dual, end.has_ended))
        return len(seen) == 5

    with pytest.warns(NotSolvedWarning, match="the caller asked to stop .* 38 of 70|of 70 labels"):
        model = fit_labels(problem, Parameter(), see)
    reached = np.isin(np.arange(70), [name for name, *_ in seen])
    assert 5 <= reached.sum() < 70
    assert model.result.ended.tolist() == reached.tolist()
    assert model.weights[:, ~reached].nnz == 0
    y = np.where(problem.labels.matrix().toarray(), 1, -1)
    at_zero = (problem.weights[:, None] * np.ones_like(y)).sum(axis=0)
    np.testing.assert_allclose(model.result.primal[~reached], at_zero[~reached])
    assert not model.result.dual[~reached].any()


def test_a_time_limit_leaves_a_certificate():
    problem, X, Y, weights = problem_of(n=400, k=200)
    with pytest.warns(NotSolvedWarning, match="the time limit was reached"):
        model = fit_labels(problem, Parameter(gap_tol=1e-9, time_limit=1e-3))
    exact = objectives(model, X, Y, weights[:, None], "squared-hinge")
    np.testing.assert_allclose(exact, model.result.primal, rtol=1e-9)
    assert (model.result.gap >= 0).all()


def test_a_limit_that_is_not_reached_changes_nothing():
    problem, *_ = problem_of()
    free, limited = (fit_labels(problem, Parameter(time_limit=t)) for t in (None, 1e4))
    assert (free.weights != limited.weights).nnz == 0


def test_a_pass_limit_is_told():
    problem, *_ = problem_of()
    with pytest.warns(NotSolvedWarning, match="the limit on passes was reached"):
        model = fit_labels(problem, Parameter(loss="hinge", gap_tol=1e-9, max_passes=7))
    assert model.result.passes.max() == 7


@pytest.mark.parametrize(
    ("asked", "more", "said"),
    [
        ({"loss": "weston-watkins"}, {}, "no loss of two classes"),
        ({"class_weights": {1: 2.0}}, {}, "the factor of rows with a label is positive_weight"),
        ({}, {"prune": -1.0}, "prune is -1.0; it must be a finite number of at least 0"),
        ({}, {"costs": [1.0, 2.0]}, "costs has shape"),
        ({}, {"positive_weight": -1.0}, "positive_weight must be finite and at least 0"),
    ],
)
def test_wrong_arguments_are_named(asked, more, said):
    problem, *_ = problem_of(k=3)
    with pytest.raises(ValueError, match=said):
        fit_labels(problem, Parameter(**asked), **more)


def test_another_kind_of_problem_is_refused():
    with pytest.raises(
        TypeError, match="fit_labels takes a MultilabelProblem, not Problem: fit takes"
    ):
        fit_labels(Problem.from_arrays(np.eye(2), [1, 2]), Parameter())
    problem, *_ = problem_of(k=3)
    with pytest.raises(TypeError, match="fit takes a Problem, not MultilabelProblem: fit_labels"):
        fit(problem, Parameter())


def test_rounding_of_scores_at_kinks_is_in_the_gap():
    # costs are large beside the objective, and duals lie between their bounds
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, has = rng.normal(size=(30, 40)) * 100, rng.random((30, 16)) < 0.3
        has[0], has[1] = True, False
        problem = MultilabelProblem.from_arrays(X, has)
        model = fit_labels(problem, Parameter(loss="hinge", C=100.0, gap_tol=1e-3))
        w = model.weights.toarray().astype(np.float64)
        slack = np.maximum(1 - np.where(has, 1, -1) * (X @ w), 0)
        primal = (w * w).sum(axis=0) / 2 + 100 * slack.sum(axis=0)
        assert model.result.solved
        assert (primal - model.result.dual <= 1e-3 * primal * (1 + 1e-6)).all()


def test_slow_labels_are_pruned_alike_by_threads():
    rng = np.random.default_rng(0)
    X, has = rng.normal(size=(60, 36)), rng.random((60, 32)) < 0.4
    problem = MultilabelProblem.from_arrays(X, has)
    for loss in ("hinge", "logistic"):
        one = fit_labels(problem, Parameter(loss=loss, C=100.0), prune=0.1)
        two = fit_labels(problem, Parameter(loss=loss, C=100.0, threads=2), prune=0.1)
        assert (one.weights != two.weights).nnz == 0
        assert np.array_equal(one.result.primal, two.result.primal)
