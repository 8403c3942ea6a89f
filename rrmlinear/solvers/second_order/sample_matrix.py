"""The second derivatives of a sample, in place of those of all examples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.risks.hessian import Hessian

Array = NDArray[np.float64]


class FirstPoint(NamedTuple):
    """Weights to begin from, and a matrix of second derivatives near them, if one is known."""

    weights: Array
    matrix: Array | None = None


class SampleMatrix:
    """Serves models of all examples while that brings the end of the run as near.

    Gradients are those of all examples: steps with this matrix reduce the violation of a rule by a
    factor each, where steps with the matrix of all examples square it.
    """

    def __init__(self, matrix: Array) -> None:
        self.matrix, self.raised = matrix, False
        self.violation = np.inf

    def serves(self, violation: float) -> bool:
        """Told of the violation over its bound before each model: whether the matrix serves it.

        It does for the first model, and then as long as the factor of its last step promises the
        end.
        """
        promises = self.violation == np.inf or violation * violation <= self.violation
        self.violation = violation if promises else 0.0
        return promises

    def beside(self, hessian: Hessian) -> Array:
        """The matrix, its diagonal at least that of all examples: few in the sample, or none, may
        have a feature.
        """
        if not self.raised:
            d = len(self.matrix)
            self.matrix.flat[:: d + 1] = np.maximum(self.matrix.diagonal(), hessian.diagonal())
            self.raised = True
        return self.matrix
