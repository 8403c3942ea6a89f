"""The functional door over a cluster: data and parameter in, model out."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from distributed import Client, get_client

from rrmlinear.catalog.choices import Choices
from rrmlinear.catalog.errors import ChoiceError, Named
from rrmlinear.catalog.selection import GAP_TOL, Selection, select
from rrmlinear.catalog.solvers import CONVEX, EXAMPLES
from rrmlinear.catalog.stage_builders import over_parts
from rrmlinear.dask.blocks import Block, Shape, blocks_of, dealt, shape_of
from rrmlinear.dask.fleet import DaskFleet
from rrmlinear.dask.parts import Recipe
from rrmlinear.dask.waiting import Watch
from rrmlinear.data.labels import group_labels
from rrmlinear.solvers.loop.result import OnPass
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.training.costs import class_factors
from rrmlinear.training.fit import NotSolvedWarning
from rrmlinear.training.model import Model

#: Seconds that a round, or the loading of the parts, may take.
WAIT_LIMIT = 600.0


def fit(
    X: Any,
    y: Any = None,
    parameter: Choices | None = None,
    *,
    sample_weight: Any = None,
    bias: float = -1.0,
    client: Client | None = None,
    parts: int | None = None,
    wait_limit: float = WAIT_LIMIT,
    on_pass: OnPass | None = None,
) -> Model:
    """minimize Ω(W) + Σ_i C_i φ(W'x_i, y_i) as `rrmlinear.fit` does, over workers.

    ``X`` and ``y``: dask arrays or dataframes; a path, a list or a bag of paths of containers or
    LIBSVM files that every worker can open; a list of futures of (X, y); arrays. The examples are
    dealt in their order to ``parts``, by default one for each thread of the cluster; the same data,
    parameter and number of parts give the same bits, wherever the parts are. A pass of the trace is
    a round. A worker that is lost has its parts loaded on others, and a note of the result says so.

    The parameter's loss and regularizer must suit an ascent on the dual, with two classes for a
    loss of one score. The gap ends the run: a type's own stopping rule has no effect.

    ``client`` is the present one by default. ``wait_limit`` bounds every wait, in seconds.

    Raises ChoiceError and ValueError for wrong parameters and data, ConnectionError where the
    scheduler is lost, TimeoutError at the limit; both say who is missing. Warns (NotSolvedWarning)
    where the tolerance was not reached.
    """
    client = get_client() if client is None else client
    parameter = Choices() if parameter is None else parameter
    chosen = select(parameter)
    _check_choices(chosen)
    watch = Watch(client, wait_limit)
    workers = watch.some_worker()
    blocks = blocks_of(client, X, y, sample_weight)
    shapes = _shapes(watch, blocks)
    labels = _labels(shapes, chosen.kind)
    factors = class_factors(parameter.class_weights, labels, 3)
    n_features = _features(shapes)
    recipes = [
        Recipe(k, parameter, tuple(slices), n_features, bias, labels, factors)
        for k, slices in enumerate(dealt([s.n for s in shapes], parts or sum(workers.values())))
    ]
    width = n_features + (bias >= 0)
    shape = (width, len(labels)) if chosen.kind == "multiclass" else (width,)
    omega = chosen.regularizer.over(shape, intercept=bias >= 0)
    fleet = DaskFleet(watch, recipes, blocks, workers)
    solver = over_parts(fleet, chosen.loss, chosen.features, omega, shape)
    stopping = Stopping(
        parameter.gap_tol or GAP_TOL, None, parameter.max_passes, parameter.time_limit
    )
    result = solver.solve(stopping, on_pass)
    if not result.solved:
        warnings.warn(result.shortfall(), NotSolvedWarning, stacklevel=2)
    return Model(
        solver_name=chosen.solver.name,
        labels=labels,
        weights=result.weights,
        n_features=n_features,
        bias=bias,
        loss=chosen.loss_row.name,
        parameter=parameter,
        result=result,
    )


def _check_choices(chosen: Selection) -> None:
    """Raise ChoiceError for what rounds over workers do not take."""
    needed = CONVEX | EXAMPLES
    if not needed <= chosen.features or chosen.kind not in ("binary", "multiclass", "regression"):
        raise ChoiceError(
            Named("loss", chosen.loss_row.name),
            " with this regularizer has no ascent on the dual, which workers need",
            field="loss",
            value=chosen.loss_row.name,
        )
    if chosen.choices.free_bias:
        raise ChoiceError(
            Named("free_bias"),
            " is not for workers: take a bias with regularization",
            field="free_bias",
            value=True,
        )
    try:
        chosen.regularizer.scaled(1.0)
    except TypeError:
        raise ChoiceError(
            Named("regularizer", chosen.choices.regularizer or chosen.solver.regularizer),
            " is not for workers: they take the squared norm and the elastic net",
            field="regularizer",
            value=chosen.choices.regularizer,
        ) from None


def _shapes(watch: Watch, blocks: list[Block]) -> list[Shape]:
    futures = [watch.submit(shape_of, *watch.sent(block)) for block in blocks]
    shapes: list[Shape] = [
        watch.result(each, {}, f"looking at block {k} of the data")
        for k, each in enumerate(futures)
    ]
    if not any(shape.n for shape in shapes):
        raise ValueError("the problem has no examples")
    return shapes


def _features(shapes: list[Shape]) -> int:
    widths = {shape.d for shape in shapes if shape.n and shape.is_dense}
    if len(widths) > 1:
        raise ValueError(
            f"blocks of dense rows have {min(widths)} to {max(widths)} features; all must have as "
            "many"
        )
    return max(shape.d for shape in shapes)


def _labels(shapes: list[Shape], kind: str) -> Any:
    """The classes of all blocks, by first appearance."""
    if kind == "regression":
        return np.empty(0, dtype=np.int64)
    labels, _ = group_labels(np.concatenate([shape.labels for shape in shapes]))
    if len(labels) < 2:
        raise ValueError(
            f"all {sum(shape.n for shape in shapes)} examples have label {labels[0]}: training "
            "takes at least two classes"
        )
    if kind == "binary" and len(labels) > 2:
        raise ValueError(
            f"there are {len(labels)} classes: over workers more than two take a loss of several "
            "scores, such as weston-watkins, crammer-singer or softmax"
        )
    return labels
