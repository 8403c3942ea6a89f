"""What all workers agree on before the first round: choices, features, classes and parts."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.choices import Choices
from rrmlinear.catalog.errors import ChoiceError, Named
from rrmlinear.catalog.selection import GAP_TOL, Selection, select
from rrmlinear.catalog.solvers import CONVEX, EXAMPLES
from rrmlinear.catalog.stage_builders import over_parts
from rrmlinear.data.labels import group_labels
from rrmlinear.solvers.loop.result import OnPass, Result
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.solvers.rounds.fleet import Fleet
from rrmlinear.training.costs import class_factors
from rrmlinear.training.fit import NotSolvedWarning
from rrmlinear.training.model import Model
from rrmlinear.workers.dealing import Shape, dealt
from rrmlinear.workers.recipe import Recipe


@dataclass(frozen=True, eq=False)
class Agreement:
    """The problem of all parts: choices, classes, features, and a recipe for each part."""

    chosen: Selection
    labels: NDArray[np.int64]
    n_features: int
    bias: float
    recipes: list[Recipe]

    @classmethod
    def of(cls, choices: Choices, bias: float, shapes: Sequence[Shape], parts: int) -> Agreement:
        """That of blocks with these shapes, their examples dealt to ``parts``.

        Raises ChoiceError and ValueError for choices and data that workers do not take.
        """
        chosen = select(choices)
        check_choices(chosen)
        if not any(shape.n for shape in shapes):
            raise ValueError("the problem has no examples")
        labels, n_features = _labels(shapes, chosen.kind), _features(shapes)
        factors = class_factors(choices.class_weights, labels, 4)
        recipes = [
            Recipe(k, choices, tuple(slices), n_features, bias, labels, factors)
            for k, slices in enumerate(dealt([shape.n for shape in shapes], parts))
        ]
        return cls(chosen, labels, n_features, bias, recipes)

    def solve(self, fleet: Fleet, on_pass: OnPass | None, balance: bool) -> Result:
        """The result of the parts that a fleet holds."""
        chosen, choices = self.chosen, self.chosen.choices
        width = self.n_features + (self.bias >= 0)
        shape = (width, len(self.labels)) if chosen.kind == "multiclass" else (width,)
        omega = chosen.regularizer.over(shape, intercept=self.bias >= 0)
        solver = over_parts(fleet, chosen.loss, chosen.features, omega, shape, balance)
        stopping = Stopping(
            choices.gap_tol or GAP_TOL, None, choices.max_passes, choices.time_limit
        )
        return solver.solve(stopping, on_pass)

    def model(self, result: Result, stacklevel: int = 3) -> Model:
        """The model of a result.

        Warns (NotSolvedWarning) where the tolerance was not reached.
        """
        if not result.solved:
            warnings.warn(result.shortfall(), NotSolvedWarning, stacklevel=stacklevel)
        return Model(
            solver_name=self.chosen.solver.name,
            labels=self.labels,
            weights=result.weights.reshape(len(result.weights), -1),
            n_features=self.n_features,
            bias=self.bias,
            loss=self.chosen.loss_row.name,
            parameter=self.chosen.choices,
            result=result,
        )


def check_choices(chosen: Selection) -> None:
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


def _features(shapes: Sequence[Shape]) -> int:
    widths = {shape.d for shape in shapes if shape.n and shape.is_dense}
    if len(widths) > 1:
        raise ValueError(
            f"blocks of dense rows have {min(widths)} to {max(widths)} features; all must have as "
            "many"
        )
    return max(shape.d for shape in shapes)


def _labels(shapes: Sequence[Shape], kind: str) -> Any:
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
