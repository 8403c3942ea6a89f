"""Laws of every estimator: weights, forms of data, seeds, limits, starts, and wrong parameters."""

import warnings

import numpy as np
import pytest
from every_estimator import EVERY
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.utils._param_validation import generate_invalid_param_val, make_constraint
from sklearn.utils.estimator_checks import check_parameters_default_constructible
from sklearn.utils.validation import has_fit_parameter

from rrmlinear.solvers.loop.result import Status

every = pytest.mark.parametrize(
    ("estimator", "X", "y"), EVERY, ids=lambda each: getattr(type(each), "__name__", None)
)
TOL = 1e-6


def fitted(estimator, X, y, weights=None, **choices):
    given = {} if weights is None else {"sample_weight": weights}
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        warnings.filterwarnings("ignore", "no ensemble has a soft margin")
        return clone(estimator).set_params(**choices).fit(X, y, **given)


def exact(estimator, X, y, weights=None, **choices):
    found = fitted(estimator, X, y, weights, tol=TOL, **choices)
    assert found.status_ in (Status.SOLVED, Status.BOUNDED)
    assert 0 <= found.duality_gap_ <= 9 * TOL * max(1, abs(found.objective_))
    return found


def assert_one_optimum(one, other):
    """Each objective is no farther from the common optimum than its gap."""
    away = abs(one.objective_ - other.objective_)
    rounding = 1e-9 * max(abs(one.objective_), 1e-3)  # an optimum may be 0
    assert away <= max(one.duality_gap_, other.duality_gap_) + rounding


def is_search(estimator):
    return hasattr(estimator, "cv")


def is_list(X):
    return isinstance(X, list)


def repeated(part, often):
    if part is None:
        return None
    return [part[i] for i in often] if is_list(part) else part[often]


@every
def test_weights_are_repetitions(estimator, X, y):
    if is_search(estimator) or not has_fit_parameter(estimator, "sample_weight"):
        pytest.skip("repetitions make other folds, or there are no weights")
    n = len(X) if is_list(X) else X.shape[0]
    weights = np.random.default_rng(1).integers(0, 3, n)
    often = np.repeat(np.arange(n), weights)
    once = exact(estimator, X, y, weights)
    assert_one_optimum(once, exact(estimator, repeated(X, often), repeated(y, often)))
    with pytest.raises(ValueError, match="zero"):
        fitted(estimator, X, y, np.zeros(n))


def sparse(part):
    return (csr_array(part[0]), *part[1:]) if isinstance(part, tuple) else csr_array(part)


@every
def test_sparse_equals_dense(estimator, X, y):
    other = [sparse(part) for part in X] if is_list(X) else csr_array(X)
    one, other = exact(estimator, X, y), exact(estimator, other, y)
    assert_one_optimum(one, other)


@every
def test_the_same_seed_gives_the_same_bits(estimator, X, y):
    one, other = fitted(estimator, X, y), fitted(estimator, X, y)
    assert (one.objective_, one.duality_gap_) == (other.objective_, other.duality_gap_)
    predicted = [np.concatenate(each.predict(X), axis=None) for each in (one, other)]
    np.testing.assert_array_equal(*predicted)


@every
@pytest.mark.parametrize("unfinished", [Status.PASS_LIMIT, Status.STOPPED_BY_CALLER])
def test_a_run_that_ends_early_has_a_true_gap(estimator, X, y, unfinished):
    if is_search(estimator):
        pytest.skip("it chooses another problem")
    best, seen = exact(estimator, X, y), []
    ends = {"callback": lambda row: seen.append(row) or True}
    choices = {"max_iter": 1} if unfinished is Status.PASS_LIMIT else ends
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = clone(estimator).set_params(tol=1e-12, **choices).fit(X, y)
    assert_one_optimum(found, best)
    assert found.status_ is unfinished or found.duality_gap_ <= 1e-9 * abs(found.objective_)
    told = [each for each in caught if issubclass(each.category, ConvergenceWarning)]
    assert bool(told) == (found.status_ is Status.PASS_LIMIT)
    assert all(each.filename == __file__ for each in told)
    assert bool(seen) == (unfinished is Status.STOPPED_BY_CALLER)


@every
def test_wrong_weights_are_refused(estimator, X, y):
    if not has_fit_parameter(estimator, "sample_weight") or is_list(X):
        pytest.skip("its examples have no weights")
    n = np.shape(X)[0]
    wrong = np.zeros(n), -np.ones(n), np.ones(n - 1), [2.0], 1j * np.ones(n), ["a"] * n
    said = "zero", "must be at least 0", "but X has", "but X has", "complex", "text is not conv"
    for weights, words in zip(wrong, said, strict=True):
        with pytest.raises(ValueError, match=words):
            clone(estimator).fit(X, y, sample_weight=weights)


@every
def test_a_warm_start_is_quick_and_serves_other_data(estimator, X, y):
    if "warm_start" not in estimator.get_params() or is_search(estimator):
        pytest.skip("it has no starts")
    model = exact(estimator, X, y, warm_start=True)
    passes, cold = np.max(model.n_iter_), exact(estimator, X, y)
    assert np.max(model.fit(X, y).n_iter_) <= passes
    assert_one_optimum(model, cold)
    fewer = np.arange(2, 12) if is_list(X) else np.arange(9, 48)
    X, y = repeated(X, fewer), repeated(y, fewer)
    assert_one_optimum(model.fit(X, y), exact(estimator, X, y))


@every
def test_a_grid_search_takes_it(estimator, X, y):
    name = next((name for name in ("C", "alpha", "lam") if name in estimator.get_params()), None)
    if name is None or not hasattr(estimator, "score"):
        pytest.skip("nothing to search")
    search = GridSearchCV(clone(estimator), {name: [0.1, 1.0]}, cv=KFold(2), error_score="raise")
    with warnings.catch_warnings(action="ignore"):
        assert np.isfinite(search.fit(X, y).best_score_)


CLASSES = {type(estimator).__name__: (estimator, X, y) for estimator, X, y in EVERY}


@pytest.mark.parametrize("name", CLASSES)
def test_wrong_numbers_are_named(name):
    estimator, X, y = CLASSES[name]
    check_parameters_default_constructible(name, type(estimator)())
    for parameter in estimator.get_params(deep=False):
        assert not parameter.startswith("_")
        allowed = estimator._parameter_constraints.get(parameter, ())
        for each in map(make_constraint, allowed):
            try:
                wrong = generate_invalid_param_val(each)
            except NotImplementedError:
                continue
            with pytest.raises(ValueError, match=f"The '{parameter}' parameter of {name} must be"):
                clone(estimator).set_params(**{parameter: wrong}).fit(X, y)


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("parameter", ["loss", "solver", "regularizer"])
def test_wrong_names_are_named(name, parameter):
    estimator, X, y = CLASSES[name]
    if parameter not in estimator.get_params():
        pytest.skip(f"it has no {parameter}")
    said = (
        f"{parameter} is 'wrong'; it must be one of|The '{parameter}' parameter of {name} must be"
    )
    with pytest.raises(ValueError, match=f"{said}|unknown {parameter} 'wrong'; there are"):
        clone(estimator).set_params(**{parameter: "wrong"}).fit(X, y)
