"""
A gap that falls to the end
===========================

The model's ``trace_`` has a row for each pass. The gap between the primal and the dual objective
bounds how far the primal one is above its minimum.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from rrmlinear import WestonWatkinsSVC

X, y = load_digits(return_X_y=True)
figure, axes = plt.subplots()
for C in (0.001, 0.01, 0.1):
    model = WestonWatkinsSVC(C=C, tol=1e-8).fit(X, y)
    measured = [row for row in model.trace_ if row.gap > 0]
    axes.semilogy(
        [row.passes for row in measured],
        [row.gap / row.primal for row in measured],
        label=f"C = {C}",
    )
axes.set(xlabel="passes over the data", ylabel="duality gap / objective")
axes.legend()
plt.show()
