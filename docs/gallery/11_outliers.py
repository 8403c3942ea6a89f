"""
A line through numbers with outliers
====================================

Least squares follows the outliers. Huber's loss is linear from a residual of δ on, in the units
of y, and hardly notices them.
"""

import matplotlib.pyplot as plt
import numpy as np

from rrmlinear import HuberRegressor, Ridge

rng = np.random.default_rng(0)
x = rng.uniform(0, 10, size=60)
y = 2 * x + 1 + rng.normal(size=60)
y[x > 8.5] -= 25
X = x[:, None]
models = {"Ridge": Ridge(alpha=1e-3), "HuberRegressor": HuberRegressor(delta=1.0, alpha=1e-3)}

figure, axes = plt.subplots(layout="constrained")
axes.plot(x, y, ".", color="0.4")
for name, model in models.items():
    axes.plot([0, 10], model.fit(X, y).predict([[0.0], [10.0]]), label=name)
axes.set(xlabel="x", ylabel="y")
axes.legend()
assert abs(models["HuberRegressor"].coef_.ravel()[0] - 2) < 0.3
