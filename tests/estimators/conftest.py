"""Data of three kinds of labels, and exact estimators."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.preprocessing import StandardScaler

from rrmlinear import WestonWatkinsSVC


@pytest.fixture(scope="session")
def iris():
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="session")
def two_classes():
    X, y = make_classification(80, 6, flip_y=0.1, random_state=3)
    return X, np.where(y == 1, "yes", "no")


@pytest.fixture(scope="session")
def numbers():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 5))
    return X, X @ [1, -2, 0.5, 0, 3] + 0.5 + 0.3 * rng.standard_normal(60)


@pytest.fixture
def exact():
    """An estimator whose weights are right to some seven digits; keywords override."""
    return lambda **keywords: WestonWatkinsSVC(
        **{"C": 0.3, "tol": 1e-11, "max_iter": 50_000, "fit_intercept": "regularized", **keywords}
    )
