"""
Few features in use
===================

Logistic regression with the 1-norm recognizes digits. The smaller C is, the fewer pixels count.
The pictures show the weights of the digit 3.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from rrmlinear import LogisticRegression

X, y = load_digits(return_X_y=True)
figure, all_axes = plt.subplots(1, 3, figsize=(9, 3.4), layout="constrained")
counts = []
for axes, C in zip(all_axes, (0.002, 0.01, 0.1), strict=True):
    model = LogisticRegression(C=C, penalty="l1").fit(X, y == 3)
    weights = model.coef_.reshape(8, 8)
    counts.append(np.count_nonzero(weights))
    limit = np.abs(weights).max()
    axes.imshow(weights, cmap="RdBu", vmin=-limit, vmax=limit)
    axes.set(title=f"C = {C}: {counts[-1]} pixels", xticks=[], yticks=[])
assert 0 < counts[0] < counts[1] < counts[2]
