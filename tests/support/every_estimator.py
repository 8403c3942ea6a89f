"""Every estimator with small data: classes, numbers, several targets, sequences and graphs."""

import numpy as np
from scipy.sparse import csr_array
from sklearn.tree import DecisionTreeClassifier

import rrmlinear as rrm

rng = np.random.default_rng(0)
X = rng.normal(size=(48, 4))
index = (X @ rng.normal(size=(4, 3)) + rng.normal(size=(48, 3))).argmax(axis=1)
names, truth = np.array(["a", "b", "c"])[index], index > 0
numbers = X @ [1.0, -2.0, 0.5, 0.0] + rng.normal(size=48)
two = np.column_stack([numbers, numbers**2])
parts = [slice(at, at + 4) for at in range(0, 48, 4)]
sequences = [X[part] for part in parts], [names[part] for part in parts]
graphs = [(X[part], [(0, 1), (1, 2), (1, 3)]) for part in parts], sequences[1]
CLASSES = [
    (rrm.LogisticRegression(), X, names),
    (rrm.LogisticRegression(class_weight={"a": 1.0, "b": 2.0}), csr_array(X), names),
    (rrm.LinearSVC(class_weight={0: 1.0, 2: 3.0}, warm_start=True), X, index),
    (rrm.LinearSVC(class_weight={True: 1.0, False: 3.0}), X, truth),
    (rrm.WestonWatkinsSVC(), X, names),
    (rrm.LinearClassifier("softmax", regularizer="l21"), X, names),
    (rrm.LogisticRegressionCV(cv=3, Cs=3), X, names),
    (rrm.LinearSVCCV(cv=3, Cs=3), X, names),
    (rrm.RidgeClassifier(), X, names),
    (rrm.RidgeClassifierCV(), X, names),
    (rrm.MultivariateClassifier(), X, truth),
    (rrm.OneClassSVM(), X, None),
    (rrm.KernelClassifier(), X, names),
    (rrm.KernelClassifier(kernel=["rbf", "linear"]), X, names),
    (rrm.ERLPBoostClassifier(), X, names),
    (rrm.ERLPBoostClassifier("columns"), X, names),
    (rrm.ERLPBoostClassifier(DecisionTreeClassifier(max_depth=2)), X, names),
]
NUMBERS = [
    (kind(), X, numbers)
    for kind in (
        *(rrm.LinearRegressor, rrm.LinearSVR, rrm.Lasso, rrm.ElasticNet, rrm.HuberRegressor),
        *(rrm.QuantileRegressor, rrm.RidgeCV, rrm.LassoCV, rrm.ElasticNetCV, rrm.KernelRegressor),
    )
]
COUNTS = [
    (kind, X, np.round(1 + numbers**2))
    for kind in (
        rrm.PoissonRegressor(),
        rrm.GammaRegressor(),
        rrm.TweedieRegressor(power=1.5),
        rrm.PoissonRegressorCV(cv=3, alphas=3),
        rrm.GammaRegressorCV(cv=3, alphas=3),
        rrm.TweedieRegressorCV(power=1.5, cv=3, alphas=3),
    )
]
OTHERS = [
    (rrm.Ridge(warm_start=True), X, two),
    (rrm.RankingSVM(), X, index),
    (rrm.CoxRegressor(), X, numbers),
    (rrm.MultiTaskRegressor(), X, two),
    (rrm.MultiTaskLasso(0.1), X, two),
    (rrm.MultiTaskElasticNet(0.1), X, two),
    (rrm.MultiTaskLassoCV(cv=3, alphas=3), X, two),
    (rrm.MultiTaskElasticNetCV(cv=3, alphas=3), X, two),
    (rrm.ChainCRF(), *sequences),
    (rrm.ChainSVM(), *sequences),
    (rrm.KernelChainCRF(cliques="by-position"), *sequences),
    (rrm.GraphCRF(), *graphs),
    (rrm.GraphSVM(), *graphs),
]
EVERY = [*CLASSES, *NUMBERS, *COUNTS, *OTHERS]
