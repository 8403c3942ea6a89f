"""Sequences trained: optimum, certificate, model files, predictions and cross validation."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array

from rrmlinear import Parameter
from rrmlinear.catalog.errors import ChoiceError
from rrmlinear.catalog.selection import select
from rrmlinear.data.sequences import SequenceProblem
from rrmlinear.training.chain_model import ChainModel
from rrmlinear.training.chains import cross_validate_sequences, fit_sequences
from rrmlinear.training.fit import fit
from rrmlinear.training.model import Model
from rrmlinear.training.model_file import ModelFileError

LENGTHS = [3, 1, 4, 2, 1, 4, 3, 2]
D, K = 4, 3


def made(seed=0, lengths=LENGTHS, weights=None, bias=-1.0, names=(2, 5, 9)):
    chance = np.random.default_rng(seed)
    X = [chance.normal(size=(n, D)) for n in lengths]
    W = chance.normal(size=(D, K))
    y = [np.array(names)[(part @ W).argmax(axis=1)] for part in X]
    return X, y, SequenceProblem.from_lists(X, y, weights, labels=names, bias=bias)


def objective(w, X, y, costs, loss, names=(2, 5, 9)):
    """½‖w‖² + Σ c_s φ_s by all labellings of each sequence."""
    d = X[0].shape[1]
    W, T = w[: d * K].reshape(d, K), w[d * K :].reshape(K, K)
    value = w @ w / 2
    for part, true, cost in zip(X, y, costs, strict=True):
        nodes, truth = part @ W, tuple(names.index(each) for each in true)
        scores = {
            each: sum(nodes[t, j] for t, j in enumerate(each))
            + sum(T[i, j] for i, j in itertools.pairwise(each))
            for each in itertools.product(range(K), repeat=len(part))
        }
        if loss == "crf":
            value += cost * (np.logaddexp.reduce(list(scores.values())) - scores[truth])
        else:
            wrong = {each: sum(a != b for a, b in zip(each, truth, strict=True)) for each in scores}
            value += cost * (max(scores[each] + wrong[each] for each in scores) - scores[truth])
    return value


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
        ("crf", "auto", 1e-4),
        ("crf", "lbfgs", 1e-4),
        ("crf", "newton-cg", 1e-4),
        ("crf", "marginals", 1e-4),
        ("crf", 35, 1e-4),
        ("crf", 36, 1e-4),
        ("crf", 39, 1e-4),
        ("crf", 40, 1e-3),
        ("m3n", "auto", 1e-4),
        ("m3n", "bcfw", 1e-4),
        ("m3n", 35, 1e-4),
        ("m3n", 36, 1e-3),
        ("m3n", 39, 1e-4),
        ("m3n", 40, 1e-3),
    ],
)
def test_solvers_agree(loss, solver, tol):
    _, _, problem = made(2)
    best = fit_sequences(problem, Parameter(loss=loss, gap_tol=1e-7)).result.primal
    asked = Parameter(loss=loss, solver=solver, gap_tol=tol, max_passes=20_000)
    result = fit_sequences(problem, asked).result
    assert result.solved
    assert best * (1 - 1e-6) <= result.primal <= best * (1 + 2 * tol)
    assert result.dual <= best * (1 + 1e-6)


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


def test_weights_equal_repetitions():
    X, y, problem = made(weights=[1, 2, 1, 3, 1, 1, 1, 0])
    often = [0, 1, 1, 2, 3, 3, 3, 4, 5, 6]
    repeated = SequenceProblem.from_lists(
        [X[s] for s in often], [y[s] for s in often], labels=[2, 5, 9]
    )
    asked = Parameter(loss="crf", gap_tol=1e-8)
    a, b = fit_sequences(problem, asked), fit_sequences(repeated, asked)
    np.testing.assert_allclose(a.weights, b.weights, atol=1e-3)
    assert a.result.primal == pytest.approx(b.result.primal, rel=1e-7)


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
        ({"groups": [0], "regularizer": "group-lasso"}, "groups must be 4 whole numbers"),
        ({"lower": [0.0, 1.0]}, "lower has 2 numbers, and there are 4 columns"),
        ({"unpenalized": [4]}, "unpenalized columns must lie in 0 … 3"),
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


def test_examples_are_no_sequences():
    _, _, problem = made()
    with pytest.raises(ChoiceError, match="loss crf is of sequences, and the problem has examples"):
        fit(problem.to_problem(), Parameter(loss="crf"))


def test_one_label_is_refused():
    problem = SequenceProblem.from_lists([[[1.0]]], [[7]])
    with pytest.raises(ValueError, match="all 1 positions have label 7"):
        fit_sequences(problem, Parameter(loss="crf"))


@pytest.mark.parametrize("loss", ["crf", "m3n"])
def test_a_start_saves_passes(loss):
    _, _, problem = made(4)
    asked = Parameter(loss=loss, gap_tol=1e-6)
    first = fit_sequences(problem, asked)
    again = fit_sequences(problem, asked, start=first)
    assert again.result.passes < first.result.passes
    _, _, other = made(4, names=(1, 5, 9))
    with pytest.raises(ValueError, match="other labels or features"):
        fit_sequences(other, asked, start=first)


def test_a_callback_stops_the_run():
    _, _, problem = made(4)
    seen = []
    with pytest.warns(UserWarning, match="the caller asked to stop"):
        fit_sequences(
            problem, Parameter(loss="m3n", gap_tol=1e-9), lambda row: seen.append(row) or True
        )
    assert len(seen) == 1


def by_force(model, part):
    """Marginals, and labellings from the best on, of one sequence."""
    nodes, T = part @ model.weights[:D], model.transitions
    if model.bias >= 0:
        nodes = nodes + model.bias * model.weights[D]
    all_of_them = np.array(list(itertools.product(range(K), repeat=len(part))))
    scores = nodes[np.arange(len(part)), all_of_them].sum(axis=1)
    scores += T[all_of_them[:, :-1], all_of_them[:, 1:]].sum(axis=1)
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    marginals = np.array(
        [[shares[all_of_them[:, t] == j].sum() for j in range(K)] for t in range(len(part))]
    )
    order = np.argsort(-scores)
    return marginals, scores[order], all_of_them[order]


@pytest.mark.parametrize("bias", [-1.0, 1.0])
@pytest.mark.parametrize("threads", [1, 3])
def test_predictions_against_all_labellings(bias, threads):
    _, _, problem = made(bias=bias)
    model = fit_sequences(problem, Parameter(loss="crf", C=3.0))
    X, _, test = made(7, [1, 5, 2, 6, 1])
    forced = [by_force(model, part) for part in X]
    best = np.concatenate([model.labels[each[2][0]] for each in forced])
    for given in (X, [csr_array(part) for part in X], test):
        assert (model.predict(given, threads) == best).all()
    marginals = model.predict_marginals(X, threads)
    np.testing.assert_allclose(marginals, np.concatenate([each[0] for each in forced]), atol=1e-12)
    for (scores, labellings), (_, all_scores, places) in zip(
        model.predict_best(X, 4), forced, strict=True
    ):
        assert len(scores) == min(4, len(all_scores))
        np.testing.assert_allclose(scores, all_scores[: len(scores)], atol=1e-12)
        assert (labellings == model.labels[places[: len(scores)]]).all()
    with pytest.raises(ValueError, match="most must be at least 1"):
        model.predict_best(X, 0)


def test_features_beyond_and_missing():
    X, _, problem = made()
    model = fit_sequences(problem, Parameter(loss="m3n"))
    wider = [np.column_stack([part, np.ones(len(part))]) for part in X]
    assert (model.predict(wider) == model.predict(X)).all()
    narrower = [np.column_stack([part[:, :2], np.zeros((len(part), 2))]) for part in X]
    assert (model.predict([part[:, :2] for part in X]) == model.predict(narrower)).all()
    with pytest.raises(ValueError, match="loss m3n has no marginals: crf has them"):
        model.predict_marginals(X)


def test_a_label_without_transitions_and_one_that_does_not_occur():
    X = [np.eye(4)[[0, 1]], np.eye(4)[[2]], np.eye(4)[[1, 0]]]
    y = [["a", "b"], ["alone"], ["b", "a"]]
    problem = SequenceProblem.from_lists(X, y, labels=["a", "b", "alone", "never"])
    for loss in ("crf", "m3n"):
        model = fit_sequences(problem, Parameter(loss=loss, C=10.0))
        assert model.result.solved
        assert model.predict(X).tolist() == ["a", "b", "alone", "b", "a"]


@pytest.mark.parametrize("bias", [-1.0, 1.0])
def test_a_model_file_reads_back_bit_for_bit(bias, tmp_path):
    _, _, problem = made(bias=bias)
    model = fit_sequences(problem, Parameter(loss="crf"))
    path = tmp_path / "model"
    model.save(path)
    again = ChainModel.load(path)
    for name in ("weights", "transitions", "labels"):
        assert np.array_equal(getattr(again, name), getattr(model, name))
    assert (again.loss, again.bias, again.n_features) == ("crf", bias, D)
    with pytest.raises(ModelFileError, match="holds a model of sequences"):
        Model.load(path)


@pytest.mark.parametrize("loss", ["crf", "m3n"])
def test_features_of_edges(loss, tmp_path):
    chance = np.random.default_rng(4)
    X, y, plain = made()
    edges = [chance.normal(size=(n - 1, 2)) for n in LENGTHS]
    pairs = list(zip(X, edges, strict=True))
    problem = SequenceProblem.from_lists(pairs, y, labels=(2, 5, 9))
    again = plain.with_edges(
        SequenceProblem.from_lists(
            [csr_array(np.vstack([np.zeros((1, 2)), each])) for each in edges], y, labels=(2, 5, 9)
        )
    )
    asked = Parameter(loss=loss, gap_tol=1e-7)
    models = [fit_sequences(each, asked) for each in (problem, again)]
    assert models[0].edge_weights.shape == (2, 3, 3)
    np.testing.assert_allclose(models[0].edge_weights, models[1].edge_weights, atol=1e-3)
    assert models[0].result.primal < fit_sequences(plain, asked).result.primal
    path = tmp_path / "model"
    models[0].save(path)
    back = ChainModel.load(path)
    np.testing.assert_array_equal(back.edge_weights, models[0].edge_weights)
    np.testing.assert_array_equal(back.predict(pairs), models[0].predict(problem))


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


def test_model_files_that_are_refused(tmp_path):
    _, _, problem = made()
    model = fit_sequences(problem, Parameter(loss="crf"))
    path = tmp_path / "model"
    with pytest.raises(ValueError, match="transitions, which LIBLINEAR has no place for"):
        model.save(path, liblinear=True)
    model.save(path)
    text = path.read_text()
    for wrong, sentence in [
        (text.replace("transitions 3\n", ""), "the header ends without transitions"),
        (text.replace("transitions 3", "transitions 2"), "transitions must be nr_class, 3"),
        (text.replace("loss crf", "loss softmax"), "only a model of sequences has transitions"),
        ("".join(text.splitlines(keepends=True)[:-1]), "there are 6 lines of weights, not 7"),
        (text.replace("lines 7\n", ""), "the header ends without lines"),
        (text.replace("lines 7", "lines 70000"), "70000 lines must follow"),
        (text.replace("edge_features 0", "edge_features -1"), "edge_features is '-1'"),
        (text.replace("\n2 :", "\n1 :"), "line 12: row '1' stands in an earlier place too"),
        (text.replace("\n2 :", "\n8 :"), "line 12: found '8' where a row is expected, 1 … 7"),
        (text.replace("\n2 :", "\n2 : x"), "line 12: found 'x[^']*' where column:weight"),
        (
            text.replace("\n2 : 1:", "\n2 : 1:1 1:"),
            "where column:weight is expected, columns rising",
        ),
        (
            text.replace("\n2 : 1:", "\n2 : 1:x"),
            "line 12: found 'x[^']*' where a weight is expected",
        ),
        (text.replace("\n2 : 1:", "\n2 : 1:1e999 2:"), "a weight is '1e999'; it must be finite"),
        (text.replace("nr_feature 4", f"nr_feature {2**47}"), "do not fit in memory"),
    ]:
        path.write_text(wrong)
        with pytest.raises(ModelFileError, match=sentence):
            ChainModel.load(path)
    X, _, _ = made()
    y = [["a" if t % 2 else "b" for t in range(len(part))] for part in X]
    names = SequenceProblem.from_lists(X, y)
    with pytest.raises(ValueError, match="numbers as labels"):
        fit_sequences(names, Parameter(loss="crf")).save(path)


def test_cross_validation_is_by_sequences():
    X, y, problem = made(5, [2, 3, 1, 4] * 10)
    chosen = select(Parameter(loss="crf", C=10.0))
    predicted = cross_validate_sequences(problem, chosen, 4)
    assert (predicted == np.concatenate(y)).mean() > 0.7
    # with as many folds as sequences, each is predicted by a model of all others
    _, _, few = made(5, [2, 3, 1, 4])
    predicted = few.split(cross_validate_sequences(few, chosen, 4))
    for s in range(4):
        rest = np.delete(np.arange(4), s)
        model = fit_sequences(few.take(rest), chosen.choices)
        assert (model.predict([X[s]]) == predicted[s]).all()
    with pytest.raises(ValueError, match="5 folds of 4"):
        cross_validate_sequences(few, chosen, 5)
