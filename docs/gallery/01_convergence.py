"""
A gap that falls to the end
===========================

The model's ``trace_`` has a row for each pass. The gap between the primal and the dual objective
bounds how far the primal one is above its minimum. A smaller C is an easier problem.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from rrmlinear import WestonWatkinsSVC

X, y = load_digits(return_X_y=True)
figure, axes = plt.subplots(layout="constrained")
for C in (0.0001, 0.001, 0.01):
    model = WestonWatkinsSVC(C=C, tol=1e-8).fit(X, y)
    rows = [row for row in model.trace_ if row.gap > 0]
    axes.semilogy([row.number for row in rows], [row.gap / row.primal for row in rows], label=C)
axes.set(xlabel="passes over the data", ylabel="gap / objective")
axes.legend(title="C")
assert model.duality_gap_ <= 1e-8 * model.objective_
