"""WestonWatkinsSVC: the ways scikit-learn's callers reach it."""

import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

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


def test_the_seed_and_the_threads(iris, exact):
    X, y = iris
    same = [WestonWatkinsSVC(random_state=4, n_jobs=t).fit(X, y) for t in (None, 2, -1)]
    assert_array_equal(same[0].coef_, same[1].coef_)
    assert_array_equal(same[0].coef_, same[2].coef_)
    other = WestonWatkinsSVC(random_state=np.random.RandomState(4)).fit(X, y)
    assert not np.array_equal(other.coef_, same[0].coef_)


def test_a_missing_scikit_learn_says_how_to_get_it():
    program = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import rrmlinear\n"
        "try: rrmlinear.WestonWatkinsSVC\n"
        "except ImportError as error: print(error)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "need scikit-learn 1.6 or newer: pip install 'rrmlinear[sklearn]'" in run.stdout
