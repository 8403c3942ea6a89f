"""Sequences trained: optimum, certificate, solvers, choices and starts."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array

from rrmlinear import Parameter, fit
from rrmlinear.catalog.errors import ChoiceError
from rrmlinear.data.sequences import SequenceProblem
from rrmlinear.training.chains import fit_sequences
from tests.training.chain_cases import LENGTHS, D, K, made, objective


@pytest.mark.parametrize("bias", [-1.0, 1.0])
def test_the_crf_against_an_optimizer(bias):
    X, y, problem = made(weights=[1, 2, 0, 1, 1, 3, 1, 1], bias=bias)
    model = fit_sequences(problem, Parameter(loss="crf", C=0.7, gap_tol=1e-9))
    if bias >= 0:
        X = [np.column_stack([part, np.full(len(part), bias)]) for part in X]
    costs = 0.7 * problem.weights
    found = minimize(
        objective, np.zeros(X[0].shape[1] * K + K * K), (X, y, costs, "crf"), tol=1e-10
    )
    w = np.concatenate([model.weights.ravel(), model.transitions.ravel()])
    assert model.result.primal == pytest.approx(found.fun, rel=1e-7)
    assert objective(w, X, y, costs, "crf") == pytest.approx(model.result.primal, rel=1e-9)
    np.testing.assert_allclose(w, found.x, atol=1e-4)


def test_the_m3n_has_its_objective_and_no_better_point_nearby():
    X, y, problem = made()
    model = fit_sequences(problem, Parameter(loss="m3n", C=0.7, gap_tol=1e-7))
    costs = np.full(len(X), 0.7)
    w = np.concatenate([model.weights.ravel(), model.transitions.ravel()])
    assert objective(w, X, y, costs, "m3n") == pytest.approx(model.result.primal, rel=1e-9)
    assert 0 <= model.result.gap <= 1e-7 * model.result.primal
    chance = np.random.default_rng(1)
    for step in (1e-3, 0.1, 1.0):
        other = w + step * chance.normal(size=len(w))
        assert objective(other, X, y, costs, "m3n") >= model.result.dual


@pytest.mark.parametrize(
    ("loss", "solver", "tol"),
    [
        *(("crf", s, 1e-6) for s in ("auto", "lbfgs", "newton-cg", "marginals", 35, 36, 39, 40)),
        *(("m3n", s, 1e-6) for s in ("auto", "bcfw", 39)),
        ("m3n", 35, 1e-4),
        ("m3n", 36, 1e-3),
        ("m3n", 40, 1e-3),
    ],
)
def test_solvers_agree(loss, solver, tol):
    _, _, problem = made(2)
    best = fit_sequences(problem, Parameter(loss=loss, gap_tol=1e-7)).result.primal
    asked = Parameter(loss=loss, solver=solver, gap_tol=tol, max_passes=20_000)
    result = fit_sequences(problem, asked).result
    assert result.solved
    assert best * (1 - 1e-7) <= result.primal <= best * (1 + tol)
    assert result.dual <= best


def repeated(seed=3):
    """Sequences of 12 sparse columns of which some hold nothing and some are equal."""
    chance = np.random.default_rng(seed)
    X = [(chance.random((n, 12)) < 0.3).astype(float) for n in LENGTHS]
    for part in X:
        part[:, [2, 6]] = 0
        part[:, [8, 9, 11]] = part[:, [0]]
    y = [np.array([2, 5, 9])[chance.integers(0, 3, n)] for n in LENGTHS]
    problems = [
        SequenceProblem.from_lists([kind(part) for part in X], y, labels=(2, 5, 9), bias=1.0)
        for kind in (csr_array, np.asarray)
    ]
    return X, y, *problems


@pytest.mark.parametrize(
    ("loss", "more"),
    [
        ("crf", {}),
        ("m3n", {}),
        ("crf", {"regularizer": "elastic-net", "l1": 0.2}),
        ("crf", {"regularizer": "l1", "l1": 0.5}),
        ("crf", {"regularizer": "l2-norm"}),
        ("crf", {"regularizer": "linf"}),
        ("crf", {"lower": 0.1}),
        ("crf", {"regularizer": "group-lasso", "groups": np.arange(12) // 3}),
    ],
)
def test_columns_that_are_alike(loss, more):
    _, _, sparse, dense = repeated()
    choices = Parameter(loss=loss, C=0.5, gap_tol=1e-4, max_passes=20_000, **more)
    one, other = fit_sequences(sparse, choices), fit_sequences(dense, choices)
    assert one.result.solved
    assert other.result.solved
    assert one.result.primal == pytest.approx(other.result.primal, rel=3e-4)
    assert one.weights.shape == other.weights.shape == (13, 3)
    assert one.result.weights.shape == other.result.weights.shape
    if "lower" in more:
        assert (one.weights[:12] >= 0.1).all()
    else:
        np.testing.assert_array_equal(one.weights[[2, 6]], 0)
    if not more:
        np.testing.assert_array_equal(one.weights[[8, 9, 11]], one.weights[[0, 0, 0]])


@pytest.mark.parametrize("loss", ["crf", "m3n"])
def test_a_warm_start_with_columns_that_are_alike(loss):
    _, _, sparse, _ = repeated()
    choices = Parameter(loss=loss, gap_tol=1e-5)
    first = fit_sequences(sparse, choices)
    again = fit_sequences(sparse, choices, start=first)
    assert again.result.trace[0].relative_gap < 1e-4 < first.result.trace[0].relative_gap
    assert again.result.primal == pytest.approx(first.result.primal, rel=1e-5)


@pytest.mark.parametrize(
    ("loss", "solver"),
    [
        *(("crf", solver) for solver in ("auto", "lbfgs", "newton-cg", 35, 36, 39)),
        ("m3n", "auto"),
        ("m3n", 39),
    ],
)
def test_weights_of_observed_pairs(loss, solver):
    X, y, sparse, dense = repeated()
    choices = {"loss": loss, "observed": True, "gap_tol": 1e-4, "max_passes": 20_000}
    best = fit_sequences(dense, Parameter(**choices))
    model = fit_sequences(sparse, Parameter(solver=solver, **choices))
    assert model.result.solved
    assert model.result.primal == pytest.approx(best.result.primal, rel=2e-4)
    rows = np.column_stack([np.concatenate(X), np.ones(sum(LENGTHS))])
    labels = np.concatenate(y)
    occur = np.array([(rows[labels == each] != 0).any(axis=0) for each in (2, 5, 9)]).T
    assert not occur.all()
    np.testing.assert_array_equal(model.weights[~occur], 0)
    w = np.concatenate([model.weights.ravel(), model.transitions.ravel()])
    with_ones = [np.column_stack([part, np.ones(len(part))]) for part in X]
    value = objective(w, with_ones, y, np.ones(len(X)), loss)
    assert value == pytest.approx(model.result.primal, rel=1e-9)
    again = fit_sequences(sparse, Parameter(**choices), start=model)
    assert again.result.primal == pytest.approx(best.result.primal, rel=2e-4)


def test_observed_pairs_are_for_some_solvers_and_choices():
    _, _, problem = made()
    for more, message in (
        ({"solver": "bcfw"}, "observed has no effect with solver bcfw"),
        ({"solver": "marginals"}, "observed has no effect with solver marginals"),
        ({"lower": 0.0}, "observed has no effect with lower"),
    ):
        choices = {"loss": "m3n", "smoothing": None, **more}
        if more.get("solver") == "marginals":
            choices["loss"] = "crf"
        with pytest.raises(ChoiceError, match=message):
            fit_sequences(problem, Parameter(observed=True, **choices))


def test_a_smoothed_hinge():
    _, _, problem = made(2)
    results = [
        fit_sequences(problem, Parameter(loss="m3n", smoothing=0.1, solver=solver, gap_tol=1e-5))
        for solver in ("auto", 35, 39)
    ]
    for each in results:
        assert each.result.solved
        assert each.result.primal == pytest.approx(results[0].result.primal, rel=1e-4)


def test_the_m3n_with_the_1_norm():
    _, _, problem = made(2)
    lasso = Parameter(loss="m3n", regularizer="l1", l1=0.5, gap_tol=1e-3)
    result = fit_sequences(problem, lasso).result
    assert result.solved
    assert (result.weights == 0).any()


@pytest.mark.parametrize(
    "choices",
    [
        {"regularizer": "group-lasso", "groups": [0, 0, 1, 1]},
        {"regularizer": "elastic-net", "l1": 0.5, "lower": 0.0},
        {"regularizer": "elastic-net", "l1": 0.5, "upper": [0.1, 0.0, 1.0, 1.0]},
        {"unpenalized": [1]},
    ],
)
def test_choices_of_columns_are_those_of_all_labels(choices):
    _, _, problem = made(3, bias=1.0)
    with np.errstate(all="raise"):
        model = fit_sequences(
            problem, Parameter(loss="crf", C=2.0, gap_tol=1e-3, max_passes=5000, **choices)
        )
    assert model.result.solved
    weights = model.weights[:D]
    if "lower" in choices:
        assert weights.min() >= 0 > model.transitions.min()
    if "upper" in choices:
        assert (weights.max(axis=1) <= choices["upper"]).all()
        assert model.transitions.max() > 0.01
    if "groups" in choices:
        zero = (weights == 0).all(axis=1)
        assert zero[0] == zero[1]
        assert zero[2] == zero[3]


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        (
            {"groups": [0], "regularizer": "group-lasso"},
            r"groups has shape \(1,\); it must have 4 numbers",
        ),
        ({"lower": [0.0, 1.0]}, "lower has 2 numbers, and there are 4 columns"),
        ({"unpenalized": [4]}, "unpenalized has column 4; the columns are 0 … 3"),
        ({"class_weights": {1: 2.0}}, "class_weights has no effect with loss crf"),
        ({"free_bias": True}, "free_bias has no effect"),
        ({"smoothing": 1.0}, "smoothing has no effect with loss crf"),
        ({"solver": 32}, "losses that are sums over examples"),
        ({"solver": "lbfgs", "loss": "m3n"}, "loss m3n has a kink"),
        ({"solver": "bcfw"}, "needs the largest score of a labelling, without smoothing"),
        ({"solver": "bcfw", "loss": "m3n", "smoothing": 0.1}, "the largest score of a labelling"),
        ({"solver": 39, "loss": "m3n", "regularizer": "l1"}, "strongly convex"),
        ({"solver": 3, "loss": None}, "is of examples, and the problem has sequences"),
    ],
)
def test_choices_that_are_refused(choices, sentence):
    _, _, problem = made()
    with pytest.raises(ValueError, match=sentence):
        fit_sequences(problem, Parameter(**{"loss": "crf"} | choices))


def test_examples_and_one_label_are_refused():
    _, _, problem = made()
    with pytest.raises(ChoiceError, match="loss crf is of sequences, and the problem has examples"):
        fit(problem.to_problem(), Parameter(loss="crf"))
    problem = SequenceProblem.from_lists([[[1.0]]], [[7]])
    with pytest.raises(ValueError, match="all 1 positions have label 7"):
        fit_sequences(problem, Parameter(loss="crf"))


def test_a_label_without_transitions_and_one_that_does_not_occur():
    X = [np.eye(4)[[0, 1]], np.eye(4)[[2]], np.eye(4)[[1, 0]]]
    y = [["a", "b"], ["alone"], ["b", "a"]]
    problem = SequenceProblem.from_lists(X, y, labels=["a", "b", "alone", "never"])
    for loss in ("crf", "m3n"):
        model = fit_sequences(problem, Parameter(loss=loss, C=10.0))
        assert model.result.solved
        assert model.predict(X).tolist() == ["a", "b", "alone", "b", "a"]


def test_a_feature_of_edges_is_a_group_of_its_own():
    chance = np.random.default_rng(4)
    X, y, _ = made()
    pairs = [(part, 0.3 * chance.normal(size=(len(part) - 1, 6))) for part in X]
    problem = SequenceProblem.from_lists(pairs, y, labels=(2, 5, 9))
    choices = {"regularizer": "group-lasso", "groups": [0, 0, 1, 1]}
    model = fit_sequences(problem, Parameter(loss="crf", gap_tol=1e-2, C=0.5, **choices))
    zero = model.edge_weights == 0
    np.testing.assert_array_equal(zero.all(axis=(1, 2)), zero.any(axis=(1, 2)))
    assert zero.any()


@pytest.mark.parametrize("solver", ["lbfgs", "newton-cg", "marginals", 35, 39])
def test_values_whose_squares_overflow_are_refused(solver):
    problem = SequenceProblem.from_lists([np.eye(2) * 1e200] * 2, [[1, 2]] * 2)
    with pytest.raises(ValueError, match="overflows; scale the data"):
        fit_sequences(problem, Parameter(loss="crf", solver=solver))
