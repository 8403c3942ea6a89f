"""
F1 against a threshold
======================

One example in twenty is positive. ``MultivariateClassifier`` minimizes a bound of 1 - F1 itself,
and is better than a support vector machine at its own threshold. The other way is to move that
threshold until F1 is largest on the training data. On these data that is better still: try both.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.metrics import f1_score

from rrmlinear import LinearSVC, MultivariateClassifier

X, y = make_classification(
    4000, n_features=20, n_informative=6, weights=[0.95], class_sep=0.8, random_state=1
)
train, test = slice(0, 2000), slice(2000, None)
direct = MultivariateClassifier("f1", C=1.0).fit(X[train], y[train])
machine = LinearSVC(C=1.0).fit(X[train], y[train])
scores = machine.decision_function(X[train])
thresholds = np.quantile(scores, np.linspace(0.5, 0.999, 60))
tuned = [f1_score(y[train], scores > each) for each in thresholds]
tests = [f1_score(y[test], machine.decision_function(X[test]) > each) for each in thresholds]
of_direct = f1_score(y[test], direct.predict(X[test]))

figure, axes = plt.subplots(layout="constrained")
axes.plot(thresholds, tuned, label="support vector machine, training data")
axes.plot(thresholds, tests, label="the same, test data")
axes.axhline(of_direct, color="k", ls="--", label="MultivariateClassifier, test data")
axes.set(xlabel="threshold of the support vector machine", ylabel="F1")
axes.legend()
assert of_direct > f1_score(y[test], machine.predict(X[test]))
