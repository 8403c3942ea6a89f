"""rrmlinear.path: each point has its own problem's minimum."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning

import rrmlinear
from rrmlinear import LinearClassifier, LinearRegressor
from rrmlinear.solvers.loop.result import Status


def test_every_point_is_a_minimum(two_classes):
    X, y = two_classes
    Cs = [1.0, 0.01, 0.1]
    path = rrmlinear.path(
        X, y, loss="logistic", Cs=Cs, regularizer="elastic-net", l1=0.05, tol=1e-9
    )
    assert_array_equal(path.Cs, [0.01, 0.1, 1.0])
    assert_array_equal(path.classes, ["no", "yes"])
    assert path.coefs.shape == (3, 1, 6)
    assert path.intercepts.shape == (3, 1)
    assert path.statuses == (Status.SOLVED,) * 3
    for at, C in enumerate(path.Cs):
        alone = LinearClassifier("logistic", C=C, regularizer="elastic-net", l1=0.05, tol=1e-9).fit(
            X, y
        )
        assert path.primals[at] == pytest.approx(alone.trace_[-1].primal, rel=2e-9)
        assert_allclose(path.coefs[at], alone.coef_, atol=1e-3)
        assert 0 <= path.gaps[at] <= 1e-9 * max(1, path.primals[at])


def test_features_come_in_along_a_sparse_path(numbers):
    X, y = numbers
    path = rrmlinear.path(
        X, y, loss="squared", Cs=np.geomspace(1e-4, 10, 12), regularizer="elastic-net"
    )
    assert path.classes is None
    assert path.nonzeros[0] == 0
    assert path.nonzeros[-1] >= 3
    assert_array_equal(path.nonzeros, [(coef != 0).any(0).sum() for coef in path.coefs])
    assert (np.diff(path.primals) >= -path.gaps[:-1]).all()
    weaker = LinearRegressor("squared", C=10.0, regularizer="elastic-net").fit(X, y)
    assert_allclose(path.coefs[-1, 0], weaker.coef_, atol=0.05)


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("loss", ["poisson", "huber", "logistic"])
def test_a_path_agrees_with_fits_alone(numbers, loss, is_sparse):
    X, y = numbers
    y = {"poisson": np.round(np.exp(0.3 * y)), "huber": y, "logistic": y > 0}[loss]
    family = LinearClassifier if loss == "logistic" else LinearRegressor
    weights = np.random.default_rng(1).random(60)
    own = {"regularizer": "elastic-net", "l1": 0.3, "tol": 1e-8}
    data = csr_array(X) if is_sparse else X, y
    Cs = np.geomspace(0.01, 1, 7)
    path = rrmlinear.path(*data, loss=loss, Cs=Cs, sample_weight=weights, **own)
    for C, primal, gap in zip(path.Cs, path.primals, path.gaps, strict=True):
        alone = family(loss, C=C, **own).fit(*data, weights).trace_[-1]
        assert gap <= 1e-8 * primal
        assert primal == pytest.approx(alone.primal, rel=2e-8)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_more_classes_have_rows_of_their_own(iris):
    X, y = iris
    path = rrmlinear.path(X, y, Cs=3, max_iter=20)
    assert_allclose(path.Cs, [1e-4, 1.0, 1e4])
    assert path.coefs.shape == (3, 3, 4)


def test_what_does_not_arrive_is_told(numbers):
    with pytest.warns(ConvergenceWarning, match="after 1 pass"):
        path = rrmlinear.path(*numbers, loss="absolute", Cs=[1.0], max_iter=1, tol=1e-9)
    assert path.statuses == (Status.PASS_LIMIT,)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"Cs": []}, "Cs is empty; at least one value is needed"),
        ({"Cs": 0}, "Cs is 0; it must be a whole number from 1 on"),
        ({"Cs": [1.0, -2.0]}, "Cs has -2; all values must be finite and above 0"),
        ({"alpha": 1.0}, "alpha may not be given: the path runs over Cs"),
        ({"loss": "cubed"}, "loss is 'cubed'; it must be one of"),
    ],
)
def test_wrong_choices_are_named(iris, choices, message):
    with pytest.raises(ValueError, match=message):
        rrmlinear.path(*iris, **choices)
