"""KernelClassifier and KernelRegressor: scikit-learn's machines, and a conic solver's optimum."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.datasets import make_moons
from sklearn.exceptions import NotFittedError
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import linear_kernel, pairwise_kernels, rbf_kernel
from sklearn.svm import SVC, SVR

from rrmlinear import KernelClassifier, KernelRegressor, LinearClassifier
from rrmlinear.estimators.kernels.features import KernelFeatures
from rrmlinear.estimators.kernels.pairs import PairClassifier
from rrmlinear.solvers.loop.result import Status

GAMMA = {"gamma": 0.7}


@pytest.fixture(scope="module")
def moons():
    return make_moons(120, noise=0.3, random_state=0)


@pytest.fixture(scope="module")
def wave():
    rng = np.random.default_rng(1)
    X = rng.uniform(-3, 3, (90, 2))
    return X, np.sin(X[:, 0]) + 0.5 * X[:, 1] + 4 + 0.2 * rng.standard_normal(90)


@pytest.mark.parametrize("name", ["rbf", "linear", "poly"])
@pytest.mark.parametrize("solver", ["auto", "pdprox-dual"])
def test_the_support_vector_machine_of_scikit_learn(moons, name, solver):
    X, y = moons
    new = X + 0.1
    given = {} if name == "linear" else GAMMA
    svc = SVC(C=0.5, kernel="precomputed", tol=1e-10)
    svc.fit(pairwise_kernels(X, metric=name, **given), y)
    expected = svc.decision_function(pairwise_kernels(new, X, metric=name, **given))
    tol = 1e-10 if solver == "auto" else 1e-7
    choices = {"C": 0.5, "kernel": name, "kernel_params": given, "solver": solver, "tol": tol}
    found = KernelClassifier(**choices).fit(X, y)
    assert found.status_ is Status.SOLVED
    assert_allclose(found.decision_function(new), expected, atol=1e-4 if solver == "auto" else 5e-2)
    assert_allclose(found.predict(new), svc.classes_[(expected > 0).astype(int)])
    alphas = np.zeros(len(y))
    alphas[svc.support_] = svc.dual_coef_[0]
    K = pairwise_kernels(X, metric=name, **given)
    optimum = alphas @ K @ alphas / 2
    optimum += 0.5 * np.maximum(0, 1 - (2 * y - 1) * svc.decision_function(K)).sum()
    assert found.trace_[-1].primal == pytest.approx(optimum, rel=1e-6)
    assert found.norms_[0, 0] ** 2 == pytest.approx(alphas @ K @ alphas, rel=1e-3)


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_a_gaussian_kernel_of_points_far_from_0(moons, loss):
    """Of these the rounding of squared lengths is larger than the distances."""
    X, y = moons
    X = np.round(X * 2**20) / 2**20  # moved without rounding
    far = X + 2.0**30
    choices = {"loss": loss, "kernel_params": GAMMA, "tol": 1e-8}
    near = KernelClassifier(**choices).fit(X, y)
    found = KernelClassifier(**choices).fit(far, y)
    assert found.objective_ == pytest.approx(near.objective_, rel=1e-6)
    scores = near.decision_function(X[:9])
    assert_allclose(found.decision_function(far[:9]), scores, atol=1e-4)


def test_the_support_vector_regression_of_scikit_learn(wave):
    X, y = wave
    K = rbf_kernel(X, **GAMMA)
    expected = SVR(C=2.0, epsilon=0.1, kernel="precomputed", tol=1e-10).fit(K, y).predict(K)
    choices = {"C": 2.0, "epsilon": 0.1, "tol": 1e-10}
    found = KernelRegressor(kernel_params=GAMMA, **choices).fit(X, y)
    assert_allclose(found.predict(X), expected, atol=1e-5)
    precomputed = KernelRegressor(kernel="precomputed", **choices).fit(K, y)
    assert_allclose(precomputed.predict(K[:7]), found.predict(X[:7]), atol=1e-9)
    assert precomputed.dual_coef_.shape == (1, 90)
    assert_allclose(
        precomputed.predict(K), K @ precomputed.dual_coef_[0] + precomputed.intercept_, atol=1e-12
    )


@pytest.mark.parametrize("regularizer", [None, "l2-norm", "l2"])
@pytest.mark.parametrize("budget", [None, 10])
def test_several_kernels_have_the_optimum_of_a_conic_solver(moons, regularizer, budget):
    cp = pytest.importorskip("cvxpy", reason="the conic solver is in the test extra")
    X, y = moons[0][:50], moons[1][:50]
    names = ["rbf", "linear", lambda a, b, shift: (a @ b.T + shift) ** 2]
    given = [GAMMA, None, {"shift": 1.0}]
    found = KernelClassifier(
        kernel=names, kernel_params=given, regularizer=regularizer, C=0.2, tol=1e-7, budget=budget
    ).fit(X, y)
    assert found.status_ is Status.SOLVED
    matrices = [rbf_kernel(X, **GAMMA), linear_kernel(X), (X @ X.T + 1) ** 2]
    norms, scores, b = [], 0, cp.Variable()
    for K in matrices:
        values, vectors = np.linalg.eigh(K)
        F = vectors * np.sqrt(np.maximum(values, 0))
        w = cp.Variable(50)
        norms.append(cp.norm(w))
        scores += F @ w
    omega = {
        None: cp.square(cp.sum(norms)),
        "l2-norm": cp.norm(cp.hstack(norms)),
        "l2": cp.sum_squares(cp.hstack(norms)) / 2,
    }[regularizer]
    losses = cp.pos(1 - cp.multiply(2 * y - 1, scores + b))
    total = cp.sum(losses) if budget is None else cp.sum_largest(losses, budget)
    optimum = cp.Problem(cp.Minimize(omega + 0.2 * total)).solve(solver=cp.CLARABEL)
    assert found.trace_[-1].primal == pytest.approx(optimum, rel=1e-6)
    assert_allclose(
        found.norms_[0],
        [norm.value for norm in norms],
        atol=1e-3 * np.abs(found.norms_).max() + 1e-3,
    )
    assert found.dual_coef_.shape == (3, 1, 50)
    together = sum(K @ a[0] for K, a in zip(matrices, found.dual_coef_, strict=True))
    assert_allclose(found.decision_function(X), together + found.intercept_, atol=1e-9)


def test_several_kernels_with_a_loss_of_all_classes(iris):
    cp = pytest.importorskip("cvxpy", reason="the conic solver is in the test extra")
    X, y = iris[0][::3], iris[1][::3]
    found = KernelClassifier(
        "crammer-singer", kernel=["rbf", "linear"], C=0.3, tol=1e-6, fit_intercept=False
    ).fit(X, y)
    names, at = np.unique(y, return_inverse=True)
    scores, norms = 0, []
    for K in (rbf_kernel(X), linear_kernel(X)):
        values, vectors = np.linalg.eigh(K)
        W = cp.Variable((len(y), len(names)))
        norms.append(cp.pnorm(W, 2))
        scores += (vectors * np.sqrt(np.maximum(values, 0))) @ W
    rivals = [[j for j in range(len(names)) if j != k] for k in at]
    losses = [cp.pos(1 + cp.max(scores[i, rivals[i]]) - scores[i, k]) for i, k in enumerate(at)]
    objective = cp.square(cp.sum(norms)) + 0.3 * cp.sum(losses)
    optimum = cp.Problem(cp.Minimize(objective)).solve(solver=cp.CLARABEL)
    assert found.trace_[-1].primal == pytest.approx(optimum, rel=2e-6)
    assert found.dual_coef_.shape == (2, 3, len(y))
    assert found.score(X, y) > 0.9


@pytest.mark.parametrize("name", ["rbf", "precomputed"])
def test_nystroem_has_the_features_of_scikit_learn(moons, name):
    X, y = moons
    K = rbf_kernel(X, **GAMMA)
    given = {"kernel": name, "kernel_params": GAMMA if name == "rbf" else None}
    data = X if name == "rbf" else K
    choices = {"C": 0.5, "tol": 1e-9, "n_components": 20, "random_state": 3}
    found = KernelClassifier(**choices, **given).fit(data, y)
    assert found.dual_coef_.shape == (1, 20)
    chosen = found.indices_
    assert len(set(chosen)) == 20
    theirs = Nystroem(kernel="rbf", gamma=0.7, n_components=20, random_state=0).fit(X[chosen])
    F = theirs.transform(X)
    ours = KernelFeatures("rbf", GAMMA, X[chosen]).of(X)
    assert_allclose(ours @ ours.T, F @ F.T, atol=1e-7)
    machine = LinearClassifier("hinge", C=0.5, tol=1e-9).fit(F, y)
    assert_allclose(found.decision_function(data), machine.decision_function(F), atol=2e-3)
    assert found.trace_[-1].primal == pytest.approx(machine.trace_[-1].primal, rel=1e-7)
    again = KernelClassifier(**choices, **given).fit(data, y)
    assert_allclose(again.decision_function(data), found.decision_function(data), atol=0)


def test_probabilities_formats_and_more_classes(iris, moons):
    X, y = iris
    choices = {"kernel_params": {"gamma": 0.1}, "C": 2.0, "tol": 1e-8}
    dense = KernelClassifier("logistic", **choices).fit(X, y)
    assert dense.dual_coef_.shape == (3, len(y))
    assert_allclose(dense.predict_proba(X).sum(axis=1), 1)
    sparse = KernelClassifier("logistic", **choices).fit(csr_array(X), y)
    assert_allclose(sparse.decision_function(X), dense.decision_function(X), atol=1e-6)
    two = KernelClassifier("logistic", **choices).fit(*moons)
    assert_allclose(two.predict_proba(moons[0])[:, 1] > 0.5, two.decision_function(moons[0]) > 0)
    assert not hasattr(KernelClassifier(), "predict_proba")


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"kernel": "rbg"}, "kernel is 'rbg'; it must be one of .*rbf"),
        ({"kernel": ["rbf", "precomputed"]}, "kernel is 'precomputed'; it must be one of"),
        ({"kernel": []}, "kernel is an empty list"),
        ({"kernel": ["rbf"], "kernel_params": [{}, {}]}, "2 kernel_params for 1 kernels"),
        ({"kernel_params": 3}, "kernel_params is 3; it must be a dict or None"),
        ({"kernel": "precomputed"}, "a precomputed kernel must be a square matrix"),
        ({"kernel": lambda a, b: a}, "must make a finite matrix of shape"),
        ({"kernel": lambda a, b: -a @ b.T}, "is not positive semidefinite on the data"),
        ({"loss": "logistic", "budget": 2.0}, "budget has no effect with loss logistic"),
    ],
)
def test_what_is_no_kernel_machine_is_refused(moons, choices, message):
    with pytest.raises(ValueError, match=message):
        KernelClassifier(**choices).fit(*moons)


def test_pairs_of_duals_find_the_machines_of_each_class(iris):
    X, y = iris
    found = KernelClassifier(kernel_params={"gamma": 0.3}, C=5.0, tol=1e-9).fit(X, y)
    assert found.status_ is Status.SOLVED
    assert isinstance(found.linear_, PairClassifier)
    for j, name in enumerate(found.classes_):
        one = SVC(C=5.0, gamma=0.3, tol=1e-10).fit(X, y == name)
        assert_allclose(found.decision_function(X)[:, j], one.decision_function(X), atol=2e-4)
        norm = one.dual_coef_ @ rbf_kernel(one.support_vectors_, gamma=0.3) @ one.dual_coef_.T
        assert found.norms_[j, 0] == pytest.approx(np.sqrt(norm.item()), rel=1e-4)
    sparse = KernelClassifier(kernel_params={"gamma": 0.3}, C=5.0, tol=1e-9).fit(csr_array(X), y)
    assert_allclose(sparse.decision_function(X), found.decision_function(X), atol=2e-4)


@pytest.mark.parametrize("kernel", ["laplacian", "poly", "sigmoid", "cosine", "callable"])
def test_pairs_of_duals_serve_every_kernel(moons, kernel):
    X, y = moons
    choices = {"kernel": kernel, "C": 2.0, "tol": 1e-8}
    if kernel == "callable":
        choices |= {"kernel": lambda a, b, shift: (a @ b.T + shift) ** 2}
        choices |= {"kernel_params": {"shift": 1.0}}
    if kernel == "sigmoid":  # positive semidefinite on these points alone
        choices |= {"kernel_params": {"gamma": 1e-4, "coef0": 0.0}}
        X = X[:, :1]
    by_pairs = KernelClassifier(**choices).fit(X, y)
    features = KernelClassifier(**choices, budget=len(y)).fit(X, y)
    assert by_pairs.trace_[-1].primal == pytest.approx(features.trace_[-1].primal, rel=1e-6)


def test_features_go_on_where_pairs_of_duals_are_slow(moons):
    X, y = moons
    found = KernelClassifier(kernel="linear", C=1e3, tol=1e-6).fit(X, y)
    assert found.status_ is Status.SOLVED
    assert isinstance(found.linear_, LinearClassifier)
    assert not isinstance(found.linear_, PairClassifier)
    linear = LinearClassifier("hinge", C=1e3, tol=1e-6).fit(X, y)
    assert found.trace_[-1].primal == pytest.approx(linear.trace_[-1].primal, rel=2e-6)


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({"C": -1}, "The 'C' parameter of Kernel"),
        ({"loss": "none"}, "loss is 'none'; it must be one of hinge, "),
        ({"class_weight": {0: -1}}, "the weight of class 0 is -1"),
        ({"regularizer": "l1"}, "regularizer is 'l1'; it must be one of l2, "),
        ({"budget": -1.0}, "budget is -1.0, it must lie between 1e-100 and 1e.100"),
    ],
)
def test_wrong_parameters_are_refused_before_the_kernel_is_computed(choices, sentence):
    def unused(first, second):
        raise AssertionError("the kernel was computed")

    with pytest.raises(ValueError, match=f"^{sentence}"):
        KernelClassifier(kernel=unused, **choices).fit(np.eye(4), [0, 1, 0, 1])
    with pytest.raises(ValueError, match=r"The .C. parameter of Kernel"):
        KernelRegressor(kernel=unused, C=-1).fit(np.eye(4), np.arange(4.0))


def test_probabilities_before_the_fit_are_refused(moons):
    with pytest.raises(NotFittedError):
        KernelClassifier("logistic").predict_proba(moons[0])


@pytest.mark.parametrize("given", [{"gamma": -1.0}, {"gamma": "wide"}, {"width": 2.0}])
def test_wrong_parameters_of_a_gaussian_kernel_are_refused(given):
    X, y = np.arange(12.0).reshape(6, 2), np.array([0, 1] * 3)
    with pytest.raises((ValueError, TypeError), match=r"gamma|width"):
        KernelClassifier("hinge", kernel_params=given).fit(X, y)
    assert KernelClassifier("hinge", kernel_params={"gamma": None}).fit(X, y).score(X, y) > 0


def test_rows_that_are_all_equal_and_tiny_penalties():
    """A penalty that is rounding is one of the dual weights, not of weights of X."""
    KernelClassifier().fit(np.zeros((6, 1)), np.arange(6) % 2)
    found = KernelRegressor().fit(np.zeros((3, 1)), np.arange(3.0)).predict(np.zeros((1, 1)))
    assert 0 <= found[0] <= 2
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(6, 5)), rng.normal(size=6)
    with warnings.catch_warnings(action="ignore"):
        model = KernelRegressor("absolute", alpha=1e-14).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-6)
