"""What estimators have in common that label the positions of sequences or the nodes of graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from rrmlinear.estimators.base import Certified


class LabelsPositions(Certified):
    """A score by positions over ``predict``, which returns a list of arrays."""

    def predict(self, X: Any) -> list[NDArray[Any]]:
        raise NotImplementedError

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of positions with the right label; ``sample_weight`` counts the parts of X."""
        predicted = self.predict(X)
        lengths = [len(part) for part in predicted]
        if [len(part) for part in y] != lengths:
            raise ValueError("y must have a label for each row of X")
        right = np.array(
            [np.count_nonzero(np.asarray(a) == b) for a, b in zip(y, predicted, strict=True)]
        )
        weights = np.ones(len(lengths)) if sample_weight is None else np.asarray(sample_weight)
        return float(weights @ right / (weights @ np.array(lengths)))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags
