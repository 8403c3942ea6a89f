"""The second derivative at weights of 0 by a sample of the examples, and what the sample tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.stages.samples import numbers_of_sample, sample_of
from rrmlinear.catalog.task import Task
from rrmlinear.core.cached import cached_property

if TYPE_CHECKING:
    from rrmlinear.risks.short.tangents import ShortTangents

Array = NDArray[np.float64]

# Columns whose correlations are this part noise are taken as uncorrelated.
MOST_NOISE = 0.9
# Squared lengths of columns, or of few rows, are alike within this factor: the penalty measures the
# gap in the units of columns. It is below the number of examples that are looked at, so that no
# column is 0 in the sample.
MOST_UNEVEN = 50.0
# A sample estimates small eigenvalues badly. Its metric serves where at most a tenth of the
# eigenvalues are below LEAST_EIGENVALUE times the median eigenvalue.
LEAST_EIGENVALUE = 0.12


class CurvatureSample:
    """A sample's estimate of the second derivative at weights of 0.

    It has ``rows`` whose Gram matrix is this estimate, with each column divided by the root of its
    entry in ``diagonal``, and the ``mean`` of the sample. If another diagonal of about this size,
    ``about``, is known, the rows are float32: divided by its roots, columns of all units have
    squares in the range of float32. They may come from a ``short`` copy, which is divided by these
    roots already.
    """

    def __init__(
        self,
        task: Task,
        risk: Any,
        stride: int,
        about: Array | None = None,
        short: ShortTangents | None = None,
    ) -> None:
        d, bias = risk.rows.shape[1], risk.rows.bias
        if short is None:
            chosen, part = sample_of(risk.rows, stride, task.choices.seed)
            values = part.values
        else:
            chosen = numbers_of_sample(risk.rows.shape[0], stride, task.choices.seed)
            values = short.taken(chosen)
        roots = np.sqrt(stride * risk.terms.among(chosen).curvatures(np.zeros(len(chosen))))
        #: The root of the sum of the second derivatives of the losses.
        self.size = size = float(np.linalg.norm(roots))
        lengths = np.full(risk.rows.width, size) if about is None else np.sqrt(about)
        unit = (roots / size).astype(np.float64 if about is None else np.float32)
        rows = np.empty((len(chosen), len(lengths)), dtype=unit.dtype)
        if short is None:
            np.multiply(values, size / lengths[:d], out=rows[:, :d], casting="same_kind")
        else:
            rows[:, :d] = values
        rows[:, d:] = bias * size / lengths[d:]
        rows *= unit[:, np.newaxis]
        self.mean = np.zeros(len(lengths))
        if risk.condition is not None:
            self.mean = unit @ rows
            rows -= np.outer(unit, self.mean)
        diagonal = np.einsum("ij,ij->j", rows, rows)
        # a column may have its values elsewhere
        diagonal += diagonal.mean() / len(chosen)
        rows /= np.sqrt(diagonal)
        self.rows, self.diagonal = rows, lengths**2 * diagonal

    @cached_property
    def is_uncorrelated(self) -> bool:
        """Whether columns seem uncorrelated."""
        norms = np.einsum("ij,ij->i", self.rows, self.rows)
        return noise_of(self.rows @ self.rows.T, norms) > MOST_NOISE

    def matrix(self) -> Array:
        """The second derivative by the sample, shrunk to its diagonal."""
        gram = (self.rows.T @ self.rows).astype(np.float64)
        return shrunk(gram, np.einsum("ij,ij->i", self.rows, self.rows), self.diagonal)

    def suits_metric(self) -> bool:
        """Whether rows have like lengths, and few eigenvalues of the sample are far below others.

        Rows without a cost, which are 0 there, do not count.
        """
        lengths = np.linalg.norm(self.rows, axis=1)
        counted = lengths != 0  # a number that is not finite counts
        if not is_even(lengths[counted]):
            return False
        rows = self.rows[counted]
        low, middle = np.quantile(np.linalg.eigvalsh(rows @ rows.T), (0.1, 0.5))
        return bool(low >= LEAST_EIGENVALUE * middle)

    def rank(self) -> float:
        """The number of uncorrelated columns in which rows are as far from right angles as these; 0
        where their lengths differ.
        """
        lengths = np.linalg.norm(self.rows, axis=1)
        if not is_even(lengths):
            return 0.0
        unit = self.rows / lengths[:, np.newaxis]
        cosines = unit @ unit.T
        return float(1 / cosines[np.triu_indices(len(unit), 1)].var())


def is_even(lengths: Array) -> bool:
    """Whether lengths are alike."""
    return bool(lengths.max() ** 2 <= MOST_UNEVEN * lengths.min() ** 2)


def byte_matrix(task: Task, risk: Any, stride: int, short: ShortTangents) -> Array | None:
    """As `matrix` of a sample with this stride, by a Gram matrix of bytes; None where the short
    copy has none.
    """
    chosen = numbers_of_sample(risk.rows.shape[0], stride, task.choices.seed)
    curvatures = risk.terms.among(chosen).curvatures(np.zeros(len(chosen)))
    found = short.gram(chosen, np.sqrt(stride * curvatures))
    if found is None:
        return None
    gram, norms = found
    d, lengths = len(short.lengths), short.lengths
    if risk.rows.width > d:
        gram[d] *= risk.rows.bias
        gram[:, d] *= risk.rows.bias
        lengths = np.append(lengths, 1.0)
    elif risk.condition is None:
        gram = gram[:d, :d].copy()
    else:
        gram = gram[:d, :d] - np.outer(gram[d, :d] / gram[d, d], gram[d, :d])
    diagonal = gram.diagonal() + np.trace(gram) / len(gram) / len(chosen)
    inverse = 1 / np.sqrt(diagonal)
    gram *= inverse
    gram *= inverse[:, np.newaxis]
    return shrunk(gram, norms * (len(gram) / norms.sum()), lengths**2 * diagonal)


def shrunk(gram: Array, norms: Array, diagonal: Array) -> Array:
    """A Gram matrix with a unit diagonal shrunk to it by its noise, times a ``diagonal``."""
    noise, root = noise_of(gram, norms), np.sqrt(diagonal)
    gram *= (1 - noise) * root
    gram *= root[:, np.newaxis]
    gram.flat[:: len(gram) + 1] += noise * diagonal
    return gram


def noise_of(gram: Array, norms: Array) -> float:
    """The part of the correlations that the number of rows makes, by their squared norms. Source:
    Ledoit and Wolf, A well-conditioned estimator for large-dimensional covariance matrices, 2004.
    """
    square, n = float(np.einsum("ij,ij->", gram, gram)), len(norms)
    apart = square - float(norms.sum())
    noise = float(norms @ norms) - square / n
    return min(1.0, noise / apart) if apart > 0 else 1.0
