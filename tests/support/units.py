"""Units of features: with w/scale for w the problem is the same, divided by scale²."""

import pytest

from rrmlinear import Parameter, Problem, fit


def same_in_units(X, y, loss, scale):
    """The optimum is the same in both units."""
    plain, scaled = (
        fit(
            Problem.from_arrays(X * unit, y),
            Parameter(solver="auto", loss=loss, C=unit**-2, gap_tol=1e-7),
        ).result
        for unit in (1.0, scale)
    )
    assert scaled.solved
    assert scaled.primal * scale**2 == pytest.approx(plain.primal, rel=2e-7)
