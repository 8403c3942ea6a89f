"""The base of ascents that visit rows, which may come in blocks of a file larger than memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.machine import return_memory
from rrmlinear.solvers.dual.dual_descent import DualDescent
from rrmlinear.solvers.dual.streamed.shrinking import Shrinking
from rrmlinear.solvers.dual.streamed.turns import LOAD_PASSES, Turns
from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.rounding import bound_by_rows
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.loop.team import Team


class RowAscent(DualDescent):
    """A `DualDescent` whose visits are of one row each.

    Streamed rows come in blocks, several of which are in memory together. A pass takes turns of
    blocks (`Turns`) and leaves out rows with small gaps (`Shrinking`).
    """

    team: Team
    #: Passes by blocks, over rows that are streamed.
    turns: Turns | None = None
    #: A multiple of the weights, with its primal value.
    multiple: Any = None
    shrinking: Shrinking | None = None
    #: Whether an ascent that begins at 0 visits streamed examples in the reading that finds ‖x_i‖².
    joins_reading = False
    #: The time to bring a block of streamed rows into memory, in passes over it.
    load_passes = LOAD_PASSES
    #: The gap expected after the last pass by blocks; None where ``gap_sum`` is the best guess.
    expected: float | None = None
    #: Scores at the weights that were measured last.
    scores: NDArray[np.float64] | None = None

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        rows = self.rows
        if rows.blocks is not None:
            self.measuring_work += self.load_passes * self.n
        self.measures_first = rows.blocks is None

    def curvatures(self, visit: Callable[[int, int], None] | None = None) -> NDArray[np.float64]:
        """‖x_i‖² of every example, none quite 0; ValueError where one overflows. Of rows that are
        streamed, visit(begin, end) is called when ``squares`` of these are known, while they are in
        memory.
        """
        if self.rows.blocks is None:
            return super().curvatures()
        self.squares = np.empty(self.n)

        for begin, end in self.rows.spans():
            self.squares[begin:end] = self.rows.between(begin, end).squared_norms()
            self.mend_squares(begin, end)
            if visit is not None:
                visit(begin, end)
        return self.squares

    def visit_while_reading(
        self, curvatures: NDArray[np.float64], visit: Callable[[int, int], None]
    ) -> None:
        """visit(begin, end) examples in the reading that finds their ‖x_i‖²: it saves that of a
        pass. ``curvatures``, those of the kernel, become ‖x_i‖² over the modulus.
        """

        def seen(begin: int, end: int) -> None:
            squares, modulus = self.squares[begin:end], self.regularizer.modulus
            np.divide(squares, modulus, out=curvatures[begin:end])
            if not self.is_late():
                visit(begin, end)

        self.curvatures(seen)

    @property
    def likely_gap(self) -> float:
        """The sum of all gaps, as far as it is known."""
        return self.gap_sum if self.expected is None else self.expected

    def rounding_of(self, certificate: Certificate, enough: float) -> float:
        shares, weights = self.shares(certificate.alphas), certificate.weights
        kinked = not self.loss.differentiable
        most = np.maximum(shares, self.costs * self.lipschitz()) if kinked else shares
        crude = certificate.rounding() + bound_by_rows(most, self.squares, weights)
        return crude if crude <= enough else super().rounding_of(certificate, enough)

    def stream(self) -> None:
        """Pass by blocks from now on, where the rows are streamed."""
        if self.rows.blocks is not None:
            gaps, active_from = self.state.gaps, self.state.active_from
            self.turns = Turns(self.rows.blocks, gaps, active_from, self.seed, self.load_passes)
            self.shrinking = Shrinking(self.rows, self.turns, self.state)

    def begin_turns(self, shrinking: Shrinking) -> Turns:
        """The blocks for the next pass: of all rows, or of a copy of some; see `Shrinking`."""
        return_memory()
        if not self.moved:
            shrinking.leave()
        if shrinking.want(self.gap_sum, self.target, self.quiet()):
            self.losses()
            self.activate()
            self.work += self.measuring_work
            if shrinking.note and shrinking.note not in self.notes:
                self.notes.append(shrinking.note)
        return shrinking.begin_pass()

    def take_turns(
        self,
        shrinking: Shrinking,
        turns: Turns,
        sweep: Callable[[list[tuple[int, int]], int, float], int],
    ) -> None:
        """A pass by blocks; see `Turns`."""
        work, visits = turns.run(self.quiet(), sweep, self.is_late)
        shrinking.end_pass()
        self.work, self.visits = self.work + work, self.visits + visits
        self.scores = None

    def known_scores(self) -> NDArray[np.float64] | None:
        """Scores at the present weights, where measuring has kept them."""
        return None

    def over_rows(self, chunk: int, part: Callable[[int, int, int], float]) -> float:
        """Σ part(begin, end, thread) over all rows, ``chunk`` of them at a time; then the gaps of
        all examples must be known.
        """

        def shifted(first: int) -> Callable[[int, int, int], float]:
            return lambda begin, end, thread: part(first + begin, first + end, thread)

        total, self.expected = 0.0, None
        if self.shrinking is not None:
            self.shrinking.begin(self.quiet())
        for begin, end in self.rows.spans():
            total += self.team.sum_over(end - begin, chunk, shifted(begin))
            if self.shrinking is not None:
                self.shrinking.add(begin, end)
        if self.turns is not None:
            self.turns.see()
        if self.shrinking is not None:
            self.shrinking.end()
        return total
