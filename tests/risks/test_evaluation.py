"""A risk has no state: the same evaluation has the same bits, whatever was asked before."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from rrmlinear import Problem
from rrmlinear.losses.margin import Hinge, Logistic, SmoothHinge
from rrmlinear.losses.multiclass import SmoothCrammerSinger
from rrmlinear.risks.conditions.budget import Budget
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.layouts.tasks import TaskRisk, task_rows
from rrmlinear.risks.scores import BlockRisk, ScalarRisk

N, D, K = 300, 6, 3
CONDITIONS = {
    "none": None,
    "intercept": Intercept(),
    "budget": Budget(20.0),
    "direction": Budget(20.0, np.linspace(-1, 1, N)),
    "both": Budget(20.0, beside=Intercept()),
    "slack": Budget(1e9, beside=Intercept()),
}
LOSSES = {"hinge": Hinge(), "smooth": SmoothHinge(0.3), "logistic": Logistic()}
ASKED = ("value", "derivatives", "curvatures", "warm", "intercept")
CASES = [
    (layout, condition, loss)
    for layout in ("rows", "tasks")
    for condition in CONDITIONS
    for loss in LOSSES
    if not (loss == "logistic" and "budget" in str(CONDITIONS[condition]).lower())
    if not (layout == "tasks" and condition == "direction")
]


def make(layout, condition, loss):
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((N, D)), rng.choice([-1.0, 1.0], N)
    costs, given = rng.uniform(0.1, 1, N), CONDITIONS[condition]
    if layout == "rows":
        rows = Problem.from_arrays(X, y, bias=1.0).rows
        return ScalarRisk(rows, LOSSES[loss], y, costs, condition=given), rng
    tasks = rng.integers(0, K, N)
    rows = task_rows(Problem.from_arrays(X, y).rows, np.arange(N), tasks, K)
    return TaskRisk(rows, LOSSES[loss], y, costs, tasks, K, condition=given), rng


def bits(value):
    """Bytes of a number or an array, and warm starts as they are."""
    return value.tobytes() if isinstance(value, np.ndarray) else repr(value)


def asked_in(at, order):
    found = {name: bits(getattr(at, name)) for name in order}
    return [found[name] for name in ASKED]


@pytest.mark.parametrize(("layout", "condition", "loss"), CASES)
def test_any_order_gives_the_same_bits(layout, condition, loss):
    risk, rng = make(layout, condition, loss)
    scores, elsewhere = rng.standard_normal((2, N))
    warm = risk.at(elsewhere).warm
    for begin in (None, warm):
        first = asked_in(risk.at(scores, begin), ASKED)
        risk.at(elsewhere, begin).tangent()  # leaves no trace
        risk.dual_steps(elsewhere, 0.0, 0.7, begin)
        for order in (ASKED[::-1], ASKED[2:] + ASKED[:2]):
            assert asked_in(risk.at(scores, begin), order) == first
        with ThreadPoolExecutor(4) as pool:
            ats = [risk.at(scores, begin) for _ in range(8)]
            assert all(found == first for found in pool.map(lambda at: asked_in(at, ASKED), ats))


@pytest.mark.parametrize(("layout", "condition", "loss"), CASES)
def test_dual_steps_depend_on_their_arguments_alone(layout, condition, loss):
    risk, rng = make(layout, condition, loss)
    scores, elsewhere = rng.standard_normal((2, N))
    _, warm = risk.dual_steps(elsewhere, 0.0, 1.3)
    for begin in (None, warm):
        steps, end = risk.dual_steps(scores, 0.0, 0.7, begin)
        risk.at(elsewhere, begin).tangent()
        again, same = risk.dual_steps(scores, 0.0, 0.7, begin)
        assert (again.tobytes(), repr(same)) == (steps.tobytes(), repr(end))


@pytest.mark.parametrize(("layout", "condition", "loss"), CASES)
def test_a_warm_start_changes_rounding_alone(layout, condition, loss):
    risk, rng = make(layout, condition, loss)
    scores, elsewhere = rng.standard_normal((2, N))
    cold, warm = risk.at(scores), risk.at(scores, risk.at(elsewhere).warm)
    assert warm.value == pytest.approx(cold.value, rel=1e-12)
    np.testing.assert_allclose(warm.derivatives, cold.derivatives, atol=1e-9)


def test_blocks_share_no_memory_between_threads():
    rng = np.random.default_rng(3)
    label = rng.integers(0, 5, N).astype(np.int32)
    rows = Problem.from_arrays(rng.standard_normal((N, D)), label).rows
    risk = BlockRisk(rows, SmoothCrammerSinger(0.5), label, 5, rng.random(N))
    weights = rng.standard_normal((8, D, 5))

    def all_of(w):
        scores = risk.scores(w)
        value, derivatives = risk.at(scores).tangent()
        steps, _ = risk.dual_steps(scores, -derivatives, 0.7)
        gradient, conjugate = risk.gradient(derivatives), risk.conjugate(-derivatives)
        return [bits(x) for x in (scores, value, derivatives, steps, gradient, conjugate)]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(all_of, weights)) == [all_of(w) for w in weights]
