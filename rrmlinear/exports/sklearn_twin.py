"""scikit-learn's fitted classes with our weights."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.loading import imported
from rrmlinear.exports.scorer import CLASSES, INLIERS, LABELS, NUMBERS, Scorer

#: Classes of scikit-learn with the name and the problem of ours, and their modules.
SAME = {
    **dict.fromkeys(("LinearSVC", "LinearSVR"), "sklearn.svm"),
    **dict.fromkeys(
        (
            *("LogisticRegression", "Ridge", "Lasso", "ElasticNet"),
            *("HuberRegressor", "QuantileRegressor"),
            *("MultiTaskLasso", "MultiTaskElasticNet"),
            *("PoissonRegressor", "GammaRegressor", "TweedieRegressor"),
        ),
        "sklearn.linear_model",
    ),
}
#: Parameters that mean the same there, and are set where they are allowed.
SHARED = (
    *("C", "alpha", "l1_ratio", "epsilon", "quantile", "nu", "power", "loss", "penalty"),
    *("multi_class", "fit_intercept", "intercept_scaling", "class_weight", "positive"),
)


def twin_of(model: Any, scorer: Scorer) -> Any:
    """The class that predicts the same: see `Exported.to_sklearn`."""
    imported("sklearn", "to_sklearn", "rrmlinear[sklearn]")
    if scorer.bases:
        return _pipeline(model, scorer)
    if scorer.rising:
        raise ValueError("scikit-learn has no regression that sorts its predictions")
    several = scorer.classes is not None and scorer.weights.shape[0] > 1
    if scorer.meaning == LABELS or (several and scorer.link == "sigmoid"):
        return _one_against_rest(scorer)
    twin = _class_for(type(model), scorer)()
    _share_parameters(model, twin)
    weights, intercepts = scorer.dense.copy(), scorer.intercepts.copy()
    if scorer.meaning == INLIERS:
        # a score of exactly 0 is an inlier's there, and an outlier's here
        twin.coef_, twin.offset_ = weights[0], np.nextafter(-intercepts, np.inf)
        twin._offset_scale = 1.0
    elif scorer.meaning == NUMBERS:
        flat = np.ndim(getattr(model, "coef_", weights if scorer.titles else weights[0])) == 1
        is_vector = flat and type(twin).__name__ == "LinearSVR"
        twin.coef_ = weights[0] if flat else weights
        twin.intercept_ = intercepts if is_vector or not flat else float(intercepts[0])
        if hasattr(twin, "_get_loss"):
            twin._base_loss = twin._get_loss()  # which has the link
    else:
        _set_classes(twin, scorer, weights, intercepts)
    _set_features(twin, scorer)
    twin.n_iter_ = getattr(model, "n_iter_", 1)
    return twin


def _pipeline(model: Any, scorer: Scorer) -> Any:
    """The columns of the bases, and the twin of the scores that are linear in them."""
    from sklearn.pipeline import FeatureUnion, Pipeline

    parts = [each.transformer() for each in scorer.bases]
    for each in parts:
        _set_features(each, scorer)
    union = FeatureUnion([(f"kernel{j}", part) for j, part in enumerate(parts)])
    columns = parts[0] if len(parts) == 1 else union
    scores = twin_of(model, replace(scorer, bases=(), names=None))
    return Pipeline([("columns", columns), ("scores", scores)])


def _class_for(ours: type, scorer: Scorer) -> Any:
    """The class of scikit-learn for scores of this meaning."""
    from sklearn import linear_model, svm

    if scorer.meaning == INLIERS:
        return linear_model.SGDOneClassSVM
    for cls in () if scorer.titles else ours.__mro__:  # scikit-learn's has one quantile
        if cls.__name__ in SAME and cls.__module__.startswith(f"{__name__.partition('.')[0]}."):
            return getattr(imported(SAME[cls.__name__], "to_sklearn", ""), cls.__name__)
    if scorer.meaning == NUMBERS and scorer.link == "exp":
        return linear_model.PoissonRegressor
    if scorer.meaning == NUMBERS and scorer.link is not None:
        raise ValueError(f"scikit-learn has no regression whose link is the {scorer.link}")
    if scorer.meaning == NUMBERS:
        return linear_model.LinearRegression
    return svm.LinearSVC if scorer.link is None else linear_model.LogisticRegression


def _share_parameters(model: Any, twin: Any) -> None:
    """Set what both classes have, as far as scikit-learn allows the value."""
    from sklearn.utils._param_validation import InvalidParameterError

    found = model.get_params(deep=False) if hasattr(model, "get_params") else {}
    for name in SHARED:
        before = twin.get_params(deep=False).get(name, twin)
        if name in found and before is not twin:
            try:
                twin.set_params(**{name: found[name]})._validate_params()
            except InvalidParameterError:
                twin.set_params(**{name: before})


def _set_classes(
    twin: Any, scorer: Scorer, weights: NDArray[np.float64], intercepts: NDArray[np.float64]
) -> None:
    """Classes in sorted order; one score is that of the second."""
    sign = -1.0 if len(weights) == 1 and scorer.positive == 0 else 1.0
    twin.coef_, twin.intercept_, twin.classes_ = sign * weights, sign * intercepts, scorer.classes


def _set_features(twin: Any, scorer: Scorer) -> None:
    twin.n_features_in_ = scorer.n_features
    if scorer.names is not None:
        twin.feature_names_in_ = np.asarray(scorer.names, dtype=object)


def _one_against_rest(scorer: Scorer) -> Any:
    """OneVsRestClassifier over a class of two for each score."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.preprocessing import LabelBinarizer
    from sklearn.svm import LinearSVC

    if scorer.top_k is not None:
        raise ValueError(f"scikit-learn has no class that predicts the {scorer.top_k} best labels")
    # intercepts with limits in them leave no probabilities
    kind = LinearSVC if scorer.link is None or scorer.limits is not None else LogisticRegression
    twin = OneVsRestClassifier(kind())
    is_matrix = scorer.meaning == LABELS
    shown = np.zeros((2, len(scorer.intercepts)), dtype=int) if is_matrix else scorer.classes
    twin.label_binarizer_ = LabelBinarizer(sparse_output=True).fit(shown)
    if not hasattr(twin, "classes_"):  # a property in some versions
        twin.classes_ = twin.label_binarizer_.classes_
    dense, limits = scorer.dense, 0.0 if scorer.limits is None else scorer.limits
    twin.estimators_ = []
    for weights, intercept in zip(dense, scorer.intercepts - limits, strict=True):
        one = kind()
        pair = Scorer(weights[np.newaxis], np.array([intercept]), CLASSES, np.array([0, 1]))
        _set_classes(one, pair, pair.weights, pair.intercepts)
        _set_features(one, scorer)
        twin.estimators_.append(one)
    _set_features(twin, scorer)
    return twin
