"""Bounds of rounding, and the smallest numbers that solvers divide by, each with its reason.

A bound named after a quantity is relative to it. Numbers that steer a method stand with the method.
"""

from __future__ import annotations

import numpy as np

#: An objective, weight or dual that changes by less has not changed: it rounds a few times.
FEW_ROUNDINGS = 1e-15
#: The rounding of a sum over the classes of a block, the rows of a column or the unknowns of a
#: system, relative to its largest part: a block that changes by less has not moved, a column less
#: its mean is 0, and a diagonal that rises by it has no zeros.
MANY_ROUNDINGS = 1e-14
#: A sum of losses that may cancel is known to this fraction: one at most that of the loss at w = 0
#: is the rounding of scores.
LOSS_ROUNDING = 1e-13
#: What is left of terms that cancel, by this fraction of their sizes or less, is rounding: of the
#: primal and the dual, duals that sum to a bound, equal edges, eigenvalues, differences.
SUM_ROUNDING = 1e-12
#: A regularizer at most this fraction of an objective does not count in it.
NEGLIGIBLE_PENALTY = 1e-3
#: A dual that falls by less has not fallen: v is added up over many visits before it is compared.
DUAL_FALL_ROUNDING = 1e-11
#: Half of the last digit: a lowest point is found when its value is this near to a lower bound, and
#: a step is rounding when no weight changes by more than this fraction of the largest.
STEP_ROUNDING = float(np.finfo(float).epsneg)
#: If L/2 ‖step‖² is a smaller fraction of the objective, a difference of two objectives has fewer
#: than half of its digits left for a comparison.
STEP_RESOLUTION = 1e-9
#: Tolerance of a test by derivatives, relative to L: derivatives round, and a miss doubles L.
DERIVATIVE_TEST_SLACK = 1e-6
#: The trace of rows less their mean counts as at least this fraction of that of the rows: where all
#: rows are equal it is rounding, and solvers divide by it.
CENTRED_TRACE = 1e-10
#: A Lipschitz constant does not fall below this fraction of a bound or of the first guess: steps of
#: more than twelve orders of magnitude beyond are of no use. Nor does a smoothing fall below this
#: fraction of such a constant, with which it is rounding.
MIN_LIPSCHITZ = 1e-12
#: Newton's smoothing does not fall below this fraction of its first value: less changes nothing.
MIN_SMOOTHING = 1e-14
#: The smallest ‖x‖² / modulus of a dual step. The best dual of a row of zeros is at its bound, and
#: any tiny curvature leads there.
MIN_CURVATURE = 1e-100
#: Corrections one after the other, each of which takes the rounding of the last one away.
REFINEMENTS = 3
#: Trials of a loop that rounding alone keeps from ending.
MAX_TRIALS = 100
#: The smallest divisor: its inverse is finite.
MIN_DIVISOR = float(np.finfo(float).tiny)
