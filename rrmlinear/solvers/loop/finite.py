"""Numbers beyond double precision: a run that meets them ends with one sentence."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from rrmlinear.solvers.loop.result import TraceRow, passes_told

ADVICE = "scale the data, or choose less extreme numbers"


class NumbersOverflowError(ValueError):
    """Numbers of a solver leave the range of double precision; those of another may not."""


#: What a solver may raise where its numbers do.
OUT_OF_RANGE = (ArithmeticError, np.linalg.LinAlgError, NumbersOverflowError)


class _OfCallerError(Exception):
    """Carries an error that the caller's own code has raised out of `numbers_in_range`."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


@contextmanager
def callers_own() -> Iterator[None]:
    """Let errors of arithmetic in the block, which is the caller's code, through as they are."""
    try:
        yield
    except (ArithmeticError, np.linalg.LinAlgError) as error:
        raise _OfCallerError(error) from error


@contextmanager
def numbers_in_range() -> Iterator[None]:
    """Turn errors of arithmetic in the block into a ValueError, but those of `callers_own`.

    NumPy does not warn inside: the certificate shows what has overflowed.
    """
    try:
        with np.errstate(all="ignore"):
            yield
    except _OfCallerError as raised:
        raise raised.error from raised.error.__cause__
    except (ArithmeticError, np.linalg.LinAlgError) as error:
        # Python's own errors have a number before their text; ours may end with half of the advice
        reason = str(error.args[-1] if error.args else error).removesuffix("; scale the data")
        sentence = f"numbers leave the range of double precision ({reason}): {ADVICE}"
        raise ValueError(sentence) from error


def check_defined(row: TraceRow) -> None:
    """Raise ValueError for a measured row whose gap is no number, or −∞: the dual is no bound."""
    if math.isnan(row.gap) or row.gap == -math.inf:
        raise ValueError(
            f"numbers leave the range of double precision: after {passes_told(row.number)} "
            f"the primal is {row.primal:g} and the dual {row.dual:g}; {ADVICE}"
        )


def check_proved(row: TraceRow) -> None:
    """Raise ValueError for a last row without a finite gap: nothing is known of its weights."""
    if not math.isfinite(row.gap):
        raise ValueError(
            f"after {passes_told(row.number)} there is no finite gap: "
            f"the primal is {row.primal:g} and the dual {row.dual:g}; {ADVICE}, "
            "or allow more passes"
        )


def check_weights(weights: Any) -> None:
    """Raise ValueError for weights that are not finite, as an intercept over a tiny bias may be."""
    if isinstance(weights, np.ndarray) and not np.isfinite(weights).all():
        raise ValueError(f"a weight leaves the range of double precision; {ADVICE}")
