"""Newton's method with any regularizer: proximal points prove the optimum where columns differ."""

import numpy as np
import pytest

from rrmlinear import LinearClassifier, LinearRegressor
from rrmlinear.regularizers.bounded import Bounded
from rrmlinear.regularizers.coordinates import coordinates_of
from rrmlinear.regularizers.groups.group_norms import L2Groups, LinfGroups
from rrmlinear.regularizers.separable import L1, L2
from rrmlinear.regularizers.spectral import TraceNorm
from rrmlinear.solvers.second_order.penalties import CoordinateModel, Envelope, ProximalPoints

N, D, K = 60, 12, 3
OF_ALL = ("l1", "linf", "l2-norm", "group-lasso", "sparse-group-lasso", "squared-group-norm")
OF_CLASSES = ("l1", "l21", "l1inf", "trace-norm")


def data(k):
    """Columns of lengths 10^u, u in ±3; labels of k classes, or numbers."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((N, D))
    targets = X @ rng.standard_normal((D, max(k, 1))) + rng.standard_normal((N, max(k, 1)))
    X = X * 10 ** rng.uniform(-3, 3, D)
    return X, targets.argmax(axis=1) if k > 1 else targets[:, 0]


def groups_of(name):
    return {"groups": np.arange(D) // 4} if "group" in name else {}


@pytest.mark.parametrize("solver", ["newton", "auto"])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("regularizer", OF_ALL)
@pytest.mark.parametrize("loss", ["absolute", "quantile", "squared", "epsilon-insensitive"])
def test_residuals_are_solved_whatever_the_columns(loss, regularizer, C, solver):
    X, y = data(1)
    chosen = {"regularizer": regularizer, "C": C} | groups_of(regularizer)
    model = LinearRegressor(loss, **chosen, tol=1e-6, max_iter=1500, solver=solver).fit(X, y)
    assert model.status_.name == "SOLVED"


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("regularizer", OF_CLASSES)
@pytest.mark.parametrize("loss", ["weston-watkins", "crammer-singer", "softmax"])
def test_classes_are_solved_whatever_the_columns(loss, regularizer, C):
    X, y = data(K)
    model = LinearClassifier(loss, regularizer=regularizer, C=C, tol=1e-6, max_iter=1500).fit(X, y)
    assert model.status_.name == "SOLVED"


def models():
    rng = np.random.default_rng(5)
    z = rng.standard_normal(D)
    metric = rng.uniform(0.1, 10, D)
    free = Bounded(L2(1.0), factors=np.where(np.arange(D) < 3, 0.0, 2.0), limit=0.5)
    for omega in (L1(0.7), free):
        yield CoordinateModel(omega, coordinates_of(omega, D), z, rng.uniform(0.5, 2, D))
    for omega in (L2Groups(), LinfGroups(), TraceNorm().over((4, 3))):
        yield Envelope(omega, z, 1.7)
    yield ProximalPoints(Envelope(L2Groups([0] * 6 + [1] * 6), z, 1.7), metric, 0.3)


@pytest.mark.parametrize("model", list(models()), ids=lambda model: type(model).__name__)
def test_curvature_is_the_derivative_of_the_gradient(model):
    rng = np.random.default_rng(6)
    w, d = rng.standard_normal(D), rng.standard_normal(D)
    curvature = model.curvature(w)
    product = curvature * d if curvature.ndim == 1 else curvature @ d
    rise = (model.gradient(w + 1e-6 * d) - model.gradient(w - 1e-6 * d)) / 2e-6
    np.testing.assert_allclose(product, rise, atol=1e-6)
    assert model.along(w, d)(0.5) == pytest.approx(model.gradient(w + 0.5 * d) @ d, rel=1e-12)
