"""Efforts: whole numbers from 0 that every solver turns into its own tolerance or passes."""

from __future__ import annotations

STEP = 16  # efforts to a factor of ten in a tolerance
LOOSEST = 1.0  # exponent of the tolerance at effort 0


def tolerance(effort: int) -> float:
    """10 at effort 0, ten times less every 16 efforts."""
    return 10 ** (LOOSEST - effort / STEP)


def effort_of(level: float) -> int:
    """The effort with this tolerance, a power of ten."""
    from math import log10

    return round(STEP * (LOOSEST - log10(level)))


def passes(effort: int) -> int:
    """1, 2, … up to 20, then 5 % more with every effort."""
    if effort < 20:
        return effort + 1
    return round(20 * 1.05 ** (effort - 19))
