"""A Parameter looked up: rows, loss and regularizer, once for a whole fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.catalog.checks import checked_features
from rrmlinear.catalog.choices import Choices
from rrmlinear.catalog.errors import ChoiceError, Named, unknown
from rrmlinear.catalog.losses import NAMED_LOSSES, OWN_LOSSES, block_loss
from rrmlinear.catalog.regularizers import REGULARIZERS, build_regularizer
from rrmlinear.catalog.rows import LossRow, SolverRow, resolved
from rrmlinear.catalog.solvers import AUTO, AUTOMATIC, BY_BLOCKS, DEFAULT, find_solver
from rrmlinear.core.cached import cached_property
from rrmlinear.core.loading import loading, named
from rrmlinear.core.records import record, replace
from rrmlinear.solvers.loop.result import Stopping
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.loop.tolerances import SUM_ROUNDING

if TYPE_CHECKING:
    from rrmlinear.data.label_sets import MultilabelProblem
    from rrmlinear.data.problem import Problem
    from rrmlinear.data.rows import Rows
    from rrmlinear.regularizers.base import Regularizer
    from rrmlinear.solvers.loop.solver import Solver

#: The default tolerance, relative to the primal objective.
GAP_TOL = 1e-3
#: The gap that is asked for with LIBLINEAR's rules, for losses with kinks. With -s 3, 4 and 13 its
#: own runs at the default tolerance mostly end further above the minimum. Smooth losses end at 1e-4
#: or less.
KINKS_GAP_TOL = 3e-3
#: A gap above this fraction of the objective gets a warning where a stopping rule of the type's own
#: ended the run.
LOOSE_GAP = 0.01
#: LIBLINEAR's type of the hinge; losses that are the hinge for two classes, and the solver types
#: that then take it.
HINGE = 3
#: Rules that compiled passes look at: of the largest violation of a dual, and of the gradient.
RULES_OF_PASSES = ("DualRange", "LogisticDual", "GradientNorm")
#: Those that compiled steps look at.
RULES_OF_STEPS = (*RULES_OF_PASSES, "FeatureSum", "SweptSum")
PAIR_HINGES, PAIR_SOLVERS = ("crammer-singer", "weston-watkins"), (4, AUTO)


@record()
class Selection:
    """Choices with the rows of solver and loss, and the loss and the regularizer that they make.

    ``features`` are those that both offer. `Regularizer.over` gives the regularizer the
    shape of the weights.
    """

    choices: Choices
    solver: SolverRow
    loss_row: LossRow
    features: frozenset[str]
    loss: Any
    regularizer: Regularizer

    @property
    def kind(self) -> str:
        """The kind of labels, as in `LossRow`."""
        return self.loss_row.kind

    @cached_property
    def as_hinge(self) -> Selection | None:
        """The choices for the hinge of one score that solve the same for two classes, if any do."""
        choices = self.choices
        if self.loss_row.name not in PAIR_HINGES or self.solver.number not in PAIR_SOLVERS:
            return None
        if choices.free_bias or choices.budget is not None or self.regularizer.quadratic_l1 != 0:
            return None
        by_rule = self.solver.is_liblinear
        loss, twin = (None, HINGE) if by_rule else ("hinge", AUTO)
        return select(replace(choices, solver=twin, loss=loss))

    @property
    def has_order(self) -> bool:
        """Whether the loss is of the order of all examples: of ranks, or of times."""
        return "order" in self.features

    @property
    def tolerance(self) -> float | None:
        """The tolerance of the type's own stopping rule, or None where the gap counts."""
        if self.choices.gap_tol is not None:
            return None
        return self.choices.tolerance or self.solver.tolerance

    @property
    def widest_gap(self) -> float:
        """The relative gap that is asked for with one of LIBLINEAR's rules: GAP_TOL, or
        KINKS_GAP_TOL of a loss with kinks, and less in proportion to a tolerance below the default.
        So objectives are at most that far above those of LIBLINEAR, whose rules bound gradients.
        """
        if not (self.tolerance and self.solver.tolerance):
            return np.inf
        most = GAP_TOL if self.loss.differentiable else KINKS_GAP_TOL
        return max(most * min(1.0, self.tolerance / self.solver.tolerance), SUM_ROUNDING)

    @property
    def stopping(self) -> Stopping:
        """The stopping rule of the solver; with one of LIBLINEAR's, a gap of 0."""
        choices = self.choices
        limits = choices.max_passes, choices.time_limit
        if self.tolerance is None:
            return Stopping(choices.gap_tol or GAP_TOL, None, *limits)
        if self.solver.is_liblinear:
            return Stopping(0.0, None, *limits)
        return Stopping(GAP_TOL, self.tolerance, *limits)

    def check_problem(self, problem: Problem | MultilabelProblem) -> None:
        """Raise ValueError for a problem without examples or without a bias to leave free, and for
        a loss of sequences, which is not for examples.
        """
        if self.loss_row.kind == "chain":
            raise ChoiceError(
                Named("loss", self.loss_row.name),
                " is of sequences, and the problem has examples",
                field="loss",
                value=self.loss_row.name,
            )
        if problem.n_examples == 0:
            raise ValueError("the problem has no examples")
        if self.loss_row.labels is not None:
            self.loss_row.check_labels(np.asarray(problem.labels))
        if self.has_order and problem.bias > 0:
            raise ValueError(
                f"loss {self.loss_row.name} compares scores with each other: a bias has no effect"
            )
        if getattr(problem, "entry", None) is not None:
            self.check_entry("times of entry")
        self.check_bias(problem.bias)

    def check_entry(self, name: str) -> None:
        """Raise ValueError for a loss whose examples are not at risk from a time on."""
        if not self.loss_row.name.startswith("cox"):
            raise ValueError(f"loss {self.loss_row.name} takes no {name}: Cox regression does")

    def check_bias(self, bias: float) -> None:
        """Raise ChoiceError where intercepts are to be free of a problem without a bias above 0."""
        if self.choices.free_bias and not bias > 0:
            raise ChoiceError(
                Named("free_bias"),
                f" needs a problem with a bias above 0: its bias is {bias:g}",
                field="free_bias",
                value=True,
            )

    def takes_joint(self, rows: Rows) -> bool:
        """Whether ascents under ½‖w‖² may share passes over the rows, ended by a gap or a rule that
        these look at.
        """
        is_ended = self.tolerance is None or self.solver.rule.endswith(RULES_OF_PASSES)
        return (
            self.solver.builder == AUTOMATIC
            and self.regularizer.modulus == 1
            and (is_ended and self._is_plain(rows))
        )

    def takes_blocks(self, rows: Rows) -> bool:
        """Whether compiled passes over blocks may begin, ended by a gap or the rule of `-s 4`."""
        choices, rule = self.choices, self.solver.rule
        builds = self.solver.builder in (AUTOMATIC, BY_BLOCKS) and choices.accelerate is None
        is_ended = self.tolerance is None or rule.endswith("ClassRange")
        return builds and choices.inner is None and is_ended and self._is_plain(rows)

    def _is_plain(self, rows: Rows) -> bool:
        """Whether the problem is one under a squared norm alone, of rows in memory."""
        omega, choices = self.regularizer, self.choices
        is_norm = omega.linear and omega.quadratic_l1 == 0 and omega.modulus > 0
        return is_norm and choices.budget is None and not choices.free_bias and rows.blocks is None

    def first_step(self, rows: Rows, y: NDArray[Any], costs: NDArray[np.float64]) -> float | None:
        """The work of the step by which the automatic solver of these labels begins, under ½‖w‖²,
        None where it begins by the ascent.
        """
        with loading:
            from rrmlinear.catalog.auto import first_step

        task = Task(rows, y, None, costs, self.loss, self.regularizer, self.features, self.choices)
        return first_step(task)

    def few_weights(self, rows: Rows, y: NDArray[Any], costs: NDArray[np.float64]) -> Any:
        """`FewWeights` or `CurvedDescent` of these rows, labels and costs, where a gap ends the
        automatic solver or a rule of LIBLINEAR's for classes; None where it begins otherwise.
        """
        has_rule = not self.solver.is_liblinear or self.solver.rule.endswith(RULES_OF_STEPS)
        is_ended = has_rule and (self.solver.is_liblinear or self.tolerance is None)
        if self.solver.builder != AUTOMATIC or not is_ended:
            return None
        task = Task(rows, y, None, costs, self.loss, self.regularizer, self.features, self.choices)
        return named("catalog.builders.second_order:few_weights")(task)

    def solver_for(
        self,
        rows: Rows,
        targets: NDArray[Any],
        n_classes: int | None,
        costs: NDArray[np.float64],
        regularizer: Regularizer,
        start: Any = None,
        risk: Any = None,
        weights: NDArray[np.float64] | None = None,
    ) -> Solver:
        """The solver of a problem with these labels and costs; see `Task`."""
        if risk is None and "measure" in self.features:
            made = named("risks.layouts.measures:MeasureRisk")
            risk = made(rows, self.loss, targets, float(costs[0]), self.choices.threads)
        if "chain" in self.features and not (risk.is_chain or self.solver.graphs):
            number = self.solver.number
            raise ChoiceError(
                Named("solver", number),
                " is for sequences, not for graphs",
                field="solver",
                value=number,
            )
        task = Task(
            rows,
            targets,
            n_classes,
            costs,
            self.loss,
            regularizer,
            self.features,
            self.choices,
            start,
            risk,
            weights,
        )
        solver = self.solver.build(task)
        if rows.blocks is not None:
            solver.notes.append(rows.blocks.reason)
        if self.solver.rule:
            self.set_rule(solver, task)
        return solver

    def order_risk(self, problem: Problem, costs: NDArray[np.float64]) -> Any:
        """F of the order of all examples; costs over C weigh them. The last one is kept."""
        with loading:
            from rrmlinear.risks.layouts.orders import OrderRisk, PairSums, QueryPairs
            from rrmlinear.risks.layouts.risk_sets import LateSets, RiskSets

        known = vars(self).get("_last_order")
        if known and known[0] is problem and np.array_equal(known[1], costs):
            return known[2]
        y, groups, C = problem.labels, problem.query_ids, float(self.choices.C)
        if self.loss.told_by == "pairs":
            over: Any = PairSums(self.loss, QueryPairs(y, groups, costs / C))
        else:
            late = () if problem.entry is None else (problem.entry,)
            over = (LateSets if late else RiskSets)(self.loss, y, groups, costs / C, *late)
            if not over.event.any():
                raise ValueError("all times are censored: the partial likelihood needs an event")
        risk = OrderRisk(problem.rows, self.loss, over, C, self.choices.threads)
        vars(self)["_last_order"] = problem, costs, risk
        return risk

    def set_rule(self, solver: Solver, task: Task) -> None:
        """Give a solver of this task the stopping rule of the type, if it has one."""
        if self.tolerance is not None and self.solver.is_liblinear:
            rule = named(self.solver.rule).of(task, self.tolerance)
            solver.rule = named("solvers.loop.rules.of_gradients:or_gradient")(task, rule)
            if self.solver.proves:
                solver.rule.widest_gap = self.widest_gap
            else:
                solver.rule.widest_fall = self.widest_gap


def select(
    choices: Choices,
    losses: Mapping[str, LossRow] = NAMED_LOSSES,
    layout: frozenset[str] = frozenset(),
) -> Selection:
    """The rows, the loss and the regularizer of some choices, all of them checked.

    ``losses`` is the table that the loss is looked up in, ``layout`` what the layout of weights
    offers with the loss, such as several columns. Raises ChoiceError for wrong choices, and
    TypeError where they are no `Choices`.
    """
    if not isinstance(choices, Choices):
        raise TypeError(f"choices come as a Parameter, not as {type(choices).__name__}")
    solver = find_solver(number_of(choices))
    known = losses if "loss" in solver.choices else {**NAMED_LOSSES, **OWN_LOSSES}
    loss = _find("loss", choices.loss or solver.loss, known)
    name = choices.regularizer or solver.regularizer
    regularizer = _find("regularizer", name, REGULARIZERS)
    features = checked_features(choices, (solver, loss, regularizer), layout)
    built = (
        block_loss(choices.block or solver.blocks[0], choices.gap_tol)
        if solver.blocks
        else loss.build(*resolved(loss.takes, choices).values())
    )
    omega = build_regularizer(regularizer, choices)
    return Selection(choices, solver, loss, features, built, omega)


def number_of(choices: Choices) -> int | str:
    """The number or name of the solver type chosen."""
    if choices.solver is not None:
        return choices.solver
    return DEFAULT if choices.loss is None and choices.regularizer is None else AUTO


def _find(field: str, name: str, rows: Mapping[str, Any]) -> Any:
    if name not in rows:
        raise unknown(field, name, rows)
    return rows[name]
