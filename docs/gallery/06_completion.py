"""
The missing entries of a matrix
===============================

Half of the entries of a matrix of rank 2 are known, and a tenth of the known ones are wrong. The
trace norm fills in the rest. Absolute residuals pass over the wrong ones.
"""

import matplotlib.pyplot as plt
import numpy as np

from rrmlinear import MatrixCompletion

rng = np.random.default_rng(0)
truth = rng.normal(size=(40, 2)) @ rng.normal(size=(2, 30))
rows, columns = np.nonzero(rng.random(truth.shape) < 0.5)
known = truth[rows, columns]
wrong = rng.random(len(known)) < 0.1
known = np.where(wrong, rng.normal(scale=5, size=len(known)), known)
model = MatrixCompletion("absolute", C=1.0).fit(rows, columns, known)
every = np.indices(truth.shape).reshape(2, -1)
filled = model.predict(*every).reshape(truth.shape)

shown = np.full(truth.shape, np.nan)
shown[rows, columns] = known
figure, all_axes = plt.subplots(1, 3, figsize=(9, 4), layout="constrained")
titles = ("truth", "known", "filled in")
for axes, picture, title in zip(all_axes, (truth, shown, filled), titles, strict=True):
    axes.imshow(picture, cmap="PuOr", vmin=-4, vmax=4)
    axes.set(title=title, xticks=[], yticks=[])
assert np.median(np.abs(filled - truth)) < 0.2
