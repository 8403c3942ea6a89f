"""Weights of the parts of structured data: as if each part stood there as often."""

import numpy as np
import pytest


def assert_weights_are_repetitions(of, X, y, parts):
    """The fit of six parts with weights is that of their repetitions, and some weight is needed."""
    weights = [1, 2, 0, 1, 3, 1]
    often = np.repeat(np.arange(6), weights)
    a = of(tol=1e-7).fit(X, y, weights)
    b = of(tol=1e-7).fit([X[s] for s in often], [y[s] for s in often])
    assert a.objective_ == pytest.approx(b.objective_, rel=1e-6)
    with pytest.raises(ValueError, match=f"sample_weight is zero for all {parts}"):
        of().fit(X, y, np.zeros(6))
