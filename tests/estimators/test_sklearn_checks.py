"""scikit-learn's own checks of an estimator."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from rrmlinear import (
    KernelClassifier,
    KernelRegressor,
    MultiTaskRegressor,
    NonSmoothClassifier,
    NonSmoothRegressor,
    RiskClassifier,
    RiskRegressor,
    SDCAClassifier,
    SDCARegressor,
    WestonWatkinsSVC,
)

EXACT = [
    WestonWatkinsSVC(tol=1e-9),
    WestonWatkinsSVC(tol=1e-9, solver="walrus"),
    WestonWatkinsSVC(tol=1e-9, intercept_scaling=10.0, warm_start=True),
    # Weights and repetitions lead these the same way, whatever tol is, but for the Newton of losses
    # with kinks, whose first inner problem depends on the costs of single examples.
    RiskClassifier(solver="newton", tol=1e-13),
    RiskClassifier("squared-hinge", solver="fista", l1=0.1),
    RiskClassifier("logistic", solver="newton"),
    RiskClassifier(solver="agm-1", fit_intercept="regularized"),
    RiskClassifier(solver="pragam", tol=1e-6),
    RiskClassifier(solver="bmrm"),
    RiskClassifier("softmax", fit_intercept="regularized", solver="newton"),
    SDCAClassifier("logistic", l1_ratio=0.1),
    RiskRegressor(),
    RiskRegressor("absolute", solver="newton", tol=1e-13),
    RiskRegressor("huber", solver="fista"),
    MultiTaskRegressor(),
    MultiTaskRegressor("squared", regularizer="l21", fit_intercept="regularized"),
    KernelClassifier(tol=1e-9),
    KernelClassifier("squared-hinge", kernel=["rbf", "linear"], tol=1e-6),
    KernelRegressor(tol=1e-9),
    NonSmoothClassifier(tol=1e-9),
    NonSmoothClassifier(tol=1e-9, regularizer="l1", solver="primal"),
    NonSmoothClassifier("generalized-hinge", tol=1e-9, budget=100.0, storage="double-dual"),
    NonSmoothRegressor(tol=1e-9),
    NonSmoothRegressor("quantile", tol=1e-9, regularizer="elastic-net", fit_intercept=False),
    SDCAClassifier("hinge", tol=1e-9, solver="prox-sdca"),
    SDCARegressor("absolute", tol=1e-11, l1=0.1),
    SDCARegressor(tol=1e-15),
]
# These compare the solutions of two problems with one minimum to seven digits. The default tol asks
# for fewer.
TO_SEVEN_DIGITS = {
    f"check_sample_weight_equivalence_on_{kind}_data": "needs a smaller tol"
    for kind in ("dense", "sparse")
}


# These give a square matrix that no kernel has, which the estimator refuses.
NO_KERNEL = {
    f"check_{name}": "its X is not positive semidefinite"
    for name in (
        "positive_only_tag_during_fit",
        "estimators_dtypes",
        "classifiers_one_label_sample_weights",
    )
}


@parametrize_with_checks(EXACT)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_exact_estimators_pass_every_check(estimator, check):
    assert check(estimator) is None


@parametrize_with_checks(
    [
        WestonWatkinsSVC(),
        WestonWatkinsSVC(solver="shark"),
        RiskClassifier(),
        RiskClassifier("softmax"),
        SDCAClassifier(),
        SDCARegressor(),
    ],
    expected_failed_checks=lambda estimator: TO_SEVEN_DIGITS,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_estimators_pass_every_check_of_their_accuracy(estimator, check):
    assert check(estimator) is None


@parametrize_with_checks(
    [KernelClassifier(kernel="precomputed")], expected_failed_checks=lambda estimator: NO_KERNEL
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_matrices_of_inner_products_pass_every_check_that_gives_them(estimator, check):
    assert check(estimator) is None
