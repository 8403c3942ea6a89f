"""Arrays taken without scikit-learn's checks are those that its checks return as they are."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.utils.validation import validate_data

from rrmlinear import LogisticRegression, Ridge
from rrmlinear.estimators.arguments import are_plain, is_plain

X = np.random.default_rng(0).standard_normal((12, 3))
MATRICES = {
    "C-order": X,
    "F-order": np.asfortranarray(X),
    "float32": X.astype(np.float32),
    "strided": np.repeat(X, 2, axis=1)[:, ::2],
    "read-only": np.broadcast_to(1.0, (12, 3)),
    "whole numbers": X.astype(np.int64),
    "other bytes": X.astype(X.dtype.newbyteorder()),
    "long double": X.astype(np.longdouble),
    "objects": X.astype(object),
    "list": X.tolist(),
    "memmap-like": X.view(type("Own", (np.ndarray,), {})),
    "sum overflows": np.full((12, 3), 1e308),
}
PLAIN = ("C-order", "F-order", "float32", "strided", "read-only")


@pytest.mark.parametrize("order", [None, "C"])
@pytest.mark.parametrize("name", MATRICES)
def test_what_is_plain_scikit_learn_returns(name, order):
    given = MATRICES[name]
    returned = validate_data(Ridge(), given, dtype=[np.float64, np.float32], order=order)
    in_order = order is None or name in ("C-order", "float32")
    assert is_plain(given, order) == (name in PLAIN and in_order)
    assert not is_plain(given, order) or returned is given


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


@pytest.mark.parametrize(
    ("rows", "y"),
    [
        (X[:0], X[:0, 0]),
        (X[:, :0], X[:, 0]),
        (X[0], X[:3, 0]),
        (X, X[:5, 0]),
        (X, X[:, :2]),
        (X, X[:, 0].tolist()),
        (X, np.array(["a", "b"] * 6)),
        (X, X[:, 0].astype(object)),
        (X, None),
    ],
)
def test_other_shapes_and_labels_are_left_to_scikit_learn(rows, y):
    assert not are_plain(rows, y, "C")


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
