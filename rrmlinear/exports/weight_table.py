"""Weights with names, as a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from rrmlinear.exports.packages import imported
from rrmlinear.exports.scorer import Scorer

INTERCEPT = "(intercept)"


def table_of(scorer: Scorer) -> Any:
    """A pandas DataFrame of weights, the intercepts last."""
    pandas = imported("pandas", "to_dataframe", "pandas")
    values = np.vstack([scorer.dense.T, scorer.intercepts])
    index = pandas.Index([*scorer.features, INTERCEPT], name="feature")
    return pandas.DataFrame(values, index=index, columns=scorer.columns)
