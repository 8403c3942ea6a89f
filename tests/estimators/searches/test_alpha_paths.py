"""Searches over alpha by Gram matrices: paths are scikit-learn's, and the final fit is proved."""

import numpy as np
import pytest
import sklearn.linear_model as peers
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

import rrmlinear

SHAPES = [(30, 4), (60, 45), (50, 50), (40, 90), (30, 620)]


def problem(n, d, kind):
    rng = np.random.default_rng(n + d)
    X = rng.standard_normal((n, d)) + 2
    if kind == "sparse":
        X = csr_array(np.where(rng.random((n, d)) < 0.3, X, 0))
    y = X[:, :3] @ [1.0, -2.0, 0.5] + 0.3 * rng.standard_normal(n) + 1
    return X.astype(np.float32) if kind == "float32" else X, y, rng.integers(0, 3, n) / 2


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["dense", "sparse", "float32"])
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("ratio", [1.0, 0.5, 0.1])
def test_paths_are_theirs(shape, kind, positive, ratio):
    X, y, c = problem(*shape, kind)
    name, more = ("LassoCV", {}) if ratio == 1 else ("ElasticNetCV", {"l1_ratio": ratio})
    same = {"cv": 3, "alphas": 15, "eps": 0.02, "positive": positive, **more}
    ours = getattr(rrmlinear, name)(tol=1e-10, **same).fit(X, y, c)
    theirs = getattr(peers, name)(tol=1e-10, max_iter=200_000, **same)
    theirs.fit(X.astype(np.float64), y, sample_weight=c)
    rough = 1e-3 if kind == "float32" else 2e-4
    assert_allclose(ours.mse_path_, theirs.mse_path_, rtol=rough)
    assert ours.alpha_ == pytest.approx(theirs.alpha_, rel=1e-4)
    assert_allclose(ours.coef_, theirs.coef_, atol=2e-3)
    assert ours.duality_gap_ <= 1e-10 * ours.objective_
    assert ours.status_.name == "SOLVED"


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("intercept", [True, False])
def test_several_ratios_of_wide_data(kind, intercept):
    X, y, _ = problem(40, 700, kind)
    same = {"l1_ratio": [0.5, 0.9], "alphas": 5, "eps": 0.1, "cv": 3, "fit_intercept": intercept}
    ours = rrmlinear.ElasticNetCV(tol=1e-10, **same).fit(X, y)
    theirs = peers.ElasticNetCV(tol=1e-8, max_iter=200_000, **same).fit(X, y)
    assert ours.mse_path_.shape == theirs.mse_path_.shape
    assert_allclose(ours.mse_path_, theirs.mse_path_, rtol=2e-4)
    assert ours.l1_ratio_ == theirs.l1_ratio_
    assert ours.alpha_ == pytest.approx(theirs.alpha_)


def test_sparse_columns_far_from_0():
    X, y, _ = problem(60, 10, "dense")
    far = X + 1e5
    ours = rrmlinear.LassoCV(cv=3, alphas=10, tol=1e-6).fit(csr_array(far), y)
    dense = rrmlinear.LassoCV(cv=3, alphas=10, tol=1e-6).fit(X, y)
    assert_allclose(ours.mse_path_, dense.mse_path_, rtol=1e-3)
    assert_allclose(ours.coef_, dense.coef_, atol=1e-3)


@pytest.mark.parametrize("shape", SHAPES[:4:3])
@pytest.mark.parametrize("name", ["LassoCV", "MultiTaskLassoCV", "MultiTaskElasticNetCV"])
def test_equal_alphas_find_the_same(shape, name):
    X, y, _ = problem(*shape, "dense")
    Y, search = np.c_[y, y] if "Multi" in name else y, getattr(rrmlinear, name)
    path = search(alphas=[0.3, 0.1, 0.1, 0.1, 0.03], tol=1e-8).fit(X, Y).mse_path_
    found = [m(alphas=[0.1], tol=1e-8).fit(X, Y).mse_path_ for m in (search, getattr(peers, name))]
    assert_allclose([*path[1:4], *found], path[[1] * 5], 1e-3)
    assert (search().fit(X, 0 * Y + 5).predict(X) == 5).all()  # their alphas are all 1e-15
