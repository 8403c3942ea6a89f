"""WestonWatkinsSVC: the ways scikit-learn's callers reach it."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone

from rrmlinear import WestonWatkinsSVC


@pytest.mark.parametrize(
    "labels",
    [
        ["b", "c", "a"],
        np.array(["b", "c", "a"], dtype=object),
        [10, -3, 7],
        [2.0, 1.0, -4.0],
        [True, False],
        np.array([200, 3, 7], dtype=np.uint8),
    ],
)
def test_labels_of_any_kind_come_back(iris, labels):
    X, y = iris
    labels = np.asarray(labels)
    chosen = y < len(labels)
    y = labels[y[chosen]]
    estimator = WestonWatkinsSVC().fit(X[chosen], y)
    assert_array_equal(estimator.classes_, np.unique(labels))
    assert estimator.classes_.dtype == labels.dtype
    assert estimator.score(X[chosen], y) > 0.9


def test_read_only_and_mapped_data_serve(iris, tmp_path):
    X, y = iris
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    sparse = csr_array(X)
    for part in (sparse.data, sparse.indices, sparse.indptr):
        part.flags.writeable = False
    fixed_labels = y.copy()
    fixed_labels.flags.writeable = False
    for data, own in ((mapped, X), (sparse, csr_array(X))):
        expected = WestonWatkinsSVC().fit(own, y)
        estimator = WestonWatkinsSVC().fit(data, fixed_labels)
        assert_array_equal(estimator.coef_, expected.coef_)
        assert_array_equal(estimator.predict(data), expected.predict(own))


def test_pickle_and_clone_keep_what_they_should(iris):
    X, y = iris
    estimator = WestonWatkinsSVC(
        C=0.1, class_weight={0: 2.0}, fit_intercept="regularized", random_state=3
    ).fit(X, y)
    copy = pickle.loads(pickle.dumps(estimator))
    assert_array_equal(copy.decision_function(X), estimator.decision_function(X))
    assert copy.trace_ == estimator.trace_
    assert copy.set_params(warm_start=True).fit(X, y).n_iter_ <= 2
    fresh = clone(estimator)
    assert fresh.get_params() == estimator.get_params()
    assert not hasattr(fresh, "coef_")
    assert_array_equal(fresh.fit(X, y).coef_, estimator.coef_)


def test_the_seed_and_the_threads(iris, exact):
    X, y = iris
    same = [WestonWatkinsSVC(random_state=4, n_jobs=t).fit(X, y) for t in (None, 2, -1)]
    assert_array_equal(same[0].coef_, same[1].coef_)
    assert_array_equal(same[0].coef_, same[2].coef_)
    other = WestonWatkinsSVC(random_state=np.random.RandomState(4)).fit(X, y)
    assert not np.array_equal(other.coef_, same[0].coef_)


def test_verbose_prints_the_end_and_the_passes(iris, capsys):
    X, y = iris
    WestonWatkinsSVC().fit(X, y)
    assert capsys.readouterr().out == ""
    WestonWatkinsSVC(verbose=1).fit(X, y)
    assert "the duality gap is within the tolerance: pass" in capsys.readouterr().out
    estimator = WestonWatkinsSVC(fit_intercept=False, verbose=2).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert 2 <= len(lines) <= estimator.n_iter_ + 1
    assert lines[0].startswith("[WestonWatkinsSVC] pass 1, ")


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"C": 0}, "The 'C' parameter of WestonWatkinsSVC must be a float in the range"),
        ({"C": np.inf}, "The 'C' parameter of WestonWatkinsSVC must be a float in the range"),
        ({"tol": -1e-3}, "The 'tol' parameter of WestonWatkinsSVC must be"),
        ({"max_iter": 0}, "The 'max_iter' parameter of WestonWatkinsSVC must be an int"),
        ({"intercept_scaling": 0.0}, "The 'intercept_scaling' parameter of WestonW"),
        ({"solver": "smo"}, "solver is 'smo'; it must be one of auto, walrus, shark"),
        ({"n_jobs": 0}, "n_jobs is 0; it must be"),
        ({"class_weight": "even"}, "The 'class_weight' parameter of WestonWatkinsSVC"),
    ],
)
def test_a_parameter_out_of_range_is_named(iris, keywords, message):
    with pytest.raises(ValueError, match=message):
        WestonWatkinsSVC(**keywords).fit(*iris)


def test_a_missing_scikit_learn_says_how_to_get_it():
    program = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import rrmlinear\n"
        "try: rrmlinear.WestonWatkinsSVC\n"
        "except ImportError as error: print(error)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "need scikit-learn 1.6 or newer: pip install 'rrmlinear[sklearn]'" in run.stdout


def test_an_intercept_is_one_of_two_or_none():
    with pytest.raises(ValueError, match="The 'fit_intercept' parameter of WestonWatkinsSVC must"):
        WestonWatkinsSVC(fit_intercept="nonsense").fit(np.eye(3), [0, 1, 2])
