"""A summary says which weights the data do not determine, in any units of the columns."""

import numpy as np
import pytest
from every_estimator import X, names, numbers, truth

import rrmlinear as rrm


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (rrm.Ridge(0, tol=1e-12), numbers),
        (rrm.LogisticRegression(C=np.inf, tol=1e-12), truth),
        (rrm.LogisticRegression(C=np.inf, tol=1e-12), names),
    ],
)
def test_weights_that_the_data_do_not_determine_have_no_errors(model, y):
    one = np.column_stack([1e-6 * X[:, 0], 1e6 * X[:, 1:]])
    plain = model.fit(one, y).summary(one, y)
    assert not plain.undetermined.any()
    assert "nan" not in str(plain)
    twice = np.column_stack([one, one[:, 0]])
    found = model.fit(twice, y).summary(twice, y)
    first = np.isin(np.arange(6), [0, 4])
    np.testing.assert_array_equal(np.isnan(found.std_errors), found.undetermined)
    np.testing.assert_array_equal(found.undetermined, [first] * len(found.weights))
    theirs = np.delete(plain.std_errors, 0, axis=1)
    np.testing.assert_allclose(found.std_errors[:, ~first], theirs, rtol=1e-4)
    assert "nan where the data do not determine a weight" in str(found)


@pytest.mark.parametrize("ties", ["breslow", "efron"])
def test_a_constant_column_of_times_has_no_error(ties):
    rng = np.random.default_rng(3)
    rows = np.column_stack([np.ones(80), rng.normal(size=(80, 2)) * [1.0, 1e4]])
    times = np.column_stack([rng.integers(1, 30, 80), rng.random(80) < 0.7])
    found = rrm.CoxRegressor(0, ties=ties).fit(rows, times).summary(rows, times)
    np.testing.assert_array_equal(found.undetermined, [[True, False, False]])
    plain = rrm.CoxRegressor(0, ties=ties).fit(rows[:, 1:], times).summary(rows[:, 1:], times)
    np.testing.assert_allclose(found.std_errors[0, 1:], plain.std_errors[0], rtol=1e-6)
