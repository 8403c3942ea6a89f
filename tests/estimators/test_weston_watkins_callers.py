"""WestonWatkinsSVC: the ways scikit-learn's callers reach it."""

import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal

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


def test_a_missing_scikit_learn_says_how_to_get_it():
    program = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import rrmlinear\n"
        "try: rrmlinear.WestonWatkinsSVC\n"
        "except ImportError as error: print(error)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "need scikit-learn 1.6 or newer: pip install 'rrmlinear[sklearn]'" in run.stdout
