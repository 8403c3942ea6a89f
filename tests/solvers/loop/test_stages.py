"""Solvers in turn: hard problems are solved, and the certificate is the best of all stages."""

import math

import numpy as np
import pytest

from rrmlinear import Problem
from rrmlinear.core.deadline import check_time
from rrmlinear.solvers.loop.result import Status, Stopping
from rrmlinear.solvers.loop.rules.rule import Rule
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.stages.stages import Stages
from rrmlinear.solvers.loop.stages.turns import Stage


def stretched(k, n=300, d=8):
    """Classes that overlap, in columns of lengths from 1e-2 to 1e3."""
    rng = np.random.default_rng(4)
    X = rng.standard_normal((n, d))
    y = np.argmax(X[:, :k] + rng.standard_normal((n, k)), axis=1)
    return Problem.from_arrays(X * np.logspace(-2, 3, d), y if k > 2 else 2.0 * y - 1, bias=1.0)


HARD = [
    (2, {"loss": "hinge"}),
    (2, {"loss": "hinge", "free_bias": True}),
    (2, {"loss": "hinge", "regularizer": "elastic-net", "l1": 0.3}),
    (2, {"loss": "logistic"}),
    (2, {"loss": "hinge", "budget": 40.0, "C": 1.0}),
    (2, {"loss": "logistic", "regularizer": "l1", "C": 1.0}),
    (2, {"loss": "squared-hinge", "regularizer": "elastic-net", "l1": 0.3}),
    (3, {"loss": "weston-watkins"}),
    (3, {"loss": "crammer-singer"}),
    (3, {"loss": "softmax"}),
]


@pytest.mark.parametrize(("k", "choices"), HARD)
def test_hard_problems_are_solved(fit, k, choices):
    problem = stretched(k)
    rules = {"C": 100.0} | choices | {"gap_tol": 1e-6, "max_passes": 20_000}
    first, again = fit(problem, **rules), fit(problem, **rules)
    result = first.result
    assert result.status is Status.SOLVED
    assert 0 <= result.gap <= 1e-6 * result.primal
    assert [row.number for row in result.trace] == list(range(1, result.passes + 1))
    assert result.passes == again.result.passes
    assert first.weights.tobytes() == again.weights.tobytes()


def test_a_change_is_told_and_begins_from_the_duals(fit):
    result = fit(stretched(3), loss="weston-watkins", C=100.0, gap_tol=1e-6).result
    assert any("the ascent was slow after" in note for note in result.notes)
    assert any("Newton's method goes on" in note for note in result.notes)


@pytest.mark.parametrize("loss", ["weston-watkins", "crammer-singer"])
def test_estimates_that_were_wrong_do_not_keep_a_slow_stage(loss, fit):
    # Intercepts left free: estimates of the gap fell below the target now and then, so that the
    # ascent seemed to be at its end for 26 000 passes. Newton's method takes 9.
    rng = np.random.default_rng(4)
    X = rng.standard_normal((20, 3)) * [1e3, 1, 1e2]
    problem = Problem.from_arrays(X, X @ [1e-3, 1, 1e-2] > 0, bias=1.0)
    result = fit(problem, loss=loss, free_bias=True, max_passes=500).result
    assert result.status is Status.SOLVED
    assert 0 <= result.gap <= 1e-3 * result.primal


class Given(Solver):
    """Gaps that are given, one a pass, the last for ever; it stands still from there on."""

    def __init__(self, duals, gaps, seen):
        super().__init__()
        self.gaps, self.closed = gaps, False
        seen.append((self, duals))

    def run_pass(self, number):
        self.work += 1
        self.moved = int(number < len(self.gaps))
        gap = self.gaps[min(number, len(self.gaps)) - 1]
        self.certificate.offer_weights(np.full(1, number), primal=1 + gap, exact=True)
        self.certificate.offer_duals(np.full(1, -number), dual=1.0 - gap, exact=True)

    def close(self):
        self.closed = True


def run(*gaps, **rules):
    seen = []
    stages = [
        Stage(f"stage {at}", lambda duals, g=g: Given(duals, g, seen), 1.0, 10.0 * at, patience=5)
        for at, g in enumerate(gaps)
    ]
    return Stages(stages).solve(Stopping(**rules)), seen


def solved(*stages, gap_tol=1e-3, **more):
    result = Stages(stages, **more).solve(Stopping(gap_tol=gap_tol))
    assert result.status is Status.SOLVED
    return result


def test_a_slow_stage_is_left_from_its_best_duals():
    slow = [1.0 - 1e-4 * number for number in range(500)]
    result, seen = run(slow, [0.5, 0.1, 1e-5])
    assert result.status is Status.SOLVED
    (first, none), (second, duals) = seen
    assert none is None
    assert all(solver.closed for solver in (first, second))
    assert duals[0] == first.certificate.alphas[0]
    assert result.passes < 20


def test_a_stage_may_go_on_from_duals_and_weights():
    seen, slow = [], [1.0 - 1e-4 * number for number in range(500)]

    def second(duals, weights):
        seen.append(weights)
        return Given(duals, [0.5, 1e-5], seen)

    first = Stage("first", lambda duals: Given(duals, slow, seen), 1.0)
    solved(first, Stage("second", second, 1.0, 10.0, takes_both=True), gap_tol=1e-4)
    (first, _), weights, (_, duals) = seen
    assert weights[0] == first.certificate.weights[0]
    assert duals[0] == first.certificate.alphas[0]


class Endless(Given):
    """It never begins."""

    def start(self):
        while True:
            check_time()

    measure = support = estimate = None


def test_a_stage_that_the_limit_cuts_before_it_begins_leaves_the_points_of_others():
    first = Stage("first", lambda duals: Given(duals, [0.5, 0.25], []), 1.0)
    second = Stage("second", lambda duals: Endless(duals, [], []), 1.0)
    result = Stages([first, second]).solve(Stopping(gap_tol=1e-9, time_limit=0.01))
    assert (result.status, result.gap, result.weights[0]) == (Status.TIME_LIMIT, 0.5, 2)


class OneSide(Given):
    """Values that are given, the same in each pass."""

    def __init__(self, primal, dual):
        super().__init__(None, [], [])
        self.values = primal, dual

    def run_pass(self, number):
        self.work += 1
        primal, dual = self.values
        self.certificate.offer_weights(np.ones(1), primal=primal, exact=True)
        self.certificate.offer_duals(np.ones(1), dual=dual, exact=True)


def test_rounding_of_duals_far_from_the_best_hides_no_gap():
    result = solved(
        Stage("first", lambda duals: OneSide(2.0, 1 - 1e-9), 1.0, 0.0, patience=5),
        Stage("second", lambda duals: OneSide(1.0, -1e14), 1.0, 10.0, patience=5),
        gap_tol=1e-6,
        proof=lambda best: best,
    )
    assert result.gap == pytest.approx(1e-9, rel=1e-6)


class Rough(OneSide):
    """One whose values may be off by much."""

    def rounding(self, enough):
        return 1.0


def test_the_rounding_of_a_stage_that_was_left_counts_for_its_duals_alone():
    stages = [
        Stage("first", lambda duals: OneSide(2.0, 0.5), 1.0, 0.0, patience=5),
        Stage("second", lambda duals: Rough(1.0, 1 - 1e-9), 1.0, 10.0, patience=5),
    ]
    result = Stages(stages).solve(Stopping(gap_tol=1e-6))
    assert result.status is Status.HIDDEN


class Overflowing(Given):
    """One whose numbers leave the range of double precision after the gaps that are given."""

    def run_pass(self, number):
        if number > len(self.gaps):
            raise FloatingPointError("a Newton system has overflowed")
        super().run_pass(number)


def test_a_stage_that_overflows_is_left_for_good():
    seen = []
    first = Stage("first", lambda _: Overflowing(None, [0.5, 0.2], seen), 1.0, 0.0, patience=5)
    result = solved(
        first,
        Stage("second", lambda duals: Given(duals, [0.3, 0.25], seen), 1.0, 10.0, patience=5),
        Stage("third", lambda duals: Given(duals, [0.1, 1e-9], seen), 1.0, 10.0, patience=5),
    )
    assert result.notes[0] == "first left the range of double precision: second goes on"
    assert [duals for _, duals in seen][1] == -2.0  # the best of the first
    assert len(seen) == 3
    seen.clear()
    with pytest.raises(ValueError, match="a Newton system has overflowed"):
        solved(first, first)


def test_a_stage_has_a_part_of_the_share_of_the_next():
    seen, slow = [], [math.exp(-1e-5 * number) for number in range(2000)]
    result = solved(
        Stage("first", lambda duals: Given(duals, slow, seen), 1.0),
        Stage("second", lambda duals: Given(duals, [1e-9], seen), 1.0, 1000.0),
    )
    assert 50 <= result.passes <= 1000


@pytest.mark.parametrize("end", [50, 500, 5000])
def test_work_is_at_most_a_few_times_that_of_the_best_stage(end):
    """Gaps that tell nothing before the end: turns grow until one stage comes to it."""
    seen = []
    late, never = [0.5] * end + [1e-9], [0.4 - 1e-9 * number for number in range(100_000)]
    result = solved(
        Stage("never", lambda duals: Given(duals, never, seen), 1.0),
        Stage("late", lambda duals: Given(duals, late, seen), 1.0, 20.0, 10**6, True),
    )
    assert result.passes <= 6 * end + 100


def test_turns_of_which_no_end_is_predicted_are_those_of_each_stage():
    """The turn of one is not as long as that of another whose first one had to be long."""
    seen = []
    late, never = [0.5] * 350 + [1e-9], [0.4 - 1e-9 * number for number in range(100_000)]
    result = solved(
        Stage("never", lambda duals: Given(duals, never, seen), 1.0),
        Stage("late", lambda duals: Given(duals, late, seen), 1.0, 100.0, 10**6, True),
    )
    assert len(seen) == 3  # late resumes
    assert result.passes <= 600


@pytest.mark.parametrize(("share", "leaves"), [(0.0, True), (60.0, False)])
def test_a_stage_is_not_judged_before_its_share(share, leaves):
    seen = []
    gaps = [0.5 - 1e-6 * number for number in range(50)] + [1e-9]
    solved(
        Stage("first", lambda duals: Given(duals, gaps, seen), 1.0, share),
        Stage("second", lambda duals: Given(duals, [1e-9], seen), 1.0, 10.0),
    )
    assert (len(seen) == 2) is leaves


class Held(Rule):
    """A rule that holds after the passes of a stage."""

    def __init__(self, of_duals):
        self.of_duals = of_duals

    def ratio(self, point):
        return 1.0 if point.weights[0] >= 50 else 2.0


class Knows(Given):
    known_rules = (Held,)


@pytest.mark.parametrize("of_duals", [True, False])
def test_a_stage_is_not_judged_by_the_gap_under_a_rule_of_gradients(of_duals):
    seen, gaps = [], [0.5 - 1e-6 * number for number in range(60)]
    first = Stage("first", lambda duals: Knows(duals, gaps, seen), 1.0)
    second = Stage("second", lambda duals: Knows(duals, gaps, seen), 1.0, 10.0)
    stages = Stages([first, second])
    stages.rule = Held(of_duals)
    result = stages.solve(Stopping(0.0, max_passes=52))
    assert result.status is (Status.PASS_LIMIT if of_duals else Status.RULE)
    assert (len(seen) > 1) is of_duals


class Far(Held):
    """A rule that holds at 1e-6 of any gap but one of 1e-9."""

    def ratio(self, point):
        return 1e6 if point.weights[0] > 1 else 0.5


def test_a_stage_is_judged_by_the_gap_at_which_its_rule_may_hold():
    seen, gaps = [], [0.99**number for number in range(3000)]
    first = Stage("first", lambda duals: Given(duals, gaps, seen), 1.0)
    second = Stage("second", lambda duals: Given(duals, [1e-9], seen), 1.0, 1000.0)
    stages = Stages([first, second])
    stages.rule = Far(of_duals=True)
    result = stages.solve(Stopping(0.0, max_passes=1000))
    assert (result.status, len(seen)) == (Status.RULE, 2)


def test_a_stage_that_stands_still_is_left():
    result, seen = run([0.5, 0.2], [0.1, 1e-6])
    assert result.status is Status.SOLVED
    assert len(seen) == 2
    assert "moved no more" in result.notes[0]


def test_the_run_stalls_when_every_stage_does():
    result, seen = run([0.5, 0.2], [0.4, 0.3])
    assert result.status is Status.STALLED
    assert len(seen) >= 2
    assert (result.primal, result.dual) == (1.2, 0.8)  # of the first stage


@pytest.mark.parametrize("resumes", [True, False])
def test_a_stage_whose_gap_falls_late_gets_another_turn(resumes):
    seen = []
    late, slow = [0.5] * 300 + [1e-9], [0.4 - 1e-9 * number for number in range(10_000)]
    result = solved(
        Stage("slow", lambda duals: Given(duals, slow, seen), 1.0),
        Stage("late", lambda duals: Given(duals, late, seen), 1.0, 20.0, 500, resumes),
    )
    assert result.passes < 2000
    turns = sum(solver.gaps is late for solver, _ in seen)
    assert turns == 1 if resumes else turns > 1
    assert all(solver.closed for solver, _ in seen)


def test_a_stage_begins_anew_from_points_that_others_improved():
    seen = []
    late, better = [0.5] * 30 + [1e-9], [0.4] * 10 + [0.1] * 10_000
    solved(
        Stage("late", lambda duals: Given(duals, late, seen), 1.0, 0.0, 50, True),
        Stage("better", lambda duals: Given(duals, better, seen), 1.0, 10.0, 50),
    )
    begun = [duals for solver, duals in seen if solver.gaps is late]
    assert begun[0] is None
    assert begun[1] is not None
    assert all(solver.closed for solver, _ in seen)
