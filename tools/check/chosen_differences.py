"""Where our classes differ from scikit-learn's by choice: its tests that fail, and why."""

from __future__ import annotations

from typing import NamedTuple


class Difference(NamedTuple):
    """A reason, the left part of its row in docs/migration.md, and patterns of tests."""

    reason: str
    row: str
    tests: tuple[str, ...]


def of(file: str, *names: str) -> tuple[str, ...]:
    """Patterns of these tests of a file, with all their parameters."""
    return tuple(f"{file}.py::test_{name}" for name in names)


CD, SPARSE = "linear_model_coordinate_descent", "linear_model_sparse_coordinate_descent"
LOGISTIC, HUBER, RIDGE = "linear_model_logistic", "linear_model_huber", "linear_model_ridge"
QUANTILE, SAG, SVM = "linear_model_quantile", "linear_model_sag", "svm_svm"

DIFFERENCES = (
    Difference(
        "errors and warnings have other words",
        "the words of errors and warnings",
        of(
            CD,
            "enet_nonfinite_params*",
            "lassocv_alphas_validation*",
            "enet_l1_ratio",
            "multi_task_lasso_and_enet",
        )
        + of(SVM, "negative_sample_weights_mask_all_samples*")
        + of(LOGISTIC, "max_iter*", "passing_params_without_*")
        + of(CD, "cv_estimators_reject_params_with_no_routing_enabled*")
        + of(RIDGE, "raises_value_error_if_sample_weights_greater_than_1d", "lbfgs_solver_error")
        + of(RIDGE, "ridgecv_alphas_validation*")
        + of(SAG, "classifier_single_class"),
    ),
    Difference(
        "a problem is solved within a pass or two where scikit-learn warns of its limit",
        "a warning that one pass was too few",
        of(CD, "enet_coordinate_descent_raises_convergence*", "sparse_input_convergence_warning*")
        + of(CD, "warm_start_convergence*")
        + of(SPARSE, "sparse_enet_coordinate_descent*")
        + of(SVM, "linear_svm_convergence_warnings*"),
    ),
    Difference(
        "tol of 0 and max_iter of 0 are refused",
        "`tol=0`, `max_iter=0`",
        of(LOGISTIC, "zero_max_iter*"),
    ),
    Difference(
        "no warning of alpha = 0 or of a parameter without effect",
        "a warning where `alpha=0`, or where a parameter has no effect",
        of(CD, "lasso_alpha_warning", "overridden_gram_matrix")
        + of(LOGISTIC, "penalty_none*", "l1_ratio_non_elasticnet", "lr_penalty_l1ratio_*")
        + of(LOGISTIC, "penalty_deprecated*", "l1_ratio_None_deprecated*", "lr_scoring_warns*")
        + of(LOGISTIC, "*warns_with_n_jobs", "*warns_with_use_legacy_attributes")
        + of(RIDGE, "regularization_limits_ridge_gcv[[]csr_*-svd-*")
        + of(RIDGE, "ridge_fit_intercept_sparse_sag*"),
    ),
    Difference(
        "the Gram matrix is the solver's own, and data are always checked",
        "`Lasso(precompute=gram)`, `fit(…, check_input=False)`",
        of(CD, "elasticnet_precompute_*", "enet_float_precision", "enet_toy", "check_input_false")
        + of(CD, "enet_sample_weight_does_not_overwrite_sample_weight*")
        + of(CD, "enet_copy_X_*", "lassoCV_does_not_set_precompute*"),
    ),
    Difference(
        "weights have as many digits as tol asks for",
        "seven digits of weights at a `tol` of 1e-4 to 1e-6",
        of(CD, "1d_multioutput_*", "lasso_dual_gap", "warm_start_multitask_lasso")
        + of(SPARSE, "sparse_dense_equality[[]*-0.5-*]")
        + of(SPARSE, "same_output_sparse_dense_*")
        + of(LOGISTIC, "logistic_glmnet*", "consistency_path*")
        + of(QUANTILE, "quantile_toy_example[[]0.5-0.01-1-1]", "asymmetric_error*")
        + of(HUBER, "huber_warm_start")
        + of(LOGISTIC, "logistic_regression_solvers_multiclass[[]*")
        + of(RIDGE, "ridge_sample_weight_consistency[[]*-lbfgs-wide-*")
        + of(SAG, "classifier_matching"),
    ),
    Difference(
        "a run that its limit ends has other weights",
        "the weights of a run that `max_iter` ended",
        of(SAG, "sag_*_computed_correctly*", "binary_classifier_class_weight*"),
    ),
    Difference(
        "a warm start takes no weights",
        "`reg.coef_ = start`",
        of(SAG, "sag_classifier_raises_error*"),
    ),
    Difference(
        "weights are float64",
        "weights have the precision of X",
        of(LOGISTIC, "dtype_match*") + of(RIDGE, "dtype_match*"),
    ),
    Difference(
        "n_iter_ is one number",
        "`n_iter_` is an array, or a list for several targets",
        of(LOGISTIC, "n_iter*", "newton_cholesky_fallback_to_lbfgs*") + of(RIDGE, "n_iter"),
    ),
    Difference(
        "a search has the attributes of use_legacy_attributes=False",
        "| `LogisticRegressionCV` | the same |",
        of(LOGISTIC, "logistic_cv[[]*", "multinomial_cv_iris*")
        + of(LOGISTIC, "LogisticRegressionCV_elasticnet_attribute_shapes*")
        + of(LOGISTIC, "LogisticRegressionCV_on_folds", "scores_attribute_layout_elasticnet")
        + of(LOGISTIC, "lr_cv_scores_differ_when_sample_weight_is_requested*"),
    ),
    Difference(
        "a search refits",
        "`LogisticRegressionCV(refit=False)`",
        of(LOGISTIC, "logistic_cv_refit_false_*", "LogisticRegressionCV_no_refit*"),
    ),
    Difference(
        "a search keeps no weights of a fold that lacks a class",
        "weights in `coefs_paths_` of a class that a fold lacks",
        of(LOGISTIC, "logistic_cv_folds_with_classes_missing*"),
    ),
    Difference(
        "folds of RidgeCV are scored by squared errors, and the largest of equal values is chosen",
        "`RidgeCV(cv=5)` scores by R²",
        of(RIDGE, "ridgecv_sample_weight", "ridge_loo_cv_asym_scoring")
        + of(RIDGE, "ridge_regression_custom_scoring*-cv1]"),
    ),
    Difference(
        "a search takes no alpha of 0",
        "`RidgeCV(alphas=[0, …], cv=5)`",
        of(RIDGE, "ridgecv_alphas_zero*"),
    ),
    Difference(
        "a search has its own order of fits",
        "a search fits one fold after the other",
        of(LOGISTIC, "logistic_cv_mock_scorer"),
    ),
    Difference(
        "every solver takes every penalty, several classes, wide indices and large values",
        "a solver refuses a penalty, several classes, 64-bit indices or large values",
        of(LOGISTIC, "check_solver_option*", "large_sparse_matrix*", "liblinear_multiclass_raises*")
        + of(LOGISTIC, "liblinear_with_large_values")
        + of(RIDGE, "ridge_fit_intercept_sparse_error*", "ridge_positive_error_test*")
        + of(SAG, "step_size_alpha_error")
        + of(QUANTILE, "error_interior_point_future")
        + of(SVM, "linearsvc_parameters*"),
    ),
    Difference(
        "two classes have a row of weights",
        "`RidgeClassifier().fit(X, y).coef_` of two classes has the shape (n_features,)",
        of(RIDGE, "regularization_limits_ridge_classifier_gcv*"),
    ),
    Difference(
        "a single class is refused",
        "`RidgeClassifier` takes a single class",
        of("linear_model_common", "model_pipeline_same_dense_and_sparse*RidgeClassifier*"),
    ),
    Difference(
        "a label matrix holds zeros and ones, and takes no folds",
        "`RidgeClassifierCV` takes a label matrix of −1 and 1, and one with `cv=3`",
        of(RIDGE, "ridge_classifier_cv_store_cv_results*", "ridgeclassifier_multilabel*params2*"),
    ),
    Difference(
        "the same seed is not asked to give other bits",
        "another `random_state` gives other weights",
        of(LOGISTIC, "liblinear_dual_random_state*"),
    ),
    Difference(
        "of several best weights another is found",
        "the weights where several are best",
        of(SVM, "linearsvm_liblinear_sample_weight[[]*-LinearSVC-params0]"),
    ),
    Difference(
        "private names are not here",
        "names that begin with an underscore",
        of(LOGISTIC, "logreg_predict_proba_multinomial*", "logistic_cv_multinomial_score*")
        + of(LOGISTIC, "get_default_scorer*"),
    ),
    Difference(
        "callbacks are functions",
        "`clf.set_callbacks(ProgressBar())`",
        of(LOGISTIC, "logistic_regression_callback_*"),
    ),
    Difference(
        "the one-class machine is linear",
        '`OneClassSVM(kernel="linear")`',
        of(SVM, "oneclass*", "n_support*", "immutable_coef_property*")
        + of("svm_sparse", "sparse_oneclasssvm*"),
    ),
    Difference(
        "the Huber loss has a fixed scale",
        "| `HuberRegressor` | `HuberRegressor` |",
        of(HUBER, "huber_equals_lr_for_high_epsilon", "huber_sparse*", "huber_scaling_invariant")
        + of(HUBER, "huber_and_sgd_same_results", "huber_better_r2_score")
        + of(QUANTILE, "quantile_equals_huber_for_low_epsilon*"),
    ),
)
