"""Bounds of rounding, and the smallest numbers that solvers divide by: each with its reason.

Those named after a quantity are relative to it. Numbers that steer a method stand with the method.
"""

from __future__ import annotations

import numpy as np

#: A gap counts as 0 when it is negative by at most this fraction of the larger value: primal and
#: dual are sums over all examples, made in different orders.
NEGATIVE_GAP = 1e-12
#: An objective that changes by less has not changed: it is a sum that rounds a few times.
OBJECTIVE_ROUNDING = 1e-15
#: Pragam compares J_μ(w) with D(α), sums over all examples of terms that may cancel.
EXCESSIVE_GAP_ROUNDING = 1e-13
#: A dual that falls by less has not fallen: v is added up over many visits before it is compared.
DUAL_FALL_ROUNDING = 1e-11
#: A lowest point is found when its value is this near to a lower bound: half of the last digit.
LOWEST_VALUE_ROUNDING = 1e-16
#: A step is rounding when no weight changes by more than this fraction of the largest: half of the
#: last digit.
STEP_ROUNDING = 1e-16
#: A single dual or weight that changes by less has not moved: an exact step rounds a few times.
COORDINATE_ROUNDING = 1e-15
#: A dual of a block that changes by less of the block's sum has not moved: a block step rounds sums
#: over its classes.
BLOCK_ROUNDING = 1e-14
#: Where L/2 ‖step‖² is a smaller part of the objective, a difference of two objectives has fewer
#: than half of its digits left to compare it with.
STEP_RESOLUTION = 1e-9
#: A test by derivatives may miss L by this part: derivatives round, and L is doubled on a miss.
DERIVATIVE_TEST_SLACK = 1e-6
#: An eigenvalue of a product of two matrices is off by no more.
EIGENVALUE_ROUNDING = 1e-12
#: Lanczos ends where the next direction is shorter than this fraction of the largest value: what it
#: has spans all there is.
LANCZOS_END = 1e-14
#: A column less its mean whose square is this fraction of the column's own is a constant.
CONSTANT_COLUMN = 1e-14
#: The trace of rows less their mean counts as at least this fraction of that of the rows: where all
#: rows are the same it is rounding, and there must be a number to divide by.
CENTRED_TRACE = 1e-10
#: A Lipschitz constant does not fall below this fraction of a bound or of the first guess: steps of
#: more than twelve orders of magnitude beyond are of no use.
LEAST_LIPSCHITZ = 1e-12
#: Pragam's μ does not fall below this fraction of L: a smaller one is rounding beside L.
LEAST_MU = 1e-12
#: Newton's smoothing does not fall below this fraction of its first: it no longer tells anything.
LEAST_SMOOTHING = 1e-14
#: The least ‖x‖² / modulus of a dual step. The best dual of a row of zeros is at its bound, and any
#: tiny curvature leads there.
LEAST_CURVATURE = 1e-100
#: The least number to divide by: its inverse is finite.
SMALLEST = float(np.finfo(float).tiny)
