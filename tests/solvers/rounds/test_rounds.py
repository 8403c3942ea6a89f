"""Rounds over parts: one optimum for any number of parts, the same bits, and lost parts."""

import numpy as np
import pytest
from scipy.sparse import random_array

from rrmlinear import Parameter, Problem
from rrmlinear.catalog.dual_builders import part
from rrmlinear.catalog.selection import select
from rrmlinear.catalog.task import Task
from rrmlinear.data.labels import group_labels
from rrmlinear.solvers.loop.result import Status
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.solvers.rounds.fleet import LocalFleet, PartsLostError
from rrmlinear.solvers.rounds.packed import Packed
from rrmlinear.solvers.rounds.part import Order, mixture
from rrmlinear.solvers.rounds.rounds import Rounds
from rrmlinear.training.fit import fit

LOSSES = ["hinge", "squared-hinge", "logistic", "weston-watkins", "crammer-singer", "softmax"]
REGULARIZERS = {"l2": {}, "elastic-net": {"l1": 0.3}}


def examples(loss, n=240, d=30, density=0.3, seed=0):
    rng = np.random.default_rng(seed)
    X = random_array((n, d), density=density, rng=rng, format="csr")
    classes = 2 if loss in ("hinge", "squared-hinge", "logistic") else 4
    y = (X @ rng.standard_normal((d, classes))).argmax(axis=1)
    y[::7] = (y[::7] + 1) % classes
    return Problem.from_arrays(X, y, bias=1.0)


def chosen_for(loss, regularizer, C=1.0):
    return select(
        Parameter(solver=32, loss=loss, regularizer=regularizer, C=C, **REGULARIZERS[regularizer])
    )


def omega_of(problem, chosen, columns):
    shape = (problem.rows.width,) if columns == 1 else (problem.rows.width, columns)
    return chosen.regularizer.over(shape, intercept=True)


def parts_of(problem, chosen, size):
    labels, label = group_labels(problem.labels)
    several = chosen.kind == "multiclass"
    parts = []
    for own in np.array_split(np.arange(problem.n_examples), size):
        some, y = problem.take(own), label[own]
        task = Task(
            some.rows,
            y.astype(np.int32) if several else np.where(y == 0, 1.0, -1.0),
            len(labels) if several else None,
            np.full(len(own), float(chosen.choices.C)),
            chosen.loss,
            omega_of(problem, chosen, len(labels) if several else 1),
            chosen.features,
            chosen.choices,
        )
        parts.append(part(task))
    return parts


def solved(problem, chosen, size, fleet=LocalFleet, gap_tol=1e-6):
    fleet = fleet(parts_of(problem, chosen, size))
    columns = fleet.parts[0].columns
    omega = omega_of(problem, chosen, columns)
    solver = Rounds(fleet, omega, (problem.rows.width, columns))
    return solver.solve(Stopping(gap_tol, None, 3000))


@pytest.mark.parametrize("regularizer", REGULARIZERS)
@pytest.mark.parametrize("loss", LOSSES)
def test_the_optimum_is_that_of_one_process(loss, regularizer):
    problem, chosen = examples(loss), chosen_for(loss, regularizer)
    whole = fit(problem, Parameter(**{**vars(chosen.choices), "gap_tol": 1e-9})).result
    for size in (1, 4):
        result = solved(problem, chosen, size)
        assert result.status is Status.SOLVED
        assert result.primal == pytest.approx(whole.primal, rel=1e-6)
        assert result.dual <= whole.primal * (1 + 1e-12)
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
    first = Order(1, 1.0, np.zeros(shape), 0.0, 1.0, 2)
    change, report = alone.round(first)
    second = Order(2, 0.5, 0.5 * change.dense(copy=True), 0.0, 1.0, 2)
    once = alone.round(second)[1]
    twice = alone.round(second)[1]
    assert once.before == pytest.approx(twice.before, rel=1e-12)
    assert once.losses == pytest.approx(twice.losses, rel=1e-12)
    assert once.before <= report.before + 0.5 * (report.after - report.before) + 1e-9


class Lossy(LocalFleet):
    """Loses a part in some rounds; its duals become zero."""

    def __init__(self, parts):
        super().__init__(parts)
        self.rounds = 0

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


def zero(lost):
    duals = lost.ascent.present_duals()
    if isinstance(duals, np.ndarray):
        return 0 * duals
    n = len(duals.indptr) - 1
    return type(duals)(np.zeros(n + 1, np.int64), np.zeros(0, np.int32), np.zeros(0))


@pytest.mark.parametrize("loss", ["hinge", "weston-watkins"])
def test_lost_duals_leave_a_true_gap(loss):
    problem, chosen = examples(loss), chosen_for(loss, "l2")
    whole = fit(problem, Parameter(**{**vars(chosen.choices), "gap_tol": 1e-9})).result
    result = solved(problem, chosen, 3, Lossy)
    assert result.status is Status.SOLVED
    assert len(result.notes) == 3
    assert result.primal == pytest.approx(whole.primal, rel=1e-6)
    assert result.dual <= whole.primal * (1 + 1e-12)


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
