"""
Quantiles of a number
=====================

``QuantileRegressor`` fits the value below which a given part of the targets lies. The noise grows
with x, and so does the distance between the lines. One fit has several levels; with
``non_crossing`` their predictions are sorted where lines cross.
"""

import matplotlib.pyplot as plt
import numpy as np

from rrmlinear import QuantileRegressor

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 10, size=400))
y = 0.5 * x + rng.normal(size=400) * (0.3 + 0.2 * x)

figure, axes = plt.subplots(layout="constrained")
axes.plot(x, y, ".", color="0.7")
levels = [0.1, 0.5, 0.9]
model = QuantileRegressor(quantile=levels, alpha=1e-4, non_crossing=True).fit(x[:, None], y)
for level, line in zip(levels, model.predict(x[:, None]).T, strict=True):
    axes.plot(x, line, label=f"quantile {level}")
    assert abs((y < line).mean() - level) < 0.02
axes.set(xlabel="x", ylabel="y")
axes.legend()
