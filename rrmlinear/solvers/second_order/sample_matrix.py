"""The second derivatives of a sample, in place of those of all examples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class FirstPoint(NamedTuple):
    """Weights to begin from. Where they are of a sample, its matrix of second derivatives near
    them, if it has one, and its Σ c_i x_ij² of all features j.
    """

    weights: Array
    matrix: Array | None = None
    squares: Array | None = None


class SampleMatrix:
    """Serves models of all examples while that brings the end of the run as near.

    Gradients are those of all examples: steps with this matrix reduce the violation of a rule by a
    factor each, where steps with the matrix of all examples square it.
    """

    def __init__(self, matrix: Array, squares: Array) -> None:
        self.matrix, self.squares, self.raised = matrix, squares, False
        self.violation = np.inf

    def serves(self, violation: float) -> bool:
        """Told of the violation over its bound before each model: whether the matrix serves it.

        It does for the first model, and then as long as the factor of its last step promises the
        end.
        """
        promises = self.violation == np.inf or violation * violation <= self.violation
        self.violation = violation if promises else 0.0
        return promises

    def beside(self, squares: Array, curvature: float) -> Array:
        """The matrix, its diagonal not too small for features that few examples of the sample have.

        ``squares`` are those of all examples. Entries rise by the ratio to the sample's; where it
        has no example of a feature, ``curvature``, the mean of φ'', makes one. Second derivatives
        of all examples would take a way through the rows, and raise them by nearly the same.
        """
        if not self.raised:
            d, own = len(self.matrix), self.matrix.diagonal()
            ratios = np.divide(squares, self.squares, out=np.ones(d), where=self.squares > 0)
            raised = np.where(self.squares > 0, own * np.maximum(ratios, 1), curvature * squares)
            self.matrix.flat[:: d + 1] = raised
            self.raised = True
        return self.matrix
