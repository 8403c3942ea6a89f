"""Problems of each kind of loss over the same rows."""

import numpy as np


def labelled_rows(n, seed, shift=0.0, at=0.0, mean=0.3):
    """(X, labels by the kind of a loss); of two classes the border is ``at``."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)) + shift
    scores = X @ [1.0, -1.0, 0.5, 0.0] + 0.5 * rng.normal(size=n)
    return X, {
        "binary": np.where(scores > at, 1.0, -1.0),
        "multiclass": np.digitize(scores, [-0.5, 0.8]).astype(float),
        "regression": scores + mean,
    }
