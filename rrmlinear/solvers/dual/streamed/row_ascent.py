"""The base of ascents that visit rows, which may come in blocks of a file larger than memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.available_memory import return_memory
from rrmlinear.core.loading import loading
from rrmlinear.data.rows import Rows
from rrmlinear.solvers.dual.dual_descent import DualDescent
from rrmlinear.solvers.dual.streamed.shrinking import Shrinking
from rrmlinear.solvers.dual.streamed.turns import LOAD_PASSES, Turns
from rrmlinear.solvers.loop.certificate import Certificate, gap_of_regularizer
from rrmlinear.solvers.loop.rounding import bound_by_narrow, bound_by_rows
from rrmlinear.solvers.loop.task import Task
from rrmlinear.solvers.loop.team import Team

# A bound of rounding below this fraction of the target needs no better one.
CLEAR_ROUNDING = 0.1


class RowAscent(DualDescent):
    """A `DualDescent` whose visits are of one row each.

    Streamed rows come in blocks, several of which are in memory together. A pass takes turns of
    blocks (`Turns`) and leaves out rows with small gaps (`Shrinking`). Where the system cannot
    cache the rows, it visits a narrow copy of them. The error of that copy is bounded.
    """

    team: Team
    #: Passes by blocks, over rows that are streamed.
    turns: Turns | None = None
    #: A multiple of the weights, with its primal value.
    multiple: Any = None
    shrinking: Shrinking | None = None
    #: The rows that were given, where narrow ones are visited, and ``narrow_part`` of these.
    exact: Rows | None = None
    narrow_part = 0.0
    #: Σ c_i |α_i| ‖x_i‖ of the duals ``state.first`` that visits of the exact rows left; v then.
    exact_size = 0.0
    first_vector: NDArray[np.float64]
    #: Whether an ascent that begins at 0 visits streamed examples in the reading that finds ‖x_i‖².
    joins_reading = False
    #: The time to bring a block of streamed rows into memory, in passes over it.
    load_passes = LOAD_PASSES
    #: The gap at which the caller's problem is solved, of which the ascent's is a part.
    goal = np.inf
    #: The mean of v over the last pass by blocks, whose weights are measured in place of those of
    #: v: these lean to the last blocks, which took several turns.
    mean: NDArray[np.float64] | None = None
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

        def seen(begin: int, end: int) -> None:
            self.mend_squares(begin, end)
            if visit is not None:
                visit(begin, end)

        if self.rows.blocks.is_direct:
            self._read_narrow(seen)
        else:
            for begin, end in self.rows.spans():
                self.squares[begin:end] = self.rows.between(begin, end).squared_norms()
                seen(begin, end)
        return self.squares

    def _read_narrow(self, seen: Callable[[int, int], None]) -> None:
        """Take narrow rows, where blocks are read past the system's cache: they are written in the
        reading that finds ‖x_i‖², and each pass then reads two thirds. By a cache that is
        full, writing took longer than seven passes.
        """
        with loading:
            from rrmlinear.data.container.narrow import PART, narrowed  # it imports a MB

        narrow = narrowed(self.rows, self.squares, seen)
        if narrow is not None:
            assert self.rows.blocks is not None
            self.rows.blocks.release()
            part = narrow.n_bytes / self.rows.n_bytes
            self.notes.append(f"passes read a copy with {part:.0%} of the bytes")
            self.exact, self.rows = self.rows, narrow
            self.narrow_part = PART

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
        self.state.rows = self.rows

    def _narrow_will_do(self) -> bool:
        """Whether narrow rows move primal and dual by less than the tolerance can tell."""
        goal, mean = min(self.target, self.goal), self.mean
        if not np.isfinite(goal):
            return True
        self.mean = None  # the weights of v itself, which need no measurement
        shares, weights = self.shares(self.present_duals()), self.present_weights()
        self.mean = mean
        return self._bound_by_rows(shares, weights) <= CLEAR_ROUNDING * goal

    def _take_exact(self, exact: Rows) -> None:
        """Go on with the rows themselves: narrow ones do not tell the gap well enough."""
        assert self.shrinking is not None
        assert self.rows.blocks is not None
        self.shrinking.leave()
        number, z = self.shrinking.all.number, self.dual_vector.copy()
        if self.exact_size:  # the first visits added exact rows to v
            z -= self.first_vector + self.state.combination(self.state.alphas - self.state.first)
        else:
            self.rebuild(np.zeros_like(z))
            z -= self.dual_vector
        self.rows.blocks.release()
        self.notes.append(
            f"from pass {number + 1} on passes read the examples themselves: the copy's values "
            "have too few digits for the tolerance"
        )
        self.rows = self.state.rows = exact
        self.exact, self.narrow_part, self.exact_size = None, 0.0, 0.0
        self.rebuild(z)
        self.retune(self.regularizer)
        self.stream()
        self.shrinking.all.number = number

    @property
    def likely_gap(self) -> float:
        """The sum of all gaps, as far as it is known."""
        return self.gap_sum if self.expected is None else self.expected

    def proven_losses(self) -> float:
        """`losses` for a certificate."""
        return self.losses()

    def rounding_of(self, certificate: Certificate, enough: float) -> float:
        shares, weights = self.shares(certificate.alphas), certificate.weights
        kinked = not self.loss.smoothing > 0
        most = np.maximum(shares, self.costs * self.lipschitz()) if kinked else shares
        crude = certificate.rounding() + self._bound_by_rows(most, weights)
        if crude <= enough:
            return crude
        return super().rounding_of(certificate, enough) + self._bound_by_narrow(shares, weights)

    def _bound_by_rows(self, shares: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
        """A bound of what rounding and narrow rows move primal and dual by."""
        rounding = bound_by_rows(shares, self.squares, weights)
        return rounding + self._bound_by_narrow(shares, weights)

    def _bound_by_narrow(self, shares: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
        left = self.exact_size * float(np.linalg.norm(weights))
        return bound_by_narrow(self.narrow_part, shares, self.squares, weights, left)

    @property
    def measured_vector(self) -> NDArray[np.float64]:
        """The v whose weights are measured, in the kernel's layout."""
        return self.dual_vector if self.mean is None else self.mean

    def slack(self) -> float:
        """Ω(w) + Ω*(v) − w'v for the weights w that are measured: the gap of Ω."""
        if self.mean is None:
            return 0.0
        w = self.regularizer.primal_of(self.mean)
        return gap_of_regularizer(self.regularizer, w, self.dual_vector)

    def stream(self) -> None:
        """Pass by blocks from now on, where the rows are streamed."""
        if self.rows.blocks is not None:
            gaps, wakes = self.state.gaps, self.state.wakes
            self.turns = Turns(self.rows.blocks, gaps, wakes, self.seed, self.load_passes)
            self.shrinking = Shrinking(self.rows, self.turns, self.state)

    def begin_turns(self, shrinking: Shrinking) -> Turns:
        """The blocks for the next pass: of all rows, or of a copy of some; see `Shrinking`."""
        return_memory()
        if self.exact is not None and not self._narrow_will_do():
            self._take_exact(self.exact)
        if not self.moved:
            shrinking.leave()
        if shrinking.want(self.gap_sum, self.target, self.quiet()):
            self.losses()
            self.wake()
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
        mean, seen = np.zeros_like(self.dual_vector), 0

        def look() -> None:
            nonlocal seen
            seen += 1
            np.add(mean, (self.dual_vector - mean) / seen, out=mean)

        work, visits = turns.run(self.quiet(), sweep, look, self.is_late)
        shrinking.end_pass()
        self.work, self.visits = self.work + work, self.visits + visits
        self.mean = mean if seen else None
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
