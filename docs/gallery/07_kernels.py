"""
Curved boundaries
=================

``KernelClassifier`` takes any loss over the functions of a kernel. Crosses are the support
examples. Without the others the boundary is the same.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from rrmlinear import KernelClassifier

X, y = make_moons(200, noise=0.2, random_state=0)
model = KernelClassifier("hinge", kernel="rbf", kernel_params={"gamma": 2.0}, C=1.0).fit(X, y)
first, second = np.meshgrid(np.linspace(-1.6, 2.6, 120), np.linspace(-1.2, 1.8, 120))
scores = model.decision_function(np.c_[first.ravel(), second.ravel()]).reshape(first.shape)

figure, axes = plt.subplots(layout="constrained")
axes.contourf(first, second, scores, levels=20, cmap="RdBu", alpha=0.6)
axes.contour(first, second, scores, levels=[-1, 0, 1], colors="k", linestyles=["--", "-", "--"])
support = np.abs(np.ravel(model.dual_coef_)) > 1e-9
axes.scatter(*X[~support].T, c=y[~support], cmap="RdBu", edgecolors="k")
axes.scatter(*X[support].T, c=y[support], cmap="RdBu", marker="X", edgecolors="k")
assert model.score(X, y) > 0.9
