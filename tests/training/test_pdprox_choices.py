"""The choices of Pdprox change the passes, not the minimum; others are refused."""

import re

import numpy as np
import pytest

from rrmlinear import Parameter


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        (
            {"solver": 35, "ratio": 1.0},
            "ratio has no effect with solver 35: it is for solver 37 or 38",
        ),
        ({"solver": 42, "storage": "double-dual"}, "storage has no effect with solver 42"),
        ({"solver": 37, "ratio": 0.0}, "ratio is 0.0, it must lie between 1e-100 and"),
        ({"solver": 37, "ratio": np.inf}, "ratio is inf, it must lie between 1e-100 and"),
        ({"solver": 38, "storage": "both"}, "'both'"),
        ({"solver": 34, "averaging": True}, "averaging has no effect with solver 34"),
        (
            {"solver": 37, "averaging": True, "loss": "softmax"},
            "averaging has no effect with loss softmax",
        ),
    ],
)
def test_choices_without_effect_or_out_of_range_are_refused(choices, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Parameter(**choices).check()
