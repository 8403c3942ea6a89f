"""Arrays taken without scikit-learn's checks are those that its checks return as they are."""

import numpy as np
import pytest
from sklearn import config_context

from rrmlinear import LogisticRegression, Ridge

X = np.random.default_rng(0).standard_normal((12, 3))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_get_scikit_learns_words(value):
    wrong = X.copy()
    wrong[3, 1] = value
    words = "contains NaN" if np.isnan(value) else "contains infinity"
    with pytest.raises(ValueError, match=f"X {words}"):
        Ridge().fit(wrong, X[:, 0])
    with pytest.raises(ValueError, match=f"y {words}"):
        Ridge().fit(X, wrong[:, 1])
    model = LogisticRegression().fit(X, X[:, 0] > 0)
    with pytest.raises(ValueError, match=f"X {words}"):
        model.predict(wrong)


def test_values_are_looked_at_where_scikit_learn_assumes_that_they_are_finite():
    wrong = X.copy()
    wrong[3, 1] = np.nan
    for model in (Ridge(), LogisticRegression()):
        refuses = pytest.raises(ValueError, match=r"X\[3, 1\] is nan")
        with config_context(assume_finite=True), refuses:
            model.fit(wrong, X[:, 0] > 0)


def test_names_of_features_go_with_the_next_fit_and_are_asked_for():
    pd = pytest.importorskip("pandas")
    model = Ridge().fit(pd.DataFrame(X, columns=list("abc")), X[:, 0])
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    with pytest.warns(UserWarning, match="valid feature names"):
        model.predict(X)
    model.fit(X[:, :2], X[:, 0])
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 2
    with pytest.raises(ValueError, match="3 features, but Ridge is expecting 2"):
        model.predict(X)
