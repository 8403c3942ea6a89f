"""What all workers agree on before the first round: choices, features, classes and parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.choices import Choices
from rrmlinear.catalog.errors import ChoiceError, Named
from rrmlinear.catalog.regularizers import free_columns, weight_at_limit
from rrmlinear.catalog.selection import GAP_TOL, Selection, select
from rrmlinear.catalog.solvers import CONVEX, EXAMPLES
from rrmlinear.core.warned import warn_caller
from rrmlinear.data.labels import group_labels, log_exposure
from rrmlinear.solvers.loop.result import OnPass, Result, Stopping
from rrmlinear.solvers.rounds.fleet import Fleet
from rrmlinear.solvers.rounds.over_parts import MOST_SENT, over_parts
from rrmlinear.solvers.rounds.part import has_rounds
from rrmlinear.training.classes.class_problems import values_at_zero
from rrmlinear.training.classes.in_turn import solve_each
from rrmlinear.training.costs import class_factors
from rrmlinear.training.fit import NotSolvedWarning
from rrmlinear.training.model import Model
from rrmlinear.training.offsets import check_offset, with_each_factor, with_limit
from rrmlinear.workers.dealing import Recipe, Shape, dealt

# What a regularizer without rounds needs, and with intercepts that are left free.
PROX, SMOOTH_PROX = frozenset({"prox"}), frozenset({"smooth", "prox"})


@dataclass(frozen=True, eq=False)
class Agreement:
    """The problem of all parts: choices, classes, features, and a recipe for each part."""

    chosen: Selection
    labels: NDArray[np.int64]
    #: The sums of the weights of each class's examples, and factors of their costs.
    sums: NDArray[np.float64]
    factors: NDArray[np.float64]
    n_features: int
    bias: float
    recipes: list[Recipe]
    names: tuple[Sequence[str] | None, Sequence[str] | None]

    @classmethod
    def of(
        cls,
        choices: Choices,
        bias: float,
        shapes: Sequence[Shape],
        parts: int,
        larger_first: bool = False,
        offset: Any = None,
        exposure: Any = None,
    ) -> Agreement:
        """That of blocks with these shapes, their examples dealt to ``parts``; each part is sent
        its numbers of ``offset`` or ``exposure``.

        Gives the warnings of their readers.
        Classes stand by first appearance; of two, with ``larger_first``, the larger label is first.
        Raises ChoiceError and ValueError for choices and data that workers do not take.
        """
        chosen = select(choices)
        check_choices(chosen)
        chosen.check_bias(bias)
        for text in dict.fromkeys(shape.told for shape in shapes if shape.told):
            warn_caller(text)
        if not any(shape.n for shape in shapes):
            raise ValueError("the problem has no examples")
        names = [shape.names for shape in shapes if shape.n]
        if any(each != names[0] for each in names):
            raise ValueError("blocks have different names of features or labels; give all the same")
        if chosen.kind == "regression" and names and names[0][1]:
            raise ValueError(f"the labels are words, such as {names[0][1][0]!r}: no numbers")
        n_features = _features(shapes)
        chosen = with_each_factor(chosen, n_features)
        if choices.limit is None and free_columns(choices) is not None:
            longest = max(abs(end) for shape in shapes for end in shape.ends or (0.0,))
            chosen = with_limit(chosen, longest)  # by the labels alone: workers have the columns
        choices = chosen.choices
        if chosen.kind == "regression":
            labels, sums = np.empty(0, dtype=np.int64), np.empty(0)
        else:
            labels, sums = classes_of(shapes)
        if larger_first and len(labels) == 2 and labels[0] < labels[1]:
            labels, sums = labels[::-1].copy(), sums[::-1].copy()
        if n_features == 0 and bias < 0:
            raise ValueError("the problem has no features; at least one is needed")
        check_choices(chosen, n_features * (len(labels) if chosen.kind == "multiclass" else 1))
        factors = class_factors(choices.class_weights, labels)
        if choices.free_bias and (factors * sums == 0).any():
            label = labels[factors * sums == 0][0]
            raise ValueError(
                f"the examples of label {label} are without a cost, and then no intercept that is "
                "left free is best: leave them out, or give them weights above 0"
            )
        _check_labels(chosen, shapes)
        known = log_exposure(offset, exposure, sum(shape.n for shape in shapes))
        if known is not None:
            check_offset(chosen)
        recipes, first = [], 0
        for k, slices in enumerate(dealt([shape.n for shape in shapes], parts)):
            end = first + sum(each.end - each.begin for each in slices)
            own = None if known is None else known[first:end]
            given = choices, tuple(slices), n_features, bias, labels, factors
            recipes.append(Recipe(k, *given, first=first, offset=own))
            first = end
        return cls(chosen, labels, sums, factors, n_features, bias, recipes, names[0])

    @property
    def problems(self) -> int:
        """One, or one for each class against the rest."""
        several = self.chosen.kind == "binary" and len(self.labels) > 2
        return len(self.labels) if several else 1

    def recipes_of(self, j: int) -> list[Recipe]:
        """Those of problem j."""
        return [replace(each, positive=j) for each in self.recipes]

    def solve(
        self, fleet_of: Callable[[int], Fleet], on_pass: OnPass | None, balance: bool
    ) -> Result:
        """The result of the parts that a fleet holds, which is made for each problem."""
        choices = self.chosen.choices
        limits = choices.max_passes, choices.time_limit
        stopping = Stopping(choices.gap_tol or GAP_TOL, None, *limits)

        def one(j: int, stopping: Stopping, see: OnPass | None) -> Result:
            chosen, width = self.chosen, self.n_features + (self.bias >= 0)
            shape = (width, len(self.labels)) if chosen.kind == "multiclass" else (width,)
            is_free = bool(chosen.choices.free_bias)
            own = (width - is_free, *shape[1:])
            omega = chosen.regularizer.over(own, intercept=self.bias >= 0 and not is_free)
            fleet = fleet_of(j)
            free = self.bias if is_free else None
            solver = over_parts(fleet, chosen.loss, chosen.features, omega, own, balance, free)
            result = solver.solve(stopping, see)
            return replace(result, weights=result.weights.reshape(shape))

        if self.problems == 1:
            return one(0, stopping, on_pass)
        own = choices.C * self.factors * self.sums
        rest = choices.C * (self.sums.sum() - self.sums)
        zeros = values_at_zero(self.chosen.loss, list(zip(own, rest, strict=True)))
        # a fleet holds the parts of one problem at a time
        return solve_each(one, zeros, stopping, on_pass, may_wait=False)

    def model(self, result: Result) -> Model:
        """The model of a result; warns of weights without a penalty that are at their limit."""
        weights = result.weights.reshape(len(result.weights), -1)
        if news := weight_at_limit(weights, self.chosen.choices):
            warn_caller(news)
        names, words = self.names
        return Model(
            solver_name=self.chosen.solver.name,
            labels=self.labels,
            weights=weights,
            n_features=self.n_features,
            bias=self.bias,
            loss=self.chosen.loss_row.name,
            parameter=self.chosen.choices,
            result=result,
            feature_names=names,
            label_names=words and tuple(words[label - 1] for label in self.labels),
        )


def warn_unless_solved(result: Result) -> None:
    """Warn the caller of fit where the tolerance was not reached."""
    if not result.ended:
        warn_caller(result.shortfall(), NotSolvedWarning)


def check_choices(chosen: Selection, unknowns: int = 0) -> None:
    """Raise ChoiceError for what workers do not take, with this number of weights."""
    if chosen.kind not in ("binary", "multiclass", "regression") or chosen.has_order:
        why = "a part does not know the examples of others that it compares its own with"
        raise ChoiceError(
            *(Named("loss", chosen.loss_row.name), " is not for workers: "),
            why if chosen.has_order else "they take losses of numbers and of classes",
            field="loss",
            value=chosen.loss_row.name,
        )
    of_gap = " has no effect over workers: ", Named("gap_tol"), " bounds the gap of all examples"
    of_all = " is not for workers: it is one of all examples together"
    refused: dict[str, tuple[Any, ...]] = {"tolerance": of_gap, "budget": (of_all,)}
    for field, told in refused.items():
        if (value := getattr(chosen.choices, field)) is not None:
            raise ChoiceError(Named(field), *told, field=field, value=value)
    by_rounds = chosen.features >= (CONVEX | EXAMPLES) and has_rounds(chosen.regularizer)
    # second derivatives of few weights are summed: kinks are smoothed there
    by_matrix = bool(chosen.regularizer.quadratic_l1) and unknowns <= MOST_SENT
    needed = SMOOTH_PROX if chosen.choices.free_bias and not by_matrix else PROX
    if not by_rounds and not chosen.features >= needed:
        name = chosen.choices.regularizer or chosen.solver.regularizer
        raise ChoiceError(
            Named("regularizer", name),
            " over workers needs a smooth loss where the intercept is left free: ",
            Named("loss", chosen.loss_row.name),
            " has kinks, and takes the squared norm and the elastic net there, and l1 with up to "
            f"{MOST_SENT} weights; a regularized intercept goes with all",
            field="regularizer",
            value=name,
        )


def _check_labels(chosen: Selection, shapes: Sequence[Shape]) -> None:
    row = chosen.loss_row
    for least, largest in (shape.ends for shape in shapes if shape.ends is not None):
        if row.labels is not None and not row.labels.holds(least, largest):
            raise ValueError(
                f"labels are {least:g} to {largest:g}; with loss {row.name} each must "
                f"{row.labels.allowed}"
            )


def _features(shapes: Sequence[Shape]) -> int:
    widths = {shape.d for shape in shapes if shape.n and shape.is_dense}
    if len(widths) > 1:
        raise ValueError(
            f"blocks of dense rows have {min(widths)} to {max(widths)} features; all must have as "
            "many"
        )
    return max(shape.d for shape in shapes)


def classes_of(shapes: Sequence[Shape]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The classes of all blocks, by first appearance, and the sums of their weights.

    Raises ValueError for fewer than two.
    """
    labels, index = group_labels(np.concatenate([shape.labels for shape in shapes]))
    if len(labels) < 2:
        raise ValueError(
            f"all {sum(shape.n for shape in shapes)} examples have label {labels[0]}: training "
            "takes at least two classes"
        )
    sums = np.concatenate([shape.sums for shape in shapes])
    return labels, np.bincount(index, sums, len(labels)).astype(np.float64)
