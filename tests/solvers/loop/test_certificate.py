"""The laws of the certificate, for the class itself and for every solver type of the table."""

import gc
import weakref
from functools import cache

import numpy as np
import pytest
from members import NUMBERS

from rrmlinear import Parameter, Problem
from rrmlinear.catalog.errors import ChoiceError
from rrmlinear.catalog.losses import CHAIN_LOSSES, LOSSES
from rrmlinear.catalog.selection import select
from rrmlinear.catalog.solvers import SOLVERS
from rrmlinear.losses.margin import Hinge
from rrmlinear.regularizers.separable import L1, L2
from rrmlinear.risks.scores import ScalarRisk
from rrmlinear.solvers.loop.certificate import Certificate, gap_between
from rrmlinear.solvers.loop.result import Stopping
from rrmlinear.solvers.loop.solver import Solver
from rrmlinear.solvers.loop.tolerances import SUM_ROUNDING

N, D, K = 40, 5, 3
REGULARIZERS = {"l2": {}, "elastic-net": {"l1": 0.3}, "l1": {"l1": 0.3}}
#: Types without labels or of sequences: their tests are those of training.
OTHERS = {21} | {row.number for row in SOLVERS.values() if row.loss in CHAIN_LOSSES}
#: How far values may be from those made again, relative.
AGAIN = 1e-9
#: The same for free intercepts of several scores: a search finds F, and its start matters.
SEARCHED_AGAIN = 1e-7


def chosen_of(number, loss, regularizer, free):
    """A solver type's choices looked up; None where it does not take them."""
    if loss != SOLVERS[number].loss and "loss" not in SOLVERS[number].choices:
        return None
    row = SOLVERS[number]
    if free and number == 32 and LOSSES[loss].kind == "multiclass" and regularizer != "l2":
        return None  # it refuses them when it is made
    choices = {"gap_tol": 1e-7, **NUMBERS.get(loss, {})}
    if regularizer != row.regularizer or "regularizer" in row.choices:
        choices |= {"regularizer": regularizer, **REGULARIZERS[regularizer]}
    if "loss" in SOLVERS[number].choices:
        choices["loss"] = loss
    try:
        return select(Parameter(solver=number, **choices, **({"free_bias": True} if free else {})))
    except ChoiceError:
        return None


MEMBERS = [
    pytest.param(chosen, free, id=f"{number} {loss} {regularizer}{' free' if free else ''}")
    for number in SOLVERS
    for loss in LOSSES
    for regularizer in REGULARIZERS
    for free in (False, True)
    if (chosen := chosen_of(number, loss, regularizer, free)) is not None
]


@cache
def problem_of(kind, has_domain=False):
    """(problem with a bias, X with its column, targets, costs); some examples cost nothing."""
    rng = np.random.default_rng(7)
    X = rng.standard_normal((N, D)) + 0.3
    scores = X @ rng.standard_normal(D) + 0.5 * rng.standard_normal(N)
    targets = {
        "binary": np.where(scores > 0.2, 1.0, -1.0),
        "regression": scores + 0.7,
        "multiclass": np.digitize(scores, [-0.5, 0.8]).astype(np.int32),
    }[kind]
    if has_domain:  # counts, costs and shares
        targets = (targets - targets.min() + 0.1) / (np.ptp(targets) + 0.1)
    costs = np.where(np.arange(N) % 9 == 4, 0.0, rng.uniform(0.1, 0.6, N))
    problem = Problem.from_arrays(X, targets, bias=1.0)
    return problem, np.column_stack([X, np.ones(N)]), targets, costs


@pytest.fixture
def offers(monkeypatch):
    """What certificates are offered: (certificate, side, value, whether it is a present state)."""
    seen = []

    def spied(side):
        plain = getattr(Certificate, f"offer_{side}")

        def offer(self, point, *given, **named):
            value = plain(self, point, *given, **named)
            seen.append((self, side, value, callable(point)))
            return value

        return offer

    for side in ("weights", "duals"):
        monkeypatch.setattr(Certificate, f"offer_{side}", spied(side))
    return seen


def solved(chosen, free, passes=25):
    """(solver, result, X, targets, costs, Ω) of a run of a few passes."""
    problem, X, targets, costs = problem_of(chosen.kind, chosen.loss_row.labels is not None)
    k = K if chosen.kind == "multiclass" else None
    columns = D if free else D + 1
    omega = chosen.regularizer.over((columns,) if k is None else (columns, k), intercept=not free)
    solver = chosen.solver_for(problem.rows, targets, k, costs, omega)
    result = solver.solve(Stopping(gap_tol=1e-7, max_passes=passes))
    return solver, result, X, targets, costs, omega


class Rounded:
    """Ω of w without its last entry if that is an intercept; Ω* allows for rounding at its edge."""

    def __init__(self, omega, free, k):
        self.omega, self.end = omega, D * k if free else None

    def value_of(self, w):
        return self.omega.value_of(w[: self.end])

    def conjugate_of(self, v):
        np.testing.assert_allclose(v[self.end :] if self.end else 0.0, 0.0, atol=AGAIN)
        v = v[: self.end]
        inside = min(self.omega.dual_scale_of(v), 1.0)
        assert inside >= 1 - AGAIN
        return self.omega.conjugate_of((1 - 1e-12) * inside * v)


@pytest.mark.parametrize(("chosen", "free"), MEMBERS)
def test_the_laws_of_every_solver_type(chosen, free, offers, objectives, block_objectives):
    k = K if chosen.kind == "multiclass" else 1
    # searches for the intercepts of several classes take long
    passes, again = (6, SEARCHED_AGAIN) if free and k > 1 else (25, AGAIN)
    solver, result, X, targets, costs, omega = solved(chosen, free, passes)
    size = max(1.0, abs(result.primal))
    # the gap is never negative, and exact rows say what it is
    for row in result.trace:
        assert row.gap >= (-again * size if row.estimated else 0.0)
    assert not result.last.estimated
    assert result.gap == gap_between(result.primal, result.dual)
    # the best of each side is kept, and a present state replaces what was there
    for side, value, sign in (("weights", result.primal, 1), ("duals", result.dual, -1)):
        own = [entry[2:] for entry in offers if entry[0] is solver.certificate and entry[1] == side]
        assert own
        states = [at for at, (_, is_state) in enumerate(own) if is_state]
        rest = own[states[-1] :] if states else own
        best = sign * min(sign * value for value, _ in rest)
        assert value == pytest.approx(best, abs=again * size)
    # weights and duals prove the gap by themselves
    find = block_objectives if k > 1 else objectives
    primal, dual = find(X, targets, costs, chosen.loss, Rounded(omega, free, k), result)
    assert primal == pytest.approx(result.primal, abs=again * size)
    assert dual == pytest.approx(result.dual, abs=again * size)


def test_every_solver_type_is_a_member():
    numbers = {chosen.values[0].solver.number for chosen in MEMBERS}
    assert numbers == set(SOLVERS) - OTHERS


@pytest.fixture
def certificate():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 4))
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    risk = ScalarRisk(Problem.from_arrays(X, y).rows, Hinge(), y, np.full(20, 0.3))
    return Certificate(risk, L1(2.0))


def test_nothing_is_proved_before_the_first_offer(certificate):
    assert (certificate.primal, certificate.dual, certificate.gap) == (np.inf, -np.inf, np.inf)
    assert not certificate.final_weights().any()
    assert certificate.final_duals() is None


def test_the_best_of_each_side_is_kept(certificate):
    rng = np.random.default_rng(1)
    points = [rng.standard_normal(4) * scale for scale in (3.0, 0.1, 1.0, 0.0, 2.0)]
    values = [certificate.offer_weights(w) for w in points]
    assert certificate.primal == min(values)
    np.testing.assert_array_equal(certificate.weights, points[int(np.argmin(values))])
    y = certificate.risk.labels
    duals = [y * rng.uniform(0, top, 20) for top in (0.1, 1.0, 0.5)]
    values = [certificate.offer_duals(alphas) for alphas in duals]
    assert certificate.dual == max(values)
    assert certificate.gap == certificate.primal - certificate.dual > 0


def test_duals_outside_are_shrunk_until_they_prove_something(certificate):
    alphas = certificate.risk.labels * 1.0
    vector = certificate.risk.gradient(alphas)
    t = certificate.regularizer.dual_scale_of(vector)
    assert 0 < t < 1
    assert certificate.offer_duals(alphas, vector) == pytest.approx(t * 20 * 0.3, rel=1e-12)
    np.testing.assert_allclose(certificate.alphas, t * alphas, rtol=1e-15)


def test_values_that_have_rounded_are_measured_again(certificate):
    risk, w, alphas = certificate.risk, np.array([0.5, 0.0, 0.0, 0.1]), 0.1 * np.ones(20)
    alphas *= risk.labels
    exact, again = Certificate(risk, L2()), Certificate(risk, L2())
    exact.offer_weights(w)
    exact.offer_duals(alphas)
    again.offer_weights(w, risk.at(risk.scores(w) + 1e-3))
    again.offer_duals(alphas, 1.001 * risk.gradient(alphas))
    assert again.primal != exact.primal
    assert again.dual != exact.dual
    assert again.measure() == (exact.primal, exact.dual) == exact.measure()


def test_a_present_state_replaces_what_was_there_and_is_made_late(certificate):
    state = np.zeros(4)
    certificate.offer_weights(np.array([0.5, 0.0, 0.0, 0.1]))
    value = certificate.primal + 1
    assert certificate.offer_weights(lambda: state.copy(), primal=value) == value
    assert certificate.primal == value
    state[:] = 7
    np.testing.assert_array_equal(certificate.final_weights(), np.full(4, 7.0))
    assert certificate.measure()[0] == value


def test_a_bound_without_duals_counts_in_estimates_alone(certificate):
    solver = Solver()
    solver.certificate = certificate
    certificate.offer_weights(np.zeros(4))
    certificate.offer_bound(certificate.primal - 0.25)
    certificate.offer_bound(certificate.primal - 3)
    assert solver.estimate() == (certificate.primal - 0.25, 0.25)
    assert certificate.gap == np.inf


@pytest.mark.parametrize("number", [number for number in SOLVERS if number not in OTHERS])
def test_a_solver_that_has_ended_goes_without_the_garbage_collector(number):
    chosen = next(chosen.values for chosen in MEMBERS if chosen.values[0].solver.number == number)
    gc.disable()
    try:
        solver, *_ = solved(*chosen, passes=3)
        gone = weakref.ref(solver)
        del solver
        assert gone() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e9])
def test_rounding_is_clipped_and_nothing_else(scale):
    assert gap_between(scale, scale * (1 + SUM_ROUNDING / 2)) == 0.0
    assert gap_between(scale, scale * (1 + 3 * SUM_ROUNDING)) < 0
    assert gap_between(2 * scale, scale) == scale
    assert gap_between(np.inf, scale) == np.inf
