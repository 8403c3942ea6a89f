"""A stopping rule: how far weights and duals violate the conditions of the optimum, and when a run
looks at it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.loading import loading
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.inner import pieces
from rrmlinear.solvers.loop.result import TraceRow
from rrmlinear.solvers.loop.task import Task

Array = NDArray[np.float64]

# A rule is looked at again when the gap has fallen by a factor between these; after a look at some
# examples alone, which takes far less than a pass, by the last one at most.
MIN_RULE_FALL, MAX_RULE_FALL = 0.1, 0.7


class Point(NamedTuple):
    """Weights and duals; the scores and the gradient of the losses where they are known, and
    ``ranges``, of the dual's gradient over the classes of each example.

    Where ``examples`` are named, duals and scores are of these alone.
    """

    weights: Any
    duals: Any
    scores: Any = None
    gradient: Any = None
    examples: Any = None
    ranges: Any = None


class Rule:
    """A bound ``tolerance`` of the violation of conditions of Ω(w) + Σ_i c_i φ(x_i'w, y_i).

    ``risk`` is the sum. A bias without penalty is the weight of the last column.
    """

    #: Whether it looks at duals.
    of_duals = True
    #: Whether the weights are those of the duals, of ½‖w‖². At others a smooth loss gives duals
    #: that violate nothing, wherever the weights are.
    at_duals = False
    #: The relative gap up to which a rule that holds ends the run.
    widest_gap = np.inf
    #: The relative fall of the objective in the last pass up to which a rule that holds ends it.
    widest_fall = np.inf
    #: Whether a single example may keep it from holding.
    of_largest = True
    #: Whether the bound comes from the first look.
    has_first = False
    #: The weights of the duals and their scores, where the last look computed them.
    seen: tuple[Array, Array] | None = None

    def __init__(self, risk: Any, tolerance: float) -> None:
        self.risk, self.tolerance = risk, tolerance
        self.free_examples = not risk.costs.all()

    @classmethod
    def of(cls, task: Task, tolerance: float) -> Self:
        """The rule of a task; a bias column without penalty is one like any other in its risk."""
        return cls(plain_risk(task), tolerance)

    def has_turned(self, number: int) -> bool:
        """Told of each pass by its number: whether the rule is another one from now on."""
        return False

    def ratio(self, point: Point) -> float:
        """The violation at this point over its bound: the rule holds up to 1."""
        if point.duals is None and self.of_duals:
            return np.inf
        self.seen = None
        if point.scores is None:
            weights = point.weights
            if self.at_duals:
                weights = self.risk.gradient(np.ascontiguousarray(point.duals))
            point = point._replace(scores=self.risk.scores(weights.reshape(self.risk.shape)))
            if self.at_duals:
                self.seen = weights, point.scores
        violation, bound = self.violation(point)
        if violation == 0:
            return 0.0
        return violation / bound if bound > 0 else np.inf

    def offer_weights(self, certificate: Certificate) -> None:
        """Offer the weights of the duals that the rule was looked at: a solver's own may be those
        of another problem, and worse.
        """
        if self.seen is not None:
            weights, scores = self.seen
            value = float(self.risk.at(scores).value) + float(np.vdot(weights, weights)) / 2
            certificate.offer_weights(weights, primal=value, exact=True)

    def violation(self, point: Point) -> tuple[float, float]:
        """(violation, its bound) at a point with its scores."""
        raise TypeError(f"{type(self).__name__} does not say what it bounds")

    def examples(self, point: Point) -> Iterator[Examples]:
        """The examples with a cost, some at a time."""
        if point.examples is not None:
            labels = self.risk.labels[point.examples]
            yield Examples(self.risk.loss, labels, point.scores, point.duals)
            return
        for piece in pieces(len(self.risk.labels)):
            some: Any = piece
            if self.free_examples:
                some = piece.start + np.flatnonzero(self.risk.costs[piece] > 0)
            yield Examples(
                self.risk.loss, self.risk.labels[some], point.scores[some], point.duals[some]
            )


def plain_risk(task: Task) -> Any:
    """Σ_i c_i φ_i without conditions."""
    with loading:
        from rrmlinear.risks.scores import ScalarRisk

    return ScalarRisk(task.rows, task.loss, task.targets, task.costs, task.choices.threads)


class Examples:
    """Some examples: labels, scores and duals."""

    def __init__(self, loss: Any, labels: Array, scores: Array, duals: Array) -> None:
        self.loss, self.labels, self.scores, self.duals = loss, labels, scores, duals

    def box(self) -> tuple[Array, Array, float]:
        """The bounds of α_i, and ε."""
        lower, upper, epsilon = self.loss.box(self.labels)
        return lower, upper, epsilon

    def pulls(self) -> Array:
        """Derivatives of the dual by α_i without the term of ε."""
        pulls: Array = self.labels - self.scores
        if self.loss.smoothing:
            pulls -= self.loss.smoothing * self.duals
        return pulls


class Either(Rule):
    """A rule, and from pass ``most`` on another one too: it holds where one of them does.

    LIBLINEAR's ascents for smooth losses give up there, and go on from w = 0 by Newton's method
    with a rule of its own.
    """

    def __init__(self, rule: Rule, other: Rule, most: int) -> None:
        super().__init__(rule.risk, rule.tolerance)
        self.rules, self.other, self.most = [rule], other, most
        self.has_first = rule.has_first
        self.of_largest = rule.of_largest

    def has_turned(self, number: int) -> bool:
        if number != self.most:
            return False
        self.rules.append(self.other)
        return True

    def ratio(self, point: Point) -> float:
        return min(rule.ratio(point) for rule in self.rules)

    def offer_weights(self, certificate: Certificate) -> None:
        for rule in self.rules:
            rule.offer_weights(certificate)


class RuleWatch:
    """Looks at the rule of a run at the gap at which it is guessed to hold.

    The guess supposes that the violation falls like the gap. It falls more slowly, so that the
    guesses come near from above. ``offset`` is a constant in the primal that does not count.
    """

    def __init__(self, offset: float = 0.0) -> None:
        self.offset = offset
        #: The gap at which the rule is looked at again.
        self.target = np.inf
        #: The gap at which it is guessed to hold, by the last look; NaN before the first.
        self.expected = np.nan
        #: Whether it held at the last look, within its widest gap.
        self.holds = False

    def see_pass(self, rule: Rule, number: int) -> None:
        """Told of each pass: a rule that is another one from now on is looked at after it."""
        if rule.has_turned(number):
            self.target = np.inf

    def is_due_at_first(self, solver: Any, row: TraceRow) -> bool:
        """Whether the rule may hold after the first pass already, from a good start."""
        self.target = self.expected = self._widest(solver.rule, row)
        if self.target == np.inf:  # no gap is asked for: only a known rule is worth a look
            return solver.knows_rule and solver.holds_rule()
        return row.gap <= self.target

    def look(self, solver: Any, row: TraceRow) -> None:
        """Evaluate the rule at a measured row, and guess the gap of the next look."""
        rule = solver.rule
        widest = self._widest(rule, row)
        if row.gap > widest and not rule.has_first:
            self.holds = False
            self.target = min(widest, MAX_RULE_FALL * row.gap)
            self.expected = widest
            return
        with np.errstate(over="ignore", invalid="ignore"):
            ratio = solver.violation() if solver.knows_rule else rule.ratio(solver.present())
        self.holds = ratio <= 1 and row.gap <= widest and solver.has_settled()
        self.expected = min(row.gap / max(ratio, 1.0), widest)
        solver.rule_is_open = ratio > 1 and rule.of_largest
        if solver.knows_rule:
            self.target = widest
            return
        # of the gap, before the rule is looked at again
        fall = min(max(1 / ratio, MIN_RULE_FALL), MAX_RULE_FALL) if ratio > 1 else 1.0
        self.target = (fall if self.holds else min(fall, MAX_RULE_FALL)) * row.gap

    def _widest(self, rule: Rule, row: TraceRow) -> float:
        """The gap up to which a rule that holds ends the run."""
        return rule.widest_gap * abs(row.primal - self.offset)
