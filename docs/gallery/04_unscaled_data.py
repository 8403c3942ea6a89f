"""
Raw features of very different lengths
======================================

The columns of these data reach from 0.001 to 4000. LIBLINEAR's solver, as scikit-learn ships it,
ends at its limit of 1000 iterations. Here the run ends with a proof, and nothing was scaled.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn import svm
from sklearn.datasets import load_breast_cancer

from rrmlinear import LinearSVC

X, y = load_breast_cancer(return_X_y=True)
signs = np.where(y == 1, 1.0, -1.0)


def objective(model):
    """The problem of both: the intercept is regularized."""
    w, b = model.coef_.ravel(), model.intercept_[0]
    losses = np.maximum(0, 1 - signs * (X @ w + b))
    return (w @ w + b * b) / 2 + losses.sum()


ours = LinearSVC(loss="hinge", tol=1e-6).fit(X, y)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    theirs = svm.LinearSVC(loss="hinge", random_state=0).fit(X, y)
heights = [objective(theirs), objective(ours), ours.objective_ - ours.duality_gap_]

# %%
# The third bar is the bound that the duals prove: no weights have a smaller objective.

figure, axes = plt.subplots(layout="constrained")
names = ["LIBLINEAR,\n1000 iterations", "rrmlinear", "proved bound"]
axes.bar(names, heights, color=["tab:red", "tab:green", "tab:gray"])
axes.set(ylabel="objective")
assert heights[0] > 1.1 * heights[1] >= heights[2]
