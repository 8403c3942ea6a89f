"""The search for an intercept: where there is none, one sentence."""

import numpy as np
import pytest

from rrmlinear.risks.conditions.balance import balanced


def test_a_response_whose_sum_never_changes_its_sign_is_an_error():
    with pytest.raises(FloatingPointError, match="too large for an intercept"):
        balanced(lambda b: np.ones(3), np.ones(3), 0.0, 1.0)
