"""The functional door over a cluster: data and parameter in, model out."""

from __future__ import annotations

import time
from numbers import Integral
from typing import Any, NamedTuple

from distributed import Client, Future, get_client

from rrmlinear.catalog.choices import Choices
from rrmlinear.catalog.selection import select
from rrmlinear.dask.blocks import Block, Held, Shape, blocks_of, offsets_of, shape_of
from rrmlinear.dask.fleet import DaskFleet
from rrmlinear.dask.waiting import Watch
from rrmlinear.data.problem import Problem
from rrmlinear.solvers.loop.result import OnPass, Result
from rrmlinear.training.model import Model
from rrmlinear.workers.agreement import Agreement, check_choices, warn_unless_solved

#: Seconds that a round, or the loading of the parts, may take.
WAIT_LIMIT = 600.0


def present_client() -> Client:
    """The client that was made last in this process, or a ValueError."""
    try:
        return get_client()
    except ValueError:
        told = "there is no client of Dask: client = distributed.Client(n_workers=2) makes one"
        raise ValueError(f"{told}, or client= names one") from None


def fit(
    X: Any,
    y: Any = None,
    parameter: Choices | None = None,
    *,
    sample_weight: Any = None,
    bias: float = -1.0,
    client: Client | None = None,
    parts: int | None = None,
    balance: bool = False,
    larger_first: bool = False,
    wait_limit: float = WAIT_LIMIT,
    strict: bool = False,
    on_pass: OnPass | None = None,
    offset: Any = None,
    exposure: Any = None,
) -> Model:
    """minimize Ω(W) + Σ_i C_i φ(W'x_i, y_i) as `rrmlinear.fit` does, over workers.

    ``X`` and ``y``: dask arrays or dataframes; a path, a list or a bag of paths of containers or
    LIBSVM files that every worker can open; a list of futures of (X, y); arrays. The examples are
    dealt in their order to ``parts``, by default one for each thread of the cluster; the same data,
    parameter and number of parts give the same bits, wherever the parts are. A pass of the trace is
    a round. A worker that is lost has its parts loaded on others, and a note of the result says so.

    The regularizer is any with a proximal step; where the intercept is left free and the loss has
    kinks, the squared norm or the elastic net. With a loss of one score, more than two classes are
    problems of each class against the rest, one after another. The gap ends the run: a type's own
    stopping rule has no effect.

    With ``balance`` slow workers make fewer passes over their parts in a round than quick ones, by
    the seconds of the rounds before; then bits differ from run to run.

    Weights of two classes with one score, and bounds of them, are those of the label that comes
    first in the data; with ``larger_first``, of the larger one.

    ``client`` is the present one by default. ``wait_limit`` bounds every wait, in seconds. Workers
    verify what they take of a container. They read text as `rrmlinear.read_libsvm` does, with
    ``strict`` as there, but refuse a ``qid``; its warnings come to the caller.

    ``offset``, or the ``exposure`` e of the offset log e, is a number for each example in their
    order, or one for all: an array or a dask array. The client holds it, and sends each part its
    own.

    Raises ChoiceError and ValueError for wrong parameters and data, ConnectionError where the
    scheduler is lost, TimeoutError at the limit, MemoryError where workers exceed theirs again and
    again; all say who is missing. Warns (NotSolvedWarning) where the tolerance was not reached.
    """
    parameter = Choices() if parameter is None else parameter
    check_choices(select(parameter))
    if parts is not None and not (isinstance(parts, Integral) and parts >= 1):
        raise ValueError(f"parts must be a whole number from 1 on, or None, got {parts!r}")
    if not wait_limit > 0:
        raise ValueError(f"wait_limit must be above 0 seconds, got {wait_limit!r}")
    watch = Watch(present_client() if client is None else client, wait_limit)
    data = Data.of(watch, X, y, sample_weight, strict)
    how = parts, balance, larger_first, on_pass, offsets_of(watch.computed, X, offset, exposure)
    agreed, result = data.solved(parameter, bias, *how)
    warn_unless_solved(result)
    return agreed.model(result)


class Data(NamedTuple):
    """The blocks of a data set, and what workers have told about them."""

    watch: Watch
    blocks: list[Block]
    shapes: list[Shape]

    @classmethod
    def of(cls, watch: Watch, X: Any, y: Any, sample_weight: Any, strict: bool = False) -> Data:
        """Those of what `fit` takes."""
        watch.some_worker()
        if type(X).__module__.startswith("dask.bag"):
            X = watch.computed(X)
        blocks = blocks_of(watch.client, X, y, sample_weight)
        shapes = _shapes(watch, blocks, strict)
        if isinstance(X, Problem):
            shapes = [each._replace(names=(X.feature_names, X.label_names)) for each in shapes]
        return cls(watch, blocks, shapes)

    def solved(
        self,
        choices: Choices,
        bias: float,
        parts: int | None,
        balance: bool,
        larger_first: bool,
        on_pass: OnPass | None,
        offsets: tuple[Any, ...] = (),
    ) -> tuple[Agreement, Result]:
        """What the parts agree on, and the result; the arguments are those of `fit`, ``offsets``
        offset and exposure.
        """
        watch, blocks = self.watch, self.blocks
        count = int(parts or sum(watch.some_worker().values()))
        agreed = Agreement.of(choices, bias, self.shapes, count, larger_first, *offsets)

        def fleet_of(j: int) -> DaskFleet:
            return DaskFleet(watch, agreed.recipes_of(j), blocks, watch.some_worker())

        return agreed, agreed.solve(fleet_of, on_pass, balance)


def _shapes(watch: Watch, blocks: list[Block], strict: bool) -> list[Shape]:
    """Those of all blocks; the client looks at its own itself."""
    end = time.monotonic() + watch.limit
    futures = [
        None if isinstance(each.X, Held) else watch.submit(shape_of, tuple(each), strict)
        for each in blocks
    ]
    return [
        shape_of(block.X.value, strict)
        if future is None
        else _shape_of_block(watch, future, k, len(blocks), end)
        for k, (block, future) in enumerate(zip(blocks, futures, strict=True))
    ]


def _shape_of_block(watch: Watch, future: Future, k: int, size: int, end: float) -> Shape:
    """The shape of block k; an error in its arrays names it."""
    try:
        shape: Shape = watch.result(future, {}, f"looking at block {k} of the data", end)
    except ValueError as error:
        if size > 1 and type(error) is ValueError:  # those of files name their file
            raise ValueError(f"block {k} of the data: {error}") from None
        raise
    return shape
