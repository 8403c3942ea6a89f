"""When a run looks at its stopping rule."""

from __future__ import annotations

from typing import Any

import numpy as np

from rrmlinear.solvers.loop.result import TraceRow
from rrmlinear.solvers.loop.rules.rule import Rule

# A rule is looked at again when the gap has fallen by a factor between these; after a look at some
# examples alone, which takes far less than a pass, by the last one at most.
MIN_RULE_FALL, MAX_RULE_FALL = 0.1, 0.7


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
