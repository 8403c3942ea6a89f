"""Laws of every risk: tangents, second derivatives, trials on lines, duals that attain it."""

import itertools

import numpy as np
import pytest
from largest_plane import LargestPlane
from members import CLASS_LOSSES, SCALAR_LOSSES, SMOOTHED_LOSSES, labels_in_domain, takes_signs
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.data.rows import Rows
from rrmlinear.losses.measures import ErrorRate, FBeta, PrecisionAtK, RocArea
from rrmlinear.risks.conditions.budget import Budget
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.layouts.chains.chain_loss import LOG_LOSS, STRUCTURED_HINGE
from rrmlinear.risks.layouts.chains.chain_risk import ChainRisk
from rrmlinear.risks.layouts.graphs.cliques import Cliques
from rrmlinear.risks.layouts.graphs.graph_risk import GraphRisk
from rrmlinear.risks.layouts.measures import MeasureRisk
from rrmlinear.risks.layouts.tasks import TaskRisk, task_rows
from rrmlinear.risks.scores import BlockRisk, ScalarRisk

N, D, K = 40, 5, 4
RNG = np.random.default_rng(3)
X = RNG.standard_normal((N, D)) * (RNG.random((N, D)) < 0.8)
SIGNS, NUMBERS = RNG.choice([-1.0, 1.0], N), 2 * RNG.standard_normal(N)
LABEL = (np.arange(N) % K).astype(np.int32)
COSTS = np.where(np.arange(N) % 9 == 4, 0.0, RNG.uniform(0.3, 2, N))
CONDITIONS = {
    "": None,
    "free": Intercept(),
    "budget": Budget(6.0),
    "slack": Budget(1e9, beside=Intercept()),
    "half-space": Budget(3.0, np.linspace(-1, 1, N)),
    "free budget": Budget(5.0, beside=Intercept()),
}
STARTS = np.array([0, 3, 4, 8, 10, 16])
GRAPHS = [[(1, 0), (1, 2), (3, 1)], [(0, 1, 2), (2, 1, 3), (3, 4)], []]


def rows_of(condition):
    return Problem.from_arrays(X, SIGNS, bias=2.0 if "Intercept" in repr(condition) else -1.0).rows


def has_pieces(loss):
    return loss.pieces(np.ones(1)) is not None


def made():
    """(name, a maker of the risk, whether it is smooth)."""
    for name, loss in (SCALAR_LOSSES | SMOOTHED_LOSSES).items():
        y = SIGNS if takes_signs(name) else labels_in_domain(name, NUMBERS)
        for condition, spec in CONDITIONS.items():
            if isinstance(spec, Budget) and not has_pieces(loss):
                continue
            given = rows_of(spec), loss, y, COSTS
            yield f"{name} {condition}", ScalarRisk(*given, condition=spec), loss.smoothing > 0
    for (name, loss), spec in itertools.product(CLASS_LOSSES.items(), (None, Intercept())):
        risk = BlockRisk(rows_of(spec), loss, LABEL, K, COSTS, 1, 0.0, spec)
        yield f"{name} {'free' if spec else ''}", risk, loss.smoothing > 0
        yield f"{name} {'free' if spec else ''} smoothed", risk.smoothed(0.4), True
    tasks = np.arange(N) % 3
    for name in ("hinge", "logistic", "huber"):
        for spec in (None, Intercept(), Budget(6.0)):
            if isinstance(spec, Budget) and not has_pieces(SCALAR_LOSSES[name]):
                continue
            rows = task_rows(Problem.from_arrays(X, SIGNS).rows, np.arange(N), tasks, 3)
            given = rows, SCALAR_LOSSES[name], SIGNS, COSTS, tasks, 3
            smooth = SCALAR_LOSSES[name].differentiable
            yield f"tasks {name} {spec}", TaskRisk(*given, condition=spec), smooth
    label, costs = LABEL[: STARTS[-1]] % 3, np.array([0.5, 1, 0, 2, 1])
    nodes = Rows(X[: STARTS[-1]], None, None, D)
    edges = Rows(*(lambda m: (m.data, m.indices, m.indptr))(csr_array(X[:11])), D)
    for name, loss in (
        ("crf", LOG_LOSS),
        ("m3n", STRUCTURED_HINGE),
        ("smoothed m3n", STRUCTURED_HINGE.smoothed(0.4)),
    ):
        chain = nodes, label, STARTS, 3, costs, 1, loss
        yield name, ChainRisk(*chain), loss.temperature > 0
        yield f"{name} of edges", ChainRisk(*chain, edges=edges), loss.temperature > 0
        starts = np.array([0, 4, 9, 10, 14])
        graph = Cliques([*GRAPHS, GRAPHS[0]], starts, 3)
        given = Rows(X[:14], None, None, D), label[:14], graph, costs[[0, 1, 3, 4]], 1, loss
        yield f"{name} of graphs", GraphRisk(*given), loss.temperature > 0
    for measure in (FBeta(), PrecisionAtK(9), RocArea(), ErrorRate()):
        risk = MeasureRisk(rows_of(None), measure, SIGNS, 0.7)
        yield type(measure).__name__, risk, False
        yield f"{type(measure).__name__} smoothed", risk.smoothed(0.5), True
    yield "planes", LargestPlane(X), False


RISKS = [pytest.param(risk, smooth, id=name) for name, risk, smooth in made()]
#: A risk that was smoothed by itself has the conjugate of the plain one.
OF_OWN_LOSS = [each for each in RISKS if not each.id.endswith(" smoothed")]


def at(risk, w):
    return risk.at(risk.scores(w))


@pytest.mark.parametrize(("risk", "smooth"), RISKS)
def test_derivatives_are_slopes_of_tangents_below(risk, smooth):
    rng = np.random.default_rng(1)
    for size in (0.1, 1.0, 5.0):
        w, d = size * rng.standard_normal((2, *risk.shape))
        here = at(risk, w)
        value, slope = here.value, np.vdot(risk.gradient(here.derivatives), d)
        for step in (-10.0, -1e-3, 1e-3, 10.0):
            above = at(risk, w + step * d).value
            assert above >= value + step * slope - 1e-9 * (1 + abs(value) + abs(above))
        if smooth:
            up, down = (at(risk, w + step * d).value for step in (1e-5, -1e-5))
            rounding = 1e-9 * (1 + abs(value))
            assert (up - down) / 2e-5 == pytest.approx(slope, rel=1e-4, abs=rounding / 1e-5)


@pytest.mark.parametrize(("risk", "smooth"), OF_OWN_LOSS)
def test_minus_the_derivatives_are_the_duals_that_attain_it(risk, smooth):
    rng = np.random.default_rng(2)
    w, u = rng.standard_normal((2, *risk.shape))
    value, alphas = at(risk, w).value, -at(risk, w).derivatives

    def bound(alphas):
        return -risk.conjugate(alphas) - np.vdot(w, risk.gradient(alphas))

    assert bound(alphas) == pytest.approx(value, rel=1e-8, abs=1e-8)
    others = -at(risk, u).derivatives
    for part in (0.01, 0.5, 1.0):
        assert bound(alphas + part * (others - alphas)) <= value + 1e-8 * (1 + abs(value))


@pytest.mark.parametrize(("risk", "smooth"), RISKS)
def test_a_trial_along_a_line_is_the_evaluation_there(risk, smooth):
    rng = np.random.default_rng(3)
    scores, moves = (risk.scores(w) for w in rng.standard_normal((2, *risk.shape)))
    here, there = risk.at(scores), risk.at(scores + 0.3 * moves)
    if smooth:
        line = risk.at(scores).line(moves)
        assert line.at(0.3).value == pytest.approx(there.value, rel=1e-9, abs=1e-9)
        ends = [risk.at(scores + t * moves).value for t in (1e-5, -1e-5)]
        slope = (ends[0] - ends[1]) / 2e-5
        assert line.derivative(0.0) == pytest.approx(slope, rel=1e-4, abs=1e-4)
    for keep in (True, False):
        trial, rate = here.along(moves, 0.3, keep=keep)
        assert trial.value == pytest.approx(there.value, rel=1e-9, abs=1e-9)
        near = {"rtol": 1e-6, "atol": 1e-6}
        if smooth:
            assert rate == pytest.approx(there.derivative_along(moves), rel=1e-6, abs=1e-6)
            np.testing.assert_allclose(trial.derivatives, there.derivatives, **near)


@pytest.mark.parametrize(
    ("risk", "smooth"),
    [each for each in RISKS if each.values[1] and "hessian" in each.values[0].offers],
)
def test_the_second_derivative_is_that_of_the_gradient(risk, smooth):
    rng = np.random.default_rng(4)
    w, d = rng.standard_normal((2, *risk.shape))
    step = 1e-5 * d

    def gradient(w):
        return risk.gradient(at(risk, w).derivatives)

    expected = (gradient(w + step) - gradient(w - step)) / 2e-5
    found = at(risk, w).hessian().product(d.ravel()).reshape(expected.shape)
    np.testing.assert_allclose(found, expected, atol=1e-4 * max(1, np.abs(expected).max()))
