"""Texts with labels."""

import numpy as np
from scipy.sparse import csr_array


def drawn(random, n, own, k, words, rate=0.03, each_row=3, noise=0.02):
    """Rows of words, some of them those of their labels; a few labels are of no row."""
    labels = np.minimum(random.geometric(rate, size=(n, each_row)) - 1, k - 1)
    X = random.random((n, words)) < noise
    for row, each in enumerate(labels):
        X[row, own[each].ravel()] |= random.random(own[each].size) < 0.7
    Y = np.zeros((n, k), np.int8)
    np.put_along_axis(Y, labels, 1, axis=1)
    lengths = np.sqrt(np.maximum(X.sum(axis=1, keepdims=True), 1))
    return csr_array(X / lengths), csr_array(Y)
