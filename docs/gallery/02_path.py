"""
Weights along a path
====================

``path`` solves one problem for many C. Each fit begins at the weights of the one before. With the
1-norm features enter one after the other as C grows.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import scale

from rrmlinear import path

data = load_diabetes()
X, y = scale(data.data), scale(data.target)
Cs = np.geomspace(1e-3, 1, 30)
solved = path(X, y, loss="squared", regularizer="l1", l1=1.0, Cs=Cs, tol=1e-6)
weights = np.array([np.ravel(each) for each in solved.coefs])

figure, axes = plt.subplots(layout="constrained")
for name, column in zip(data.feature_names, weights.T, strict=True):
    axes.semilogx(solved.Cs, column, label=name)
axes.set(xlabel="C", ylabel="weight")
axes.legend(ncols=2)
assert (np.diff(solved.nonzeros) >= -1).all()
