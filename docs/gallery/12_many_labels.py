"""
Thousands of labels, each proved
================================

Rows of words with any number of 2 000 labels. One call trains each label against the rest, sixteen
of them at a time, and proves each by its duality gap.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import csr_array

from rrmlinear import MultilabelProblem, Parameter, fit_labels
from rrmlinear.metrics import precision_at_k

rng = np.random.default_rng(0)
n, d, k = 3_000, 6_000, 2_000
own = rng.integers(d, size=(k, 10))  # words of each label


def draw(rows):
    labels = np.minimum(rng.zipf(1.3, size=(rows, 4)) - 1, k - 1)
    place = np.repeat(np.arange(rows), 64)
    words = np.concatenate([own[labels].reshape(rows, -1), rng.integers(d, size=(rows, 24))], 1)
    X = csr_array((np.ones(place.size), (place, words.ravel())), shape=(rows, d))
    X.sum_duplicates()
    X.data[:] = 1 / np.sqrt(np.repeat(np.diff(X.indptr), np.diff(X.indptr)))
    Y = csr_array(
        (np.ones(labels.size), (np.repeat(np.arange(rows), 4), labels.ravel())), (rows, k)
    )
    Y.sum_duplicates()
    Y.data[:] = 1
    return X, Y


X, Y = draw(n)
X_test, Y_test = draw(500)
problem = MultilabelProblem.from_arrays(X, Y, bias=1.0)
model = fit_labels(problem, Parameter(loss="squared-hinge", gap_tol=1e-3), prune=0.003)
result = model.result
best = model.predict_top_k(X_test, 5)[0]
ranks = np.arange(1, 6)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
has_problem = result.primal > 0
proven = result.proven[has_problem] / result.dual[has_problem]
left.loglog(model.counts[has_problem], proven, ".", alpha=0.3)
left.axhline(1e-3, color="0.5", linestyle=":")
left.set(xlabel="rows of the label", ylabel="gap over the objective", title="proofs of all labels")
right.bar(ranks, [precision_at_k(Y_test, best, rank) for rank in ranks])
right.set(xlabel="k", ylabel="P@k on test rows", title="the best labels of a row")
assert result.solved
assert proven.max() <= 1.001e-3
