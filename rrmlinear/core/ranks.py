"""Numbers by their rank, sooner than a partition of them all."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

# With at least this number of values, one of this number is in a sample that tells bounds of the
# value sought.
MIN_SAMPLED, SAMPLE_STEP = 4096, 16
# Ranks of the sample between its guess and a bound, times the root of its size: three standard
# deviations of the median.
MARGIN = 1.5


def two_in_order(values: Vector, rank: int) -> tuple[float, float]:
    """The values of rank − 1 and ``rank`` from 0 in rising order; −∞ where rank is 0.

    A partition takes the values between bounds of a sample. Where these are wrong, as in values
    with a period, it takes all.
    """
    n = len(values)
    if n >= MIN_SAMPLED:
        sample = values[::SAMPLE_STEP].copy()
        m = len(sample)
        margin = math.ceil(MARGIN * math.sqrt(m))
        guess = rank * m // n
        first, last = max(guess - margin, 0), min(guess + margin, m - 1)
        sample.partition((first, last))
        low, high = sample[first], sample[last]
        below = int(np.count_nonzero(values < low))
        between = values[(values >= low) & (values <= high)]
        if below < rank < below + len(between):
            return _partitioned(between, rank - below)
    return _partitioned(values.copy(), rank)


def _partitioned(values: Vector, rank: int) -> tuple[float, float]:
    """The same by a partition of the values in place."""
    values.partition(rank)  # one place at a time: NumPy is faster there
    return float(values[:rank].max(initial=-np.inf)), float(values[rank])
