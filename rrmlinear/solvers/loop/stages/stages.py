"""Several solvers in turn: when one is slow, the next goes on from its duals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from rrmlinear.solvers.loop.certificate import Certificate, gap_between
from rrmlinear.solvers.loop.rounding import OUT_OF_RANGE
from rrmlinear.solvers.loop.rules.rule import Point
from rrmlinear.solvers.loop.run import STALLED_PASSES
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.stages.face import has_class_faces, has_faces, on_class_face, on_face
from rrmlinear.solvers.loop.stages.turns import Stage, Turns
from rrmlinear.solvers.loop.steps import STALLED_DECREASE

# A rate is known after this number of passes.
MIN_PASSES = 6
#: Which problems have faces, and the points of one.
FACES = ((has_faces, on_face), (has_class_faces, on_class_face))


class Stages(Solver):
    """Runs a stage until it is slow, then the next from the best duals so far, round and round.

    `Turns` says when a stage is slow. One that moves no more is left too, and comes again if the
    others do not move either; the run has stalled when all have stalled in turn. A stage whose
    numbers leave the range of double precision does not come again. Estimated gaps are corrected by
    the error that the last measurement found. Under a rule of gradients the gap may be wide up to
    the optimum: a stage that knows it is left only when it moves no more.

    ``pass_cost`` is the cost of a pass of any stage without its visits, in nanoseconds. ``known``
    gives weights, and their primal value, that count as found before the first pass: ascents begin
    from duals alone. ``proof`` makes a certificate with F and Ω of that of the stages: it gives the
    rounding of points of several stages, and `improve` corrects them by it.

    Certificate: the best primal and dual point of all stages.
    """

    def __init__(
        self,
        stages: Sequence[Stage],
        pass_cost: float = 0.0,
        known: Callable[[], tuple[Any, float]] | None = None,
        proof: Callable[[Certificate], Certificate] | None = None,
    ) -> None:
        super().__init__()
        self.proof = proof
        self.stages, self.pass_cost, self.known = stages, pass_cost, known
        self.turns, self.stalled_stages = Turns(stages), 0
        self.gap = math.inf  # at the last change that had made progress
        #: Solvers that may go on, by stage, with their passes and the gap at which they were left.
        self.paused: dict[int, tuple[Solver, int, float]] = {}
        #: Stages whose numbers have left the range of double precision.
        self.failed: set[int] = set()
        #: The estimate of the pass that has ended, None while one runs.
        self.estimated: tuple[float, float] | None = None

    @property
    def following(self) -> int:
        """The number of the stage that comes next."""
        order = (*range(self.turns.at + 1, len(self.stages)), *range(self.turns.at + 1))
        return next((at for at in order if at not in self.failed), self.turns.at)

    @property
    def n_left(self) -> int:
        """The number of stages that may run."""
        return len(self.stages) - len(self.failed)

    def start(self) -> None:
        self._begin()
        if self.known is not None:
            weights, primal = self.known()
            self.certificate.offer_weights(weights, primal=primal, exact=True)

    def _fail(self, error: Exception) -> None:
        """Leave this stage for good and begin the next; the error stands where there is none."""
        self.failed.add(self.turns.at)
        if not self.n_left:
            raise error
        with suppress(*OUT_OF_RANGE):
            self.measure()
        self.solver.close()
        self._go_on("left the range of double precision")

    def _go_on(self, why: str) -> None:
        """Begin the next stage."""
        left = self.turns.stage
        self.turns.begin(self.following)
        self.notes.append(f"{left.name} {why}: {self.turns.stage.name} goes on")
        self._begin()

    def _begin(self) -> None:
        paused, self.passes, gap = self.paused.pop(self.turns.at, (None, 0, math.inf))
        if paused is not None and self.certificate.gap < STALLED_DECREASE * gap:
            paused.close()
            paused = None
        if paused is None:
            self._build()
        else:
            self.solver, self.told = paused, len(paused.notes)
        self.has_begun = True
        self.measuring_work = self.solver.measuring_work
        self.measures_first = self.solver.measures_first
        self.known_rules = self.solver.known_rules

    def _build(self) -> None:
        # a stage has no points where the time is up before it has begun
        best, self.has_begun, self.known_rules = self.certificate, False, ()
        given = [best.weights if self.turns.stage.takes_weights else best.alphas]
        if self.turns.stage.takes_both:
            given.append(best.weights)
        self.solver, self.passes, self.told = self.turns.stage.build(*given), 0, 0
        self.solver.deadline, self.solver.target = self.deadline, self.target
        self.solver.rule, self.solver.tolerance = self.rule, self.tolerance
        # for the point at 0 where the time is up before the first pass
        self.risk = getattr(self.solver, "risk", None)
        self.regularizer = getattr(self.solver, "regularizer", None)
        self.solver.start()

    def run_pass(self, number: int) -> None:
        self.estimated = None
        if self.n_left > 1 and self._turn_is_over():
            self._hand_over()
        if self.stalled_stages >= self.n_left > 1:
            self.moved, self.still = 0, STALLED_PASSES  # the base ends the run
            return
        solver, before = self.solver, self.solver.work
        solver.target, solver.first_gap, solver.deadline = (
            self.target,
            self.first_gap,
            self.deadline,
        )
        solver.rule_is_open, self.rule_is_open = self.rule_is_open, False
        self.passes += 1
        try:
            solver.run_pass(self.passes)
        except OUT_OF_RANGE as error:
            self._fail(error)
            self.run_pass(number)
            return
        self.measures_first = solver.measures_first
        self.work += solver.work - before
        self.moved = solver.moved if self.n_left == 1 else 1
        if len(solver.notes) > self.told:
            self.notes += solver.notes[self.told :]
            self.told = len(solver.notes)
        self.estimated = self._estimate()
        spent = (solver.work - before) * self.turns.stage.visit + self.pass_cost
        self.turns.add(spent, solver.moved, self.estimated[1])

    def _turn_is_over(self) -> bool:
        if self.turns.has_stalled:
            return True
        stays = self.rule is not None and self.solver.knows_rule and not self.rule.of_duals
        if self.passes < MIN_PASSES or stays:
            return False
        return self.turns.is_slow(self.following, min(self.target, self.rule_gap))

    def _hand_over(self) -> None:
        """End this stage and begin the next from the best duals."""
        self.measure()
        self.improve()
        best, stalled = self.certificate, self.turns.has_stalled
        if best.gap < STALLED_DECREASE * self.gap:
            self.gap, self.stalled_stages = best.gap, 0
        self.stalled_stages += stalled
        if self.stalled_stages >= self.n_left:
            return
        self.turns.end(self.target)
        if self.turns.stage.resumes and not stalled:
            self.paused[self.turns.at] = self.solver, self.passes, best.gap
        else:
            self.solver.close()
        self._go_on(f"{'moved no more' if stalled else 'was slow'} after {self.passes} passes")

    def improve(self) -> bool:
        """Correct the best points: margins that rounding hides, and those of their face (`on_face`,
        `on_class_face`) for less work than this turn.
        """
        best = self.certificate
        if self.proof is None or not -math.inf < best.gap < math.inf:
            return False
        before = best.gap
        with suppress(*OUT_OF_RANGE):
            proof = self.proof(best)
            known = (on for has, on in FACES if has(proof.risk, proof.regularizer))
            points = next(known, None)
            if points is None:
                return False
            proof.measure()
            for w, alphas in points(proof, self.turns.spent):
                proof.offer_weights(w)
                proof.offer_duals(alphas)
            primal, dual = proof.measure()
            # longer weights replace those whose loss rounding hides, though their value is larger
            best.offer_weights(proof.final_weights, primal=primal, exact=True)
            if dual > best.dual:
                best.offer_duals(proof.final_duals(), dual=dual, exact=True)
        return best.gap < before

    def estimate(self) -> tuple[float, float]:
        return self.estimated or self._estimate()

    def _estimate(self) -> tuple[float, float]:
        if not self.has_begun:
            return super().estimate()
        dual, gap = self.solver.estimate()
        primal, dual = min(self.certificate.primal, dual + gap), max(self.certificate.dual, dual)
        return dual, gap_between(primal, dual)

    def measure(self) -> None:
        if not self.has_begun:
            return
        solver, best = self.solver, self.certificate
        estimated = solver.estimate()[1]
        try:
            primal, dual = solver.certified()
        except OUT_OF_RANGE:  # the points of other stages stand
            if not best.primal < math.inf:
                raise
            return
        if self.passes > 1 and estimated > 0:
            self.turns.error = max(1.0, gap_between(primal, dual) / estimated)
        best.excess, best.hidden = solver.certificate.excess, solver.certificate.hidden
        if primal < best.primal:
            best.offer_weights(solver.final_weights(), primal=primal, exact=True)
        if dual > best.dual:
            best.offer_duals(solver.duals(), dual=dual, exact=True)

    def objective(self) -> float:
        return self.solver.objective()

    def violation(self) -> float:
        return self.solver.violation()

    def present(self) -> Point:
        return self.solver.present() if self.has_begun else super().present()

    def value_at_zero(self) -> float:
        return self.solver.value_at_zero()

    def rounding(self, enough: float) -> float:
        own, best = self.solver.certificate, self.certificate
        if best.alphas is None or (best.primal == own.primal and best.dual == own.dual):
            return self.solver.rounding(enough)
        if self.proof is None:
            return self.solver.rounding_of(best, enough)
        return self.proof(best).rounding(enough)

    def penalty(self) -> float:
        return self.solver.penalty()

    def support(self) -> dict[str, int]:
        return self.solver.support() if self.has_begun else {}

    def close(self) -> None:
        for solver, _, _ in self.paused.values():
            solver.close()
        if hasattr(self, "solver"):
            self.solver.close()
