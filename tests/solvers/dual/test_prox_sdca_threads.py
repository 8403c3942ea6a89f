"""Threads of Prox-SDCA: the same certificate, the same bits each time, and conflicting steps."""

import numpy as np
import pytest
from made_solvers import of_rows
from scipy.sparse import csr_array

from rrmlinear import Parameter, Problem, fit
from rrmlinear.losses import margin, regression
from rrmlinear.losses.margin import Logistic
from rrmlinear.regularizers.separable import L2, ElasticNet
from rrmlinear.solvers.dual.prox_sdca import ProxSDCA
from rrmlinear.solvers.loop.result import Status, Stopping
from rrmlinear.solvers.loop.team import Team

N, D, VALUES = 5000, 3000, 45  # enough visits in a pass, and values in a row, for threads
LOSSES = {
    "hinge": margin.Hinge(),
    "squared-hinge": margin.SquaredHinge(),
    "logistic": Logistic(),
    "squared": regression.Squared(),
}


@pytest.fixture(scope="module")
def problem():
    # Like text: some features are in most rows, most are in few.
    rng = np.random.default_rng(5)
    columns = (D * rng.random((N, VALUES)) ** 3).astype(np.int32)
    values = rng.standard_normal(N * VALUES) / np.sqrt(VALUES)
    X = csr_array((values, (np.repeat(np.arange(N), VALUES), columns.ravel())), shape=(N, D))
    return Problem.from_arrays(X, np.where(X @ rng.standard_normal(D) > 0, 1.0, -1.0))


class OneForAll(Team):
    """A team whose first thread does the visits of all."""

    def _size(self, kind):
        self.pieces[kind] = self.pieces.get(kind, 0) + 1
        return 1


class InTurn(ProxSDCA):
    def start(self):
        super().start()
        self.team.close()
        self.team = OneForAll(self.threads)


def run(kind, problem, loss, cost=0.5, regularizer=None, gap_tol=1e-7, on_pass=None, **choices):
    costs = np.full(problem.n_examples, cost)
    omega = regularizer or L2()
    solver = of_rows(kind, problem.rows, problem.labels, costs, loss, omega, **choices)
    return solver.solve(Stopping(gap_tol=gap_tol, max_passes=2000), on_pass)


@pytest.mark.parametrize("regularizer", [L2(), ElasticNet(0.5)], ids=["l2", "elastic-net"])
@pytest.mark.parametrize("name", LOSSES)
def test_the_certificate_is_as_true_as_that_of_one_thread(problem, name, regularizer):
    loss = LOSSES[name]
    result = run(ProxSDCA, problem, loss, regularizer=regularizer, threads=2)
    alone = run(ProxSDCA, problem, loss, regularizer=regularizer)
    assert result.status is Status.SOLVED
    assert result.primal == pytest.approx(alone.primal, rel=2e-7)
    X, y = problem.to_scipy().toarray(), problem.labels
    v = X.T @ (0.5 * result.duals)
    primal = 0.5 * loss.values(y, X @ result.weights).sum()
    primal += regularizer.value_of(result.weights)
    dual = -0.5 * loss.conjugates(y, result.duals).sum() - regularizer.conjugate_of(v)
    assert result.primal == pytest.approx(primal, rel=1e-10)
    assert result.dual == pytest.approx(dual, rel=1e-10)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("threads", [2, 3])
def test_the_same_bits_each_time_and_on_fewer_threads(problem, name, threads):
    results = [
        run(kind, problem, LOSSES[name], threads=threads) for kind in (ProxSDCA, ProxSDCA, InTurn)
    ]
    for other in results[1:]:
        assert other.weights.tobytes() == results[0].weights.tobytes()
        assert other.duals.tobytes() == results[0].duals.tobytes()
        assert other.primal == results[0].primal


@pytest.mark.parametrize("threads", [2, 4])
@pytest.mark.parametrize("name", ["squared", "squared-hinge", "hinge"])
def test_steps_that_undo_each_other_are_found_out(name, threads):
    # Nearly equal rows: what one thread gains, the others' steps spoil.
    rng = np.random.default_rng(0)
    X = np.zeros((N, D))
    X[:, :VALUES] = 1 + 0.01 * rng.standard_normal((N, VALUES))
    y = np.where(rng.random(N) < 0.7, 1.0, -1.0)
    duals = []
    clash = Problem.from_arrays(csr_array(X), y)
    how = {"threads": threads, "on_pass": lambda row: duals.append(row.dual)}
    result = run(ProxSDCA, clash, LOSSES[name], 0.1, gap_tol=1e-3, **how)
    assert result.status is Status.SOLVED
    assert (np.diff(duals) >= -1e-10 * abs(duals[-1])).all()
    alone = run(ProxSDCA, clash, LOSSES[name], 0.1, gap_tol=1e-3)
    assert result.primal == pytest.approx(alone.primal, rel=2e-3)


def test_the_largest_violation_takes_one_thread_where_the_loss_has_a_kink(problem):
    for number, note in ((3, True), (1, False), (7, False)):
        result = fit(problem, Parameter(number, threads=2)).result
        assert any("looks at the largest violation" in said for said in result.notes) == note
        assert result.solved


@pytest.mark.parametrize(
    ("n", "choices", "reason"),
    [
        (N, {"averaging": True}, "averages are over visits one after another"),
        (N, {"sampling": "uniform"}, "uniform draws may visit an example twice at once"),
        (1000, {}, "1000 examples are few for 3000 features"),
    ],
)
def test_one_thread_does_what_several_cannot(problem, n, choices, reason):
    some = problem.take(np.arange(n))
    result = run(ProxSDCA, some, LOSSES["hinge"], gap_tol=1e-2, threads=2, **choices)
    assert result.notes[0].startswith(f"one thread is used, not 2: {reason}")


@pytest.mark.parametrize(
    ("d", "reason"),
    [
        (5, "an example has 5 values, and threads repay their meeting from 40"),
        (150, "an example has 100% of all features, and above 6% threads undo each other's steps"),
    ],
)
def test_short_and_dense_rows_take_one_thread(d, reason):
    X = np.random.default_rng(0).standard_normal((100, d))
    result = run(ProxSDCA, Problem.from_arrays(X, np.sign(X[:, 0])), LOSSES["hinge"], threads=2)
    assert result.notes[0] == f"one thread is used, not 2: {reason}"
