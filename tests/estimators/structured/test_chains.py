"""ChainCRF and ChainSVM: problems, predictions, warm starts, weights, and what is refused."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from rrmlinear import (
    ChainCRF,
    ChainSVM,
    LinearClassifier,
    Parameter,
    SequenceProblem,
    fit_sequences,
)

BOTH = pytest.mark.parametrize("of", [ChainCRF, ChainSVM])
NAMES = np.array(["a", "b", "c"])


def made(seed=0, m=30, d=5):
    chance = np.random.default_rng(seed)
    W = np.random.default_rng(9).normal(size=(d, 3))
    X = [chance.normal(size=(n, d)) for n in chance.integers(1, 6, m)]
    return X, [NAMES[(part @ W).argmax(axis=1)] for part in X]


@BOTH
def test_the_objective_is_that_of_fit_sequences(of):
    X, y = made()
    model = of(C=2.0, tol=1e-6).fit(X, y)
    loss = {ChainCRF: "crf", ChainSVM: "m3n"}[of]
    problem = SequenceProblem.from_lists(X, y, bias=1.0)
    other = fit_sequences(problem, Parameter(loss=loss, C=2.0, gap_tol=1e-6))
    assert model.objective_ == pytest.approx(other.result.primal, rel=1e-6)
    assert 0 <= model.duality_gap_ <= 1e-6 * model.objective_
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert (model.coef_.shape, model.intercept_.shape) == ((3, 5), (3,))
    assert model.transitions_.shape == (3, 3)
    assert (np.concatenate(model.predict(X)) == other.predict(X)).all()


@BOTH
def test_predictions_generalize_and_the_score_counts_positions(of):
    X, y = made(m=80)
    new, true = made(1)
    model = of(C=5.0).fit([csr_matrix(part) for part in X], y)
    predicted = model.predict(new)
    assert [part.shape for part in predicted] == [part.shape for part in true]
    share = np.mean(np.concatenate(predicted) == np.concatenate(true))
    assert model.score(new, true) == pytest.approx(share)
    assert share > 0.85
    weights = np.zeros(len(new))
    weights[3] = 2.0
    assert model.score(new, true, weights) == np.mean(predicted[3] == true[3])


def test_sequences_of_one_position_are_examples():
    X, y = made()
    X, y = [part[:1] for part in X], [part[:1] for part in y]
    crf = ChainCRF(C=2.0, tol=1e-7, fit_intercept=False).fit(X, y)
    softmax = LinearClassifier("softmax", C=2.0, tol=1e-7, fit_intercept=False)
    softmax.fit(np.concatenate(X), np.concatenate(y))
    np.testing.assert_allclose(crf.coef_, softmax.coef_, atol=1e-3)
    assert (crf.transitions_ == 0).all()
    svm = ChainSVM(C=2.0, tol=1e-6, fit_intercept=False).fit(X, y)
    examples = LinearClassifier("crammer-singer", C=2.0, tol=1e-6, fit_intercept=False)
    examples.fit(np.concatenate(X), np.concatenate(y))
    assert svm.objective_ == pytest.approx(examples.objective_, rel=1e-5)


def edged(seed=0, m=30):
    """Labels that follow from the one before and a feature of the edge."""
    chance = np.random.default_rng(seed)
    X, y = [], []
    for n in chance.integers(1, 6, m):
        z, first = chance.integers(0, 3, n - 1), chance.integers(0, 3)
        y.append(NAMES[np.concatenate(([first], (first + np.cumsum(z)) % 3))])
        X.append((np.eye(4)[[first, *[3] * (n - 1)]], np.eye(4)[z]))
    return X, y


@BOTH
@pytest.mark.parametrize("kind", [np.asarray, csr_matrix])
def test_features_of_edges(of, kind):
    X, y = edged()
    X = [(kind(nodes), kind(edges)) for nodes, edges in X]
    model = of(C=10.0, tol=1e-5).fit(X, y)
    assert model.edge_coef_.shape == (3, 3, 4)
    assert (model.edge_coef_[..., 3] == 0).all()  # which no edge has
    new, true = edged(1)
    assert model.score(new, true) == 1.0
    for part, labels in zip(new, model.predict(new), strict=True):
        scores, best = model.predict_best([part], 5)[0]
        nodes, edges = part
        assert best[0].tolist() == labels.tolist()
        for score, each in zip(scores, best, strict=True):
            j = np.searchsorted(NAMES, each)
            known = (nodes @ model.coef_.T + model.intercept_)[np.arange(len(j)), j].sum()
            known += model.transitions_[j[:-1], j[1:]].sum()
            known += (edges * model.edge_coef_[j[:-1], j[1:]]).sum()
            assert score == pytest.approx(known, abs=1e-10)
    assert of(C=10.0, n_jobs=2).fit(X, y).score(new, true) == 1.0
    wider = [(nodes, np.hstack([edges, np.ones((len(edges), 2))])) for nodes, edges in new]
    assert model.score(wider, true) == 1.0


def test_marginals_with_features_of_edges():
    X, y = edged(m=8)
    model = ChainCRF(C=1.0).fit(X, y)
    for part, marginals in zip(X, model.predict_marginals(X), strict=True):
        scores, all_of = model.predict_best([part], 3**5)[0]
        share = np.exp(scores - np.logaddexp.reduce(scores))
        known = np.einsum("y,ytj->tj", share, all_of[:, :, np.newaxis] == NAMES)
        np.testing.assert_allclose(marginals, known, atol=1e-12)


@BOTH
def test_a_warm_start_with_features_of_edges(of):
    X, y = edged()
    model = of(C=1.0, tol=1e-6, warm_start=True).fit(X, y)
    passes, weights = model.n_iter_, model.edge_coef_
    model.fit(X, y)
    assert model.n_iter_ < passes
    np.testing.assert_allclose(model.edge_coef_, weights, atol=1e-2)
    plain = [nodes for nodes, _ in X]
    assert model.fit(plain, y).edge_coef_ is None


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda nodes, edges: (nodes, edges[1:]), "must be a matrix of 4 rows"),
        (lambda nodes, edges: (nodes, edges[:, :2]), "2 features of edges and X.0. has 4"),
        (lambda nodes, edges: nodes, "must be a pair of matrices"),
        (lambda nodes, edges: (nodes, edges * np.nan), "features of edges: .*NaN and infinity"),
    ],
)
def test_features_of_edges_that_are_refused(change, sentence):
    X, y = [(np.eye(5), np.eye(4)), (np.eye(5), np.eye(4))], [list("ababa"), list("babab")]
    with pytest.raises(ValueError, match=sentence):
        ChainCRF().fit([X[0], change(*X[1])], y)
    model = ChainCRF().fit(X, y)
    with pytest.raises(ValueError, match="X has no features of edges, and the model has some"):
        model.predict([nodes for nodes, _ in X])
    with pytest.raises(ValueError, match="X has features of edges, and the model has none"):
        ChainCRF().fit([nodes for nodes, _ in X], y).predict(X)


def test_marginals_and_the_best_labellings():
    X, y = made()
    model = ChainCRF(C=2.0).fit(X, y)
    marginals = model.predict_marginals(X)
    for part, shares in zip(X, marginals, strict=True):
        assert shares.shape == (len(part), 3)
        np.testing.assert_allclose(shares.sum(axis=1), 1)
    for labels, (scores, labellings) in zip(
        model.predict(X), model.predict_best(X, 2), strict=True
    ):
        assert (labellings[0] == labels).all()
        assert scores[0] >= scores[1]
    assert not hasattr(ChainSVM(), "predict_marginals")


@pytest.mark.parametrize("solver", ChainCRF._solvers)
def test_solvers_of_the_crf(solver):
    X, y = made(m=10)
    best = ChainCRF(tol=1e-6).fit(X, y).objective_
    assert ChainCRF(solver=solver).fit(X, y).objective_ == pytest.approx(best, rel=2e-3)


@pytest.mark.parametrize("solver", ChainSVM._solvers)
def test_solvers_of_the_svm(solver):
    X, y = made(m=2 if solver == "pragam" else 10)
    smoothing = 0.1 if solver in ("lbfgs", "newton-cg", "marginals", "agm", "agm-1") else None
    best = ChainSVM(tol=1e-5, smoothing=smoothing).fit(X, y).objective_
    model = ChainSVM(solver=solver, smoothing=smoothing, tol=1e-2).fit(X, y)
    assert model.objective_ == pytest.approx(best, rel=2e-2)


def test_a_regularizer_by_its_name_leaves_weights_out():
    X, y = made()
    sparse = ChainCRF(regularizer="l1", l1=1.0, C=0.5).fit(X, y)
    assert 0 < np.count_nonzero(sparse.coef_) < sparse.coef_.size
    grouped = ChainCRF(regularizer="group-lasso", groups=[0, 0, 1, 1, 1], C=0.2).fit(X, y)
    zero = (grouped.coef_ == 0).all(axis=0)
    assert zero[0] == zero[1]
    assert zero[2] == zero[3] == zero[4]


@BOTH
@pytest.mark.parametrize(
    ("parameters", "data", "sentence"),
    [
        (
            {"solver": "newton"},
            {},
            r"solver is 'newton' \(did you mean newton-cg\?\); it must be one of",
        ),
        ({"groups": [0, 1]}, {}, "groups has no effect with regularizer l2"),
        ({}, {"X": []}, "X has 0 sequences"),
        ({}, {"X": np.eye(3)}, "must be a matrix with a row for each position"),
        ({}, {"X": [np.eye(2), [[1, 2], [3]]]}, r"X\[1\] must be a matrix, and its rows have diff"),
        ({}, {"X": [[{"w": 1}], [{"w": 1}]]}, r"shape \(1,\); scikit-learn's DictVectorizer makes"),
        ({}, {"y": [["a"]]}, "y has 1 sequences and X has 2"),
        ({}, {"y": [["a", "a"], ["a"]]}, "all 3 positions have label a"),
    ],
)
def test_what_is_refused(of, parameters, data, sentence):
    given = {"X": [np.eye(2), np.ones((1, 2))], "y": [["a", "b"], ["a"]]} | data
    with pytest.raises(ValueError, match=sentence):
        of(**parameters).fit(**given)


def test_the_score_takes_the_weights_that_fit_takes():
    X, y = [np.eye(3), np.eye(3)[:1], np.eye(3)[:0]], [[1, 2**63 + 1, 2**63 + 2], [1], []]
    model = ChainCRF(C=0.01).fit(X, y)
    assert model.classes_.tolist() == y[0]
    right = [np.count_nonzero(a == b) for a, b in zip(model.predict(X), y, strict=True)]
    assert model.score(X, y, [1, 4, 2]) == pytest.approx((right[0] + 4 * right[1]) / 7)
    for weights, said in (
        ([1, 1], "weights has shape"),
        ([1, -1, 1], r"weights\[1\] is -1"),
        ("abc", "weights must hold numbers"),
        ([0, 0, 1], "are empty or have no weight"),
    ):
        with pytest.raises(ValueError, match=said):
            model.score(X, y, weights)
    with pytest.raises(ValueError, match="y is None; it must have a label for each row of X"):
        model.score(X)


@BOTH
def test_other_features_are_refused(of):
    X, y = made()
    model = of().fit(X, y)
    with pytest.raises(ValueError, match=r"X has 2 features, but .* is expecting 5"):
        model.predict([part[:, :2] for part in X])
    with pytest.raises(ValueError, match=r"y must have a label for each row"):
        model.score(X, y[:-1])
