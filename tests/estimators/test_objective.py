"""C, alpha, l1 and l1_ratio as the choices of a Parameter, and the names of losses and solvers."""

import numpy as np
import pytest

from rrmlinear import LinearClassifier
from rrmlinear.estimators.objective import objective_of


def given(estimator, weights=None, n=10):
    """The choices that are not None, and the scale."""
    choices, scale = objective_of(estimator, estimator._row, weights, n)
    return {name: value for name, value in choices.items() if value is not None}, scale


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"C": 1.0, "alpha": 0.1}, "C is 1.0 and alpha is 0.1; only one of them may be given"),
        ({"l1": 0.1, "l1_ratio": 0.5}, "l1 is 0.1 and l1_ratio is 0.5; only one may be given"),
        ({"C": np.inf}, "The 'C' parameter of LinearClassifier must be a float in the range"),
        ({"C": 0}, "The 'C' parameter of LinearClassifier must be a float in the range"),
        ({"alpha": -1}, "The 'alpha' parameter of LinearClassifier must be a float in the range"),
        ({"l1_ratio": 1.1}, "The 'l1_ratio' parameter of LinearClassifier must be a float in"),
        ({"l1": -1.0, "regularizer": "l1"}, "l1 is -1.0, it must be at least 0"),
    ],
)
def test_numbers_out_of_range_are_named(two_classes, numbers, message):
    with pytest.raises(ValueError, match=message):
        LinearClassifier(**{"regularizer": "elastic-net"} | numbers).fit(*two_classes)
