"""Batches with empty sequences and graphs, and predictions of folds put together."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.model_selection import KFold, cross_val_predict

from rrmlinear import ChainCRF, ChainSVM, GraphCRF, GraphSVM, KernelChainCRF, SequenceProblem

rng = np.random.default_rng(0)
LENGTHS = (3, 4, 1, 2, 5, 3)
ROWS = [rng.normal(size=(n, 2)) for n in LENGTHS]
NAMES = [np.array(["a", "b"])[(rows[:, 0] > 0).astype(int)] for rows in ROWS]
NONE = np.zeros((0, 2))
EVERY = {
    "ChainCRF": (ChainCRF(tol=1e-6), lambda rows: rows),
    "ChainSVM": (ChainSVM(tol=1e-6), lambda rows: rows),
    "ChainCRF of edges": (ChainCRF(tol=1e-6), lambda rows: (rows, rows[1:])),
    "KernelChainCRF": (KernelChainCRF(), lambda rows: rows),
    "KernelChainCRF by position": (KernelChainCRF(cliques="by-position"), lambda rows: rows),
    "GraphCRF": (
        GraphCRF(tol=1e-6),
        lambda rows: (rows, [(t, t + 1) for t in range(len(rows) - 1)]),
    ),
    "GraphSVM": (
        GraphSVM(tol=1e-6),
        lambda rows: (rows, [(t, t + 1) for t in range(len(rows) - 1)]),
    ),
}
every = pytest.mark.parametrize(("estimator", "part"), EVERY.values(), ids=EVERY)
PLACES = pytest.mark.parametrize("places", [[0], [6], [2, 3], [0, 0, 4, 6]], ids=str)


def with_none(parts, places, nothing):
    parts = list(parts)
    for place in places:
        parts.insert(place, nothing)
    return parts


@PLACES
@every
def test_empty_parts_count_for_nothing(estimator, part, places):
    X, none = [part(rows) for rows in ROWS], part(NONE)
    weights = np.arange(1.0, 7.0)
    fitted = estimator.fit(X, NAMES, weights)
    objective, expected = fitted.objective_, fitted.predict(X)
    both = with_none(X, places, none), with_none(NAMES, places, NAMES[0][:0])
    again = estimator.fit(*both, with_none(weights, places, 9.0))
    assert again.objective_ == objective
    found = again.predict(both[0])
    assert isinstance(found, list)
    for a, b in zip(found, with_none(expected, places, NAMES[0][:0]), strict=True):
        np.testing.assert_array_equal(a, b)
    assert again.score(*both) == again.score(X, NAMES)
    if hasattr(again, "predict_marginals"):
        shapes = [each.shape for each in again.predict_marginals(both[0])]
        assert shapes == with_none([(n, 2) for n in LENGTHS], places, (0, 2))
    if hasattr(again, "predict_best"):
        best = again.predict_best(both[0], 2)
        assert [labels.shape[1] for _, labels in best] == with_none(LENGTHS, places, 0)


@every
def test_a_batch_may_be_all_empty(estimator, part):
    fitted = estimator.fit([part(rows) for rows in ROWS], NAMES)
    found = fitted.predict([part(NONE), part(NONE)])
    assert [(each.shape, each.dtype) for each in found] == 2 * [((0,), fitted.classes_.dtype)]
    with pytest.raises(ValueError, match="all parts of X are empty"):
        fitted.score([part(NONE)], [[]])
    with pytest.raises(ValueError, match="all sequences of X are empty"):
        estimator.fit([part(NONE)], [[]])


@pytest.mark.parametrize(
    "none", [[], NONE, csr_array(NONE), np.zeros((0, 0))], ids=lambda x: type(x)
)
def test_empty_sequences_in_any_form(none):
    X, y = [ROWS[0], none, csr_array(ROWS[1])], [NAMES[0], [], NAMES[1]]
    problem = SequenceProblem.from_lists(X, y, [1.0, 2.0, 3.0])
    assert (problem.n_sequences, problem.empty) == (2, (1,))
    assert problem.weights.tolist() == [1.0, 3.0]
    assert [len(part) for part in problem.split(problem.label)] == [3, 0, 4]
    assert [len(part) for part in ChainCRF().fit(X, y).predict(X)] == [3, 0, 4]


def test_errors_name_the_place_among_all():
    with pytest.raises(ValueError, match=r"X\[2\] has 3 columns and X\[1\] has 2"):
        ChainCRF().fit([NONE, ROWS[0], np.ones((2, 3))], [[], NAMES[0], ["a", "b"]])
    with pytest.raises(ValueError, match=r"y\[0\] must be a list of 0 labels"):
        ChainCRF().fit([NONE, ROWS[0]], [["a"], NAMES[0]])
    with pytest.raises(ValueError, match=r"X\[1\] has no nodes, and cliques \[\(0, 1\)\]"):
        GraphCRF().fit([(ROWS[0], []), (NONE, [(0, 1)])], [NAMES[0], []])


@every
@pytest.mark.parametrize("length", [None, 3], ids=["any length", "one length"])
def test_predictions_of_folds_are_put_together(estimator, part, length):
    kept = [rows[:length] for rows in ROWS if length is None or len(rows) >= length]
    names = [labels[:length] for labels in NAMES if length is None or len(labels) >= length]
    X = [part(rows) for rows in kept]
    found = cross_val_predict(estimator, X, names, cv=KFold(2))
    assert found.shape == (len(X),)
    for train, test in KFold(2).split(X):
        fitted = estimator.fit([X[i] for i in train], [names[i] for i in train])
        for i, labels in zip(test, fitted.predict([X[i] for i in test]), strict=True):
            np.testing.assert_array_equal(found[i], labels)
