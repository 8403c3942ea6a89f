"""Small problems, and their examples dealt to parts."""

import numpy as np
from scipy.sparse import random_array

from rrmlinear import Parameter, Problem
from rrmlinear.catalog.builders.dual import part
from rrmlinear.catalog.selection import select
from rrmlinear.data.labels import group_labels
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.rounds.over_parts import over_parts

REGULARIZERS = {"l2": {}, "elastic-net": {"l1": 0.3}}


def examples(loss, n=240, d=30, density=0.3, seed=0):
    rng = np.random.default_rng(seed)
    X = random_array((n, d), density=density, rng=rng, format="csr")
    classes = 2 if loss in ("hinge", "squared-hinge", "logistic") else 4
    y = (X @ rng.standard_normal((d, classes))).argmax(axis=1)
    y[::7] = (y[::7] + 1) % classes
    return Problem.from_arrays(X, y, bias=1.0)


def chosen_for(loss, regularizer, C=1.0):
    return select(
        Parameter(solver=32, loss=loss, regularizer=regularizer, C=C, **REGULARIZERS[regularizer])
    )


def omega_of(problem, chosen, columns):
    shape = (problem.rows.width,) if columns == 1 else (problem.rows.width, columns)
    return chosen.regularizer.over(shape, intercept=True)


def parts_of(problem, chosen, size):
    labels, label = group_labels(problem.labels)
    several = chosen.kind == "multiclass"
    parts = []
    for place, own in enumerate(np.array_split(np.arange(problem.n_examples), size)):
        some, y = problem.take(own), label[own]
        task = Task(
            some.rows,
            y.astype(np.int32) if several else np.where(y == 0, 1.0, -1.0),
            len(labels) if several else None,
            np.full(len(own), float(chosen.choices.C)),
            chosen.loss,
            omega_of(problem, chosen, len(labels) if several else 1),
            chosen.features,
            chosen.choices,
        )
        parts.append(part(task, place=place))
    return parts


def zero(lost):
    """Duals of zero for a part."""
    duals = lost.ascent.present_duals()
    if isinstance(duals, np.ndarray):
        return 0 * duals
    n = len(duals.indptr) - 1
    return type(duals)(np.zeros(n + 1, np.int64), np.zeros(0, np.int32), np.zeros(0))


def solved_over_parts(problem, chosen, kind, size, free, stopping):
    """The result of rounds over ``size`` parts in a fleet of a kind; the intercept may be free."""
    fleet = kind(parts_of(problem, chosen, size))
    d, k = problem.rows.width - free, fleet.parts[0].columns
    shape = (d,) if chosen.kind == "binary" else (d, k)
    omega = chosen.regularizer.over(shape, intercept=not free)
    bias = 1.0 if free else None
    solver = over_parts(fleet, chosen.loss, chosen.features, omega, shape, free_bias=bias)
    return solver.solve(stopping)
