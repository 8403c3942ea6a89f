"""Guesses of what solvers cost, and of which one is quicker, by sizes alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.task import Task
from rrmlinear.solvers.dual.dual_descent import CLASS_COST, NONZERO_COST
from rrmlinear.solvers.second_order.limits import MAX_FACTORIZED

# Rough costs in nanoseconds: of a pass beside its visits, in Python; the same of a step of Newton's
# method; of an example for each score; of a multiplication in BLAS.
PASS_COST, STEP_COST = 1e5, 5e5
SCORE_COST, BLAS_COST = 20.0, 0.08
# The same of a score in a visit of an ascent, where a loss of several scores has kinks: it takes no
# elementary functions. Visits took 400 ns with 26 classes and 28 stored values, 217 with 16.
KINK_SCORE_COST = 8.0
# The same of a multiplication in the Gram matrix of dense rows, of which BLAS computes a half.
DENSE_GRAM_COST = 0.02
# The same of reading a stored value from a file.
READING_COST = 6.0
# Products with all examples in a pass of Newton's method, and in one over all examples at once.
NEWTON_PRODUCTS, BATCH_PRODUCTS = 6, 3
# Products of a Newton system with the parts of each class as preconditioner, and for these parts.
CLASS_PRODUCTS = 15
# Passes that Newton's method takes, for smooth losses and for those with kinks, and that gradient
# methods are guessed to take.
SMOOTH_STEPS, KINK_STEPS, BATCH_PASSES = 15, 40, 1000
# The same for losses of one score with kinks under the squared norm. They take 14 to 35 steps, each
# of half of the guessed time. With a free intercept the ascent repeats, and would come too late.
ONE_KINK_STEPS = 20
# The same for losses of several scores with kinks, uneven columns, and more weights than a factor
# may have. Newton's method takes more passes there, but an ascent takes very many: with this small
# guess the ascent is left sooner.
UNEVEN_STEPS = 20
# Passes of Newton's method before its rate is judged, for systems that are factorized: duals prove
# little before the end of an inner problem, and of smooth losses before steps are whole; and for
# sweeps over uneven columns.
LEAST_KINK_STEPS, LEAST_SMOOTH_STEPS = 160, 30
# These passes are multiplied by this for a model of the regularizer without a barrier: other
# methods rarely finish what Newton's method does not.
MODEL_PATIENCE = 4
# Passes that Newton's method on barriers takes for hard problems, and for smooth losses with the
# 1-norm: there it took 21 to 33 where Newton's method took 26 to 101.
INTERIOR_STEPS, SMOOTH_INTERIOR_STEPS = 100, 35
# Passes of Newton's method before its rate is judged where barriers may go on.
LEAST_BEFORE_BARRIERS = 60
# Passes that the ascent is guessed to take after Newton's method, and with a free intercept. There
# it repeats whole ascents.
WHOLE_PASSES = 1000
# Newton's method is quicker than the ascent from the first pass on for smooth losses and for those
# of several scores: with at most this number of weights, and at least this number of examples for
# each.
MAX_FIRST_WEIGHTS, MIN_FIRST_EXAMPLES = 600, 100
# It is also quicker for smooth losses of one score if its guessed time is at most this. It takes a
# millisecond or two then, and an ascent takes hundreds of passes with uneven columns.
MAX_FIRST_COST = 2.2e7
# It is also quicker if its guessed time is at most this and the mean c ‖x‖² is at least MIN_CURVED:
# ascents take many passes then. On rows that are long beside their distances from their mean an
# ascent takes as many times more: of 2 000 × 500 values near 480 at C = 0.001, 1 600 passes.
MAX_CURVED_COST, MIN_CURVED = 5e7, 50.0
# The same for smooth losses of several scores, if their costs are as large or intercepts are free:
# with free intercepts the ascent begins anew many times.
MAX_SEVERAL_COST = 6e7
# It is also quicker for smooth losses of several scores if one column is longer than another by
# this factor. The steps of ascents are as short as the longest column needs. Lengths do not change
# the steps of Newton's method.
MIN_UNEVEN = 1e4
# Visits of each example that the accelerated ascent is guessed to take on text: some 1 480 passes
# did not solve raw 20Newsgroups at C = 1000.
WIDE_VISITS = 1500
# Newton's method has stalled after this number of passes without a move. It is small because each
# pass may be long.
NEWTON_PATIENCE = 10


def sizes(task: Task) -> tuple[int, int, float, int]:
    """Examples, features, stored values of an example, columns of weights."""
    n = task.rows.shape[0]
    return n, task.rows.width, max(1.0, task.rows.n_stored / max(n, 1)), task.n_classes or 1


def visit_cost(task: Task) -> float:
    """The cost of a visit of an ascent."""
    has_kinks = task.n_classes is not None and "smooth" not in task.features
    return _example_cost(task, KINK_SCORE_COST if has_kinks else SCORE_COST)


def pass_visit_cost(task: Task) -> float:
    """The cost of an example in a pass over all examples, reading of blocks included."""
    reading = 0.0 if task.rows.blocks is None else READING_COST
    return _example_cost(task, SCORE_COST) + reading * sizes(task)[2]


def _example_cost(task: Task, score: float) -> float:
    _, _, stored, k = sizes(task)
    return score * k + stored * (NONZERO_COST + CLASS_COST * k)


def least_passes(smooth: bool, unknowns: int) -> int:
    """The passes before Newton's method may be slow."""
    if unknowns > MAX_FACTORIZED:
        return 0
    return LEAST_SMOOTH_STEPS if smooth else LEAST_KINK_STEPS


def is_small(n: int, weights: int, is_quick: bool) -> bool:
    """Whether few weights and many examples make Newton's method, ``is_quick`` for the loss, the
    first choice.
    """
    return is_quick and weights <= MAX_FIRST_WEIGHTS and n >= MIN_FIRST_EXAMPLES * weights


def differ(squares: NDArray[np.float64]) -> bool:
    """Whether the columns with these squared lengths differ by MIN_UNEVEN."""
    used = squares[squares > 0]
    return len(used) > 0 and float(used.max()) >= MIN_UNEVEN**2 * float(used.min())
