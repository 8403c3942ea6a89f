"""What the pages say of other programs, beside these programs."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn import svm
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

import rrmlinear

pycrfsuite = pytest.importorskip("pycrfsuite")

VALUES = np.array([[-1.0, 0.0], [0.0, 3.0], [-0.4, 0.0], [0.0, 0.1]])
LABELS = ["X", "Y", "X", "Y"]


@pytest.fixture
def crfsuite(tmp_path):
    """Trains CRFsuite on one sequence; the pairs of attributes and of labels that it keeps."""

    def train(**params):
        trainer = pycrfsuite.Trainer(verbose=False)
        trainer.set_params({"c2": 0.05, **params})
        rows = [{"ab"[j]: row[j] for j in np.flatnonzero(row)} for row in VALUES]
        trainer.append(rows, LABELS)
        trainer.train(str(tmp_path / "model"))
        tagger = pycrfsuite.Tagger()
        tagger.open(str(tmp_path / "model"))
        found = tagger.info()
        return set(found.state_features), set(found.transitions)

    return train


def test_frequencies_of_crfsuite_are_sums_of_values_of_pairs(crfsuite):
    # a with X has the values −1 and −0.4, b with Y 3 and 0.1; X, Y follows twice and Y, X once
    assert crfsuite() == ({("b", "Y")}, {("X", "Y"), ("Y", "X")})
    assert crfsuite(**{"feature.minfreq": 1.5}) == ({("b", "Y")}, {("X", "Y")})
    assert crfsuite(**{"feature.minfreq": 3.05})[0] == {("b", "Y")}
    assert crfsuite(**{"feature.minfreq": 3.2})[0] == set()


def test_pairs_with_sums_below_0_are_kept_here():
    model = rrmlinear.ChainCRF(C=10.0, observed=True, fit_intercept=False, tol=1e-8)
    model.fit([csr_array(VALUES)], [LABELS])
    place = list(model.classes_).index("X")
    assert model.coef_[place, 0] < 0
    assert model.coef_[1 - place, 0] == 0


def test_support_examples_are_counted_from_duals():
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    theirs = svm.SVC(kernel="linear", tol=1e-8).fit(X, y)
    ours = rrmlinear.LinearClassifier("hinge", tol=1e-9).fit(X, y)
    assert np.bincount(y[ours.dual_coef_ != 0]).tolist() == theirs.n_support_.tolist()
    assert np.flatnonzero(ours.dual_coef_).tolist() == sorted(theirs.support_)
    one = svm.OneClassSVM(kernel="linear", nu=0.3, tol=1e-8).fit(X + 3)
    duals = rrmlinear.OneClassSVM(nu=0.3, tol=1e-9).fit(X + 3).dual_coef_
    assert np.count_nonzero(duals) == one.n_support_[0]
