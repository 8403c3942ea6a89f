"""Rounds over parts: one optimum for any number of parts, the same bits, and lost parts."""

import numpy as np
import pytest
from parts_of_problems import REGULARIZERS, chosen_for, examples, omega_of, parts_of, zero
from scipy.sparse import random_array

from rrmlinear import Parameter
from rrmlinear.solvers.loop.result import Status, Stopping
from rrmlinear.solvers.rounds.fleet import LocalFleet, PartsLostError
from rrmlinear.solvers.rounds.orders import Order, Packed
from rrmlinear.solvers.rounds.part import mixture
from rrmlinear.solvers.rounds.rounds import Rounds
from rrmlinear.training.fit import fit

LOSSES = ["hinge", "squared-hinge", "logistic", "weston-watkins", "crammer-singer", "softmax"]


def solved(problem, chosen, size, fleet=LocalFleet, gap_tol=1e-6):
    fleet = fleet(parts_of(problem, chosen, size))
    columns = fleet.parts[0].columns
    omega = omega_of(problem, chosen, columns)
    solver = Rounds(fleet, omega, (problem.rows.width, columns))
    return solver.solve(Stopping(gap_tol, None, 3000))


def compared(loss, regularizer, *how):
    problem, chosen = examples(loss), chosen_for(loss, regularizer)
    whole = fit(problem, Parameter(**{**vars(chosen.choices), "gap_tol": 1e-9})).result
    result = solved(problem, chosen, *how)
    assert result.status is Status.SOLVED
    assert result.primal == pytest.approx(whole.primal, rel=1e-6)
    assert result.dual <= whole.primal * (1 + 1e-12)
    return result, whole


@pytest.mark.parametrize("regularizer", REGULARIZERS)
@pytest.mark.parametrize("loss", LOSSES)
def test_the_optimum_is_that_of_one_process(loss, regularizer):
    for size in (1, 4):
        result, whole = compared(loss, regularizer, size)
        np.testing.assert_allclose(
            result.weights.ravel(), whole.weights.ravel(), atol=2e-3 * np.abs(whole.weights).max()
        )


def test_same_parts_same_bits():
    problem, chosen = examples("hinge"), chosen_for("hinge", "l2")
    one, two = (solved(problem, chosen, 4, gap_tol=1e-5) for _ in range(2))
    assert one.weights.tobytes() == two.weights.tobytes()
    assert [row.dual for row in one.trace] == [row.dual for row in two.trace]


@pytest.mark.parametrize("loss", ["hinge", "logistic", "weston-watkins"])
def test_an_order_may_come_twice(loss):
    # as where a reply was lost: the second reply is that of the same duals
    problem, chosen = examples(loss), chosen_for(loss, "l2")
    (alone,) = parts_of(problem, chosen, 1)
    shape = problem.rows.width, alone.columns
    first = Order(1, 1.0, np.zeros(shape), 0.0, 1.0, (2,))
    change, report = alone.round(first)
    second = Order(2, 0.5, 0.5 * change.dense(copy=True), 0.0, 1.0, (2,))
    once = alone.round(second)[1]
    twice = alone.round(second)[1]
    assert once.before == pytest.approx(twice.before, rel=1e-12)
    assert once.losses == pytest.approx(twice.losses, rel=1e-12)
    assert once.before <= report.before + 0.5 * (report.after - report.before) + 1e-9


class Lossy(LocalFleet):
    """Loses a part in some rounds; its duals become zero."""

    rounds = 0

    def round(self, order):
        self.rounds += 1
        if self.rounds in (3, 4, 9):
            self.parts[0].round(order)  # which has gone on, as others have not
            lost = self.parts[1]
            lost.settle(order.number, order.step)
            lost.ascent.replace_duals(mixture(lost.before, lost.before, 0.0))
            lost.ascent.replace_duals(zero(lost))
            lost.number = 0
            raise PartsLostError(f"part 1 was lost in round {order.number}")
        return super().round(order)


@pytest.mark.parametrize("loss", ["hinge", "weston-watkins"])
def test_lost_duals_leave_a_true_gap(loss):
    assert len(compared(loss, "l2", 3, Lossy)[0].notes) == 3


def test_packed_matrices_add_up():
    rng = np.random.default_rng(0)
    matrices = [random_array((50, 3), density=p, rng=rng).toarray() for p in (0.02, 0.05, 0.1, 0.9)]
    packed = [Packed.of(each) for each in matrices]
    assert [each.places is None for each in packed] == [False, False, False, True]
    for one, first in zip(matrices, packed, strict=True):
        assert first.dot(one) == pytest.approx((one**2).sum())
        assert first.square == pytest.approx((one**2).sum())
        for two, second in zip(matrices, packed, strict=True):
            np.testing.assert_allclose(first.plus(second).dense(), one + two, rtol=1e-15)
    np.testing.assert_array_equal(packed[0].dense(), matrices[0])


def test_balanced_rounds_have_the_same_optimum():
    problem, chosen = examples("squared-hinge"), chosen_for("squared-hinge", "l2")
    whole = fit(problem, Parameter(**{**vars(chosen.choices), "gap_tol": 1e-9})).result
    seen = []

    class Slow(LocalFleet):
        """The first part takes ten times as long."""

        def round(self, order):
            change, report = super().round(order)
            seen.append(order.passes)
            times = tuple((k, passes, (10, 1)[k > 0] * passes) for k, passes, _ in report.times)
            return change, report._replace(times=times)

    fleet, omega = Slow(parts_of(problem, chosen, 3)), omega_of(problem, chosen, 1)
    solver = Rounds(fleet, omega, (problem.rows.width, 1), balances=True)
    result = solver.solve(Stopping(1e-6, None, 3000))
    assert result.primal == pytest.approx(whole.primal, rel=1e-6)
    assert seen[0] == (3, 3, 3)
    assert [each for each in seen if each != (0,)][-1] == (1, 3, 3)
