"""LinearClassifier and LinearRegressor: certificates, weights, and their callers."""

import math

import numpy as np
import pytest
from members import CLASS_LOSSES, REAL_LOSSES, SIGN_LOSSES, labels_in_domain
from numpy.testing import assert_allclose, assert_array_equal

from rrmlinear import LinearClassifier, LinearRegressor, Parameter, Problem, fit
from rrmlinear.catalog.losses import LOSSES
from rrmlinear.catalog.selection import select
from rrmlinear.solvers.loop.result import Status


def net(l1):
    """The parameters of ½‖w‖² + l1 ‖w‖₁."""
    return {"regularizer": "elastic-net", "l1": l1} if l1 else {}


def soft(v, threshold):
    return np.sign(v) * np.maximum(np.abs(v) - threshold, 0)


@pytest.mark.parametrize("l1", [None, 0.3])
@pytest.mark.parametrize("loss", SIGN_LOSSES)
def test_two_classes_and_their_certificate(two_classes, loss, l1):
    X, y = two_classes
    estimator = LinearClassifier(loss, C=0.4, tol=1e-9, fit_intercept=False, **net(l1)).fit(X, y)
    assert estimator.status_ is Status.SOLVED
    assert (estimator.coef_.shape, estimator.intercept_.shape) == ((1, 6), (1,))
    w, alphas, signs = estimator.coef_[0], estimator.dual_coef_, np.where(y == "yes", 1.0, -1.0)
    of_duals = soft(0.4 * X.T @ alphas, l1 or 0)
    phi = select(Parameter(solver=32, loss=loss)).loss
    primal = w @ w / 2 + (l1 or 0) * np.abs(w).sum() + 0.4 * phi.values(signs, X @ w).sum()
    dual = -0.4 * phi.conjugates(signs, alphas).sum() - of_duals @ of_duals / 2
    assert estimator.duality_gap_ == pytest.approx(primal - dual, abs=1e-9 * primal)
    assert 0 <= estimator.duality_gap_ <= 1e-9 * max(1, primal)
    # each is at most so far from the minimum; the gap is rounded to the objective's last digit
    rounded = estimator.duality_gap_ + np.spacing(primal)
    assert np.linalg.norm(w - of_duals) <= 2 * np.sqrt(2 * rounded)
    assert_array_equal(estimator.classes_, ["no", "yes"])
    assert_array_equal(estimator.predict(X), np.where(X @ w > 0, "yes", "no"))
    assert estimator.n_iter_ == len(estimator.trace_)


@pytest.mark.parametrize("loss", CLASS_LOSSES)
@pytest.mark.parametrize("k", [2, 3])
def test_losses_of_all_classes_are_those_of_fit(iris, loss, k):
    X, y = iris
    X, y = X[y < k], y[y < k]
    estimator = LinearClassifier(loss, C=0.3, tol=1e-6, fit_intercept=False).fit(X, y)
    parameter = Parameter(solver="auto", loss=loss, C=0.3, gap_tol=1e-6)
    model = fit(Problem.from_arrays(X, y), parameter)
    weights = model.weights.T
    expected = weights[1:] - weights[:1] if k == 2 else weights
    assert_array_equal(estimator.coef_, expected)
    assert estimator.dual_coef_.shape == (len(y), k)
    assert estimator.duality_gap_ == model.result.gap
    assert_array_equal(estimator.predict(X), model.predict(X))


@pytest.mark.parametrize("l1", [None, 5.0])
@pytest.mark.parametrize("loss", REAL_LOSSES)
def test_regressions_and_their_certificate(numbers, loss, l1):
    X, y = numbers
    y = labels_in_domain(loss, y)
    estimator = LinearRegressor(
        loss, C=0.4, tol=1e-9, fit_intercept="regularized", intercept_scaling=2.0, **net(l1)
    ).fit(X, y)
    assert estimator.status_ is Status.SOLVED
    assert estimator.coef_.shape == (5,)
    assert isinstance(estimator.intercept_, float)
    wide = np.c_[X, np.full(60, 2.0)]
    w = np.r_[estimator.coef_, estimator.intercept_ / 2]
    of_duals = soft(0.4 * wide.T @ estimator.dual_coef_, l1 or 0)
    rounding = 1e-13 * estimator.objective_  # hides a gap of that size
    near = 2 * np.sqrt(2 * (estimator.duality_gap_ + rounding))
    assert np.linalg.norm(w - of_duals) <= near + 1e-9
    assert_allclose(estimator.predict(X), LOSSES[loss].means(wide @ w))
    phi = select(Parameter(solver=32, loss=loss)).loss
    primal = w @ w / 2 + (l1 or 0) * np.abs(w).sum() + 0.4 * phi.values(y, wide @ w).sum()
    assert estimator.trace_[-1].primal == pytest.approx(primal, rel=1e-9)
    assert 0 <= estimator.duality_gap_ <= 1e-9 * max(1, primal)


def test_probabilities_come_with_likelihoods(two_classes, iris):
    X, y = two_classes
    estimator = LinearClassifier("logistic").fit(X, y)
    probabilities = estimator.predict_proba(X)
    assert_allclose(probabilities[:, 1], 1 / (1 + np.exp(-estimator.decision_function(X))))
    assert_allclose(estimator.predict_log_proba(X), np.log(probabilities))
    X, y = iris
    estimator = LinearClassifier("logistic").fit(X, y)
    sigmoids = 1 / (1 + np.exp(-estimator.decision_function(X)))
    expected = sigmoids / sigmoids.sum(axis=1, keepdims=True)
    assert_allclose(estimator.predict_proba(X), expected)
    for k in (2, 3):
        estimator = LinearClassifier("softmax", fit_intercept=False).fit(X[y < k], y[y < k])
        rows = estimator.coef_ if k == 3 else np.vstack([-estimator.coef_, estimator.coef_]) / 2
        exponentials = np.exp(X @ rows.T)
        expected = exponentials / exponentials.sum(axis=1, keepdims=True)
        assert_allclose(estimator.predict_proba(X), expected)
    assert not hasattr(LinearClassifier("hinge"), "predict_proba")
    with pytest.raises(AttributeError, match="has no attribute 'predict_proba'") as caught:
        LinearClassifier("hinge").predict_proba(X)
    assert "loss hinge has scores that are no likelihoods" in str(caught.value.__cause__)


def test_verbose_prints_the_end_and_the_passes(numbers, capsys):
    LinearRegressor().fit(*numbers)
    assert capsys.readouterr().out == ""
    LinearRegressor(verbose=1).fit(*numbers)
    assert "[LinearRegressor] the duality gap is within" in capsys.readouterr().out
    estimator = LinearRegressor(solver="fista", loss="huber", tol=1e-9, verbose=2).fit(*numbers)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("[LinearRegressor] pass 1, ")
    assert lines[1].startswith("[LinearRegressor] pass 2, ")
    # one for each doubling of the passes, and for each tenth of a second
    assert len(lines) <= 3 + math.log2(estimator.n_iter_) + 10 * estimator.trace_[-1].seconds
    assert estimator.n_iter_ > 10


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"loss": "squared_hinge"}, r"'squared_hinge' \(did you mean squared-hinge\?\); it must"),
        ({"solver_options": {"blocks": 1}}, r"has 'blocks' \(did you mean block\?\); a"),
        ({"C": 1.0, "alpha": 1.0}, "only one of them may be given"),
        ({"smoothing": -1.0, "loss": "hinge"}, "smoothing is -1.0, it must be at least 0"),
        ({"smoothing": 1.0, "loss": "squared-hinge"}, "has no effect with loss squared-hinge"),
    ],
)
def test_a_parameter_out_of_range_is_named(iris, keywords, message):
    with pytest.raises(ValueError, match=message):
        LinearClassifier(**keywords).fit(*iris)


def test_wrong_data_are_named(iris):
    X, y = iris
    with pytest.raises(ValueError, match="LinearClassifier needs samples of at least 2 classes"):
        LinearClassifier().fit(X, np.zeros(len(y)))
    with pytest.raises(ValueError, match="are zero for all examples"):
        LinearClassifier(class_weight={0: 0.0, 1: 0.0, 2: 0.0}).fit(X, y)
    with pytest.raises(ValueError, match="Unknown label type"):
        LinearClassifier().fit(X, y + 0.5)


@pytest.mark.parametrize("bounds", [{"lower": 0.0}, {"upper": [0.5, 0.0, np.inf]}])
@pytest.mark.parametrize("solver", ["auto", "fista"])
def test_bounds_do_not_depend_on_the_class_of_the_first_example(bounds, solver):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.where(X @ [1.0, 1.0, -1.0] + 0.3 * rng.normal(size=60) > 0, "yes", "no")
    model = LinearClassifier("logistic", tol=1e-9, solver=solver, **bounds)
    found = []
    for first in ("yes", "no"):
        order = np.argsort(y != first, kind="stable")
        model.fit(X[order], y[order])
        found.append((model.coef_, model.objective_))
        assert (model.coef_ >= bounds.get("lower", -np.inf)).all()
        assert (model.coef_ <= np.asarray(bounds.get("upper", np.inf))).all()
    assert_allclose(*(coef for coef, _ in found), atol=1e-3)
    assert found[0][1] == pytest.approx(found[1][1], rel=1e-6)
