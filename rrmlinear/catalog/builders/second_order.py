"""Builders of solvers by second derivatives, and the tests of whether these take a task.

They import solvers, and what these know of losses and regularizers, when they are called.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.errors import ChoiceError, Named
from rrmlinear.core.loading import loading, named
from rrmlinear.losses.margin import Hinge
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.second_order.factors import MAX_FACTORIZED, examples_each
from rrmlinear.solvers.second_order.samples import solved_sample, takes_sample
from rrmlinear.solvers.second_order.work import BLAS_COST, DENSE_GRAM_COST, SCORE_COST, Work

# With fewer stored values than this, steps without a 1-norm take less time than the calls of Python
# that a sample adds.
MIN_SAMPLED_VALUES = 50_000
# Losses with kinks take at most MAX_KINK_WEIGHTS where each has MIN_KINK_EXAMPLES: the optimum of a
# sample is so near then that few steps follow.
MAX_KINK_WEIGHTS, MIN_KINK_EXAMPLES = 200, 450
# Limits on n d, with zeros, and on d for steps over all examples, of which there are at least as
# many as weights. With more values a sample of them is the better begin: 30 000 × 18 took 0.8 to
# 1.6 of the time. With more weights a step takes as long as many passes: of 120 to 150 ascents of
# small costs took a half to a third of the time.
MAX_SOLVED_VALUES, MAX_SOLVED_WEIGHTS = 400_000, 100
#: Values with zeros that a vector takes in the time of one that is stored.
LANES = 8


def newton_applies(task: Task) -> bool:
    """Whether Newton's method takes this task.

    With other regularizers than the squared norm and the 1-norm its matrices are factorized, so
    that the number of weights has a limit.
    """
    omega = task.regularizer
    if task.risk is not None and "hessian" not in task.risk.offers:
        return False
    if (omega.quadratic_l1 is not None and omega.modulus > 0) or has_free(task):
        return True
    with loading:
        from rrmlinear.regularizers.prox_jacobians import has_jacobian, is_diagonal

    if task.rows.blocks is not None or not has_jacobian(omega):
        return False
    unknowns = min(task.rows.n, task.rows.width) if is_diagonal(omega) else task.rows.width
    return omega.quadratic_l1 is not None or unknowns * (task.n_classes or 1) <= MAX_FACTORIZED


def has_free(task: Task) -> bool:
    """Whether Ω is a squared norm beside free columns, where first-order methods have no rate."""
    is_uniform = task.regularizer.quadratic_l1 is not None or task.regularizer.modulus > 0
    numbers = None if is_uniform else coordinates(task)  # as many as weights
    return numbers is not None and bool(numbers.is_square_beside_free)


def coordinates(task: Task) -> Any:
    """The numbers of the coordinates of Ω; None where these meet, or differ over streamed rows."""
    omega, sums = task.regularizer, task.risk is None or "hessian" in task.risk.offers
    if not sums or (task.rows.blocks is not None and omega.quadratic_l1 is None):
        return None
    weights = (task.rows.width - bool(task.choices.free_bias)) * (task.n_classes or 1)
    return named("regularizers.coordinates:coordinates_of")(omega, weights)


def work_of(task: Task) -> Work:
    """The work of a step, a visit and a gradient of this task."""
    l1 = task.regularizer.quadratic_l1
    numbers = coordinates(task) if l1 is None else None
    if numbers is not None and not numbers.l1[numbers.modulus == 0].any():
        l1 = float(numbers.l1.max())  # systems are of examples where these are few
    step_work = getattr(task.loss, "step_work", 0.0)
    return Work(task.rows, task.n_classes, task.is_smooth, l1, step_work)


def step_by_matrix(task: Task) -> float:
    """The work of a step by the second derivative, d × d, of the risk of an order."""
    work, entries = work_of(task), task.risk.over.n_entries
    pairs = float(entries * (SCORE_COST + BLAS_COST * work.d))
    return work.step + DENSE_GRAM_COST * work.n * work.d**2 + pairs


def simple_penalty(task: Task) -> Any:
    """The numbers of Ω where Newton steps over features take it, else None."""
    numbers = coordinates(task)
    return numbers if numbers is not None and numbers.has_simple_bounds else None


def _need_diagonal(task: Task) -> None:
    """Raise ChoiceError for more than MAX_FACTORIZED weights, if the prox has a full derivative."""
    with loading:
        from rrmlinear.regularizers.prox_jacobians import is_diagonal

    weights = task.rows.width * (task.n_classes or 1)
    if weights > MAX_FACTORIZED and not is_diagonal(task.regularizer):
        value = task.choices.solver
        raise ChoiceError(
            Named("solver", value),
            " factorizes a matrix of all weights beside this regularizer: it takes at most "
            f"{MAX_FACTORIZED} of them, and there are {weights}; choose ",
            Named("solver", "auto"),
            field="solver",
            value=value,
        )


def newton(task: Task) -> Solver:
    """Newton's method, on the augmented Lagrangian of losses with kinks."""
    _need_diagonal(task)
    with loading:
        from rrmlinear.solvers.second_order.newton import Newton
        from rrmlinear.solvers.second_order.work import products_of_matrix

    risk, omega = task.whole(0), task.regularizer
    first: Callable[[], tuple[NDArray[np.float64], Any]] | None = None
    squares = "least-squares" in task.features
    one_step = squares and omega.quadratic_l1 == 0  # a sample would save none
    # where Ω is strongly convex duals give weights, and other weights count only with duals
    beside = task.start is not None and omega.quadratic_l1 == 0
    if task.weights is not None and (beside or not omega.modulus > 0):
        first = partial(_first_given, task)
    elif not one_step and task.rows.n_stored >= MIN_SAMPLED_VALUES and takes_sample(task):
        first = partial(_first_of_sample, task)
    is_square = omega.quadratic_l1 == 0 or has_free(task)
    is_plain = task.is_smooth and task.n_classes is None and is_square
    is_plain = is_plain and task.rows.blocks is task.risk is None
    products = products_of_matrix(task.rows) if is_plain else 0
    return Newton(risk, omega, task.first_duals(), first, squares, products)


def _first_given(task: Task) -> tuple[NDArray[np.float64], Any]:
    return np.asarray(task.weights), None


def _first_of_sample(task: Task) -> tuple[NDArray[np.float64], Any]:
    """The weights of a sample, and the factor of the last system over its features."""
    weights, solver = solved_sample(task, newton)
    return weights, solver.systems.latest


def lbfgs_applies(task: Task) -> bool:
    """Whether L-BFGS takes the scores of the task: one, or those of the softmax."""
    loss, softmax = task.loss, "losses.multiclass:Softmax"
    is_known = task.is_smooth and (task.n_classes is None or isinstance(loss, named(softmax)))
    return bool(is_known and named("solvers.lbfgs.problems:applies")(task))


def compiled_applies(task: Task) -> bool:
    """Whether compiled steps solve a smooth loss of one score sooner than those for more weights:
    under the squared norm, perhaps with a free intercept, or with a 1-norm.
    """
    return _is_curved(task) and _are_few(task) and _has_norms(task)


def kinks_apply(task: Task) -> bool:
    """Whether compiled steps solve a loss with kinks; `ClassSteps` begins with the hinge."""
    if task.is_smooth or not (_is_plain(task) and _has_norms(task)):
        return False
    are_many = task.rows.width <= MAX_KINK_WEIGHTS and task.regularizer.modulus > 0
    suits = (are_many and examples_each(task.rows) >= MIN_KINK_EXAMPLES) or _suits_steps(task)
    return suits and bool(task.loss.has_envelope())


def _has_norms(task: Task) -> bool:
    """Whether the regularizer is the squared norm, or has a 1-norm beside no free intercept."""
    return _has_norm(task) or (bool(task.regularizer.quadratic_l1) and not task.choices.free_bias)


def _is_kink(task: Task) -> bool:
    """Whether it is the hinge of one score: compiled steps take ever narrower parabolas."""
    is_hinge = isinstance(task.loss, Hinge) and not task.choices.free_bias
    return is_hinge and _has_norm(task) and _is_plain(task)


def _has_norm(task: Task) -> bool:
    omega = task.regularizer
    return omega.linear and omega.quadratic_l1 == 0 and omega.modulus > 0


def _is_curved(task: Task) -> bool:
    return task.is_smooth and "least-squares" not in task.features


def _is_plain(task: Task) -> bool:
    """Whether it is of one score of rows in memory, alone."""
    alone = task.risk is None and task.choices.budget is None and task.rows.blocks is None
    return alone and task.n_classes is None


def _are_few(task: Task) -> bool:
    return task.rows.n * task.rows.width <= MAX_SOLVED_VALUES and _suits_steps(task)


def _suits_steps(task: Task) -> bool:
    """Whether weights and zeros are few; with fewer examples the norm makes systems definite."""
    n, d = task.rows.n, task.rows.width
    are_few = 0 < d <= MAX_SOLVED_WEIGHTS and LANES * task.rows.n_stored >= n * d
    return are_few and (d <= n or _has_norm(task)) and _is_plain(task)


def few_weights(task: Task) -> Any:
    """The examples of compiled steps without a free intercept, or None where others are quicker."""
    if task.choices.free_bias:
        return None
    l1 = task.regularizer.quadratic_l1
    if not ((_is_kink(task) and _are_few(task)) or compiled_applies(task)):
        is_small = task.rows.n_stored <= MAX_SOLVED_VALUES and suits_curved(task)
        return _over_features(task) if is_small else None
    columns = named("data.products:full_columns")(task.rows)
    examples = named("solvers.second_order._few_weights:FewWeights")
    return examples(task.targets, task.costs, task.rows, columns, False, l1)


def suits_curved(task: Task) -> bool:
    """Whether steps of `CurvedDescent` suit a smooth loss of one score with the 1-norm: sweeps over
    the columns are shorter than over a Gram matrix.
    """
    if not (task.regularizer.quadratic_l1 and _is_plain(task) and _is_curved(task)):
        return False
    is_short = 0 < task.rows.n_stored <= 2 * task.rows.width**2
    return is_short and not task.choices.free_bias


def is_wide(task: Task) -> bool:
    """Whether these steps are a solver of their own: for more features than sparse examples, which
    are too many for steps without passes.
    """
    is_large = task.rows.n_stored > MAX_SOLVED_VALUES and not task.rows.is_dense
    return is_large and task.rows.n < task.rows.width and suits_curved(task)


def _over_features(task: Task) -> Any:
    """The examples of steps over features."""
    columns = named("solvers.features.feature_subsets:shared_columns")(task.rows)
    examples = named("solvers.features._curved_descent:CurvedDescent")
    return examples(task.targets, task.costs, columns, task.regularizer.quadratic_l1)


def free_point(risk: Any, z: NDArray[np.float64], *rest: Any) -> Any:
    """The certificate of a loss without a regularizer; see `free_duals.free_point`."""
    from rrmlinear.solvers.second_order.systems import free_duals

    return free_duals.free_point(risk, z, *rest) if rest else free_duals.plain_point(risk, z)


def feature_newton_applies(task: Task) -> bool:
    """Whether Newton steps over features take this task, with a 1-norm. They read data of several
    scores, and of losses with kinks, in memory alone.
    """
    if task.risk is not None or task.choices.budget is not None:
        return False
    has_inner = task.n_classes is not None or "smooth" not in task.features
    if has_inner and task.rows.blocks is not None:
        return False
    numbers = simple_penalty(task)
    return numbers is not None and bool(numbers.has_l1.any())
