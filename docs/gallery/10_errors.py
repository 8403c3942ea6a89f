"""
Weights and their errors
========================

``summary`` gives each weight a standard error and an interval, from the second derivatives at the
optimum. Six blood sera, s1 to s6, stand partly for each other: least squares cannot tell them
apart, and a ridge can. The price is a bias. The summary says so: its intervals are conditional.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from rrmlinear import Ridge

X, y = load_diabetes(return_X_y=True, as_frame=True)
X = X / X.std()
figure, axes = plt.subplots(layout="constrained")
for shift, alpha in ((0.15, 0), (-0.15, 30)):
    summary = Ridge(alpha=alpha, tol=1e-10).fit(X, y).summary(X, y)
    table = summary.to_dataframe().drop("(intercept)")
    half = table["weight"] - table["[0.025"]
    axes.errorbar(table["weight"], np.arange(10) + shift, xerr=half, fmt="o", label=f"{alpha = }")
    assert ("conditional" in str(summary)) == (alpha > 0)
axes.axvline(0, color="gray", linewidth=1)
axes.set(yticks=range(10), yticklabels=X.columns, xlabel="weight, with an interval of 95 %")
axes.invert_yaxis()
axes.legend()
