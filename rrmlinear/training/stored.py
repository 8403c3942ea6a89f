"""A model as its file holds it: weights, labels, and the names of solver and loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class StoredModel:
    """A linear model of scores x'W.

    ``weights`` is (d + 1 with a bias, else d) × m, and there are three kinds. Without labels it is
    a regression, whose one score is the prediction. With one column and two labels a score above 0
    says the first label, any other the second. Else the columns are in the order of ``labels``, and
    the class of x is the first with the largest score. A one-class model has the labels 1 and −1,
    and its score is x'w − ``rho``, as is that of a measure that ranks. Labels stand in the order of
    first appearance in the training data; those of a measure begin with the larger. A model of
    sequences has ``transitions``, k × k: the weight of label j behind label i stands in row i and
    column j; and where it has features of edges, ``edge_weights``, such a matrix for each.

    ``numbers`` are those chosen of a measure, such as its β.

    ``bias`` is the value of the appended column, negative for none. ``loss`` is the name of the
    training loss, if known.
    """

    solver_name: str
    labels: NDArray[np.int64]
    weights: NDArray[np.float64]
    n_features: int
    bias: float = -1.0
    loss: str | None = None
    rho: float | None = None
    transitions: NDArray[np.float64] | None = None
    numbers: Mapping[str, float] = field(default_factory=dict)
    edge_weights: NDArray[np.float64] | None = None

    @property
    def is_regression(self) -> bool:
        """Whether predictions are numbers, not labels."""
        return len(self.labels) == 0
