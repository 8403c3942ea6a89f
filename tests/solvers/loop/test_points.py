"""What solvers know of a point saves rules their products, and is that of its weights."""

import subprocess
import sys

import numpy as np
import pytest
from members import SCALAR_LOSSES as LOSSES
from members import scalar_problem

from rrmlinear.regularizers.separable import L2
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.solvers.dual.accelerated import Accelerated
from rrmlinear.solvers.dual.prox_sdca import ProxSDCA
from rrmlinear.solvers.loop.rules.rule import Rule
from rrmlinear.solvers.loop.stopping import Stopping
from rrmlinear.solvers.second_order.newton import Newton

COSTS = np.linspace(0.5, 4, 60)


class Never(Rule):
    """A rule that never holds and keeps the points that it saw."""

    def __init__(self, risk, tolerance):
        super().__init__(risk, tolerance)
        self.points = []

    def ratio(self, point):
        self.points.append(point)
        return 2.0


def ascent(problem, loss, omega):
    return ProxSDCA(problem.rows, problem.labels, COSTS, loss, omega)


MAKERS = {
    "newton": lambda problem, loss, risk: Newton(risk, L2()),
    "ascent": lambda problem, loss, risk: ascent(problem, loss, L2()),
    "accelerated": lambda problem, loss, risk: Accelerated(
        lambda omega: ascent(problem, loss, omega), L2(), 2
    ),
}


@pytest.mark.parametrize("form", ["sparse", "dense"])
@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("maker", MAKERS)
def test_known_scores_and_gradients_are_those_of_the_weights(maker, name, form):
    problem, X, _ = scalar_problem(name, form)
    loss = LOSSES[name]
    risk = ScalarRisk(problem.rows, loss, problem.labels, COSTS)
    solver = MAKERS[maker](problem, loss, risk)
    solver.rule = rule = Never(risk, 1.0)
    solver.solve(Stopping(gap_tol=1e-6, max_passes=30))
    assert rule.points
    for point in rule.points:
        if point.scores is not None:
            scores = X @ point.weights
            assert point.scores == pytest.approx(scores, rel=1e-9, abs=1e-9)
        if point.gradient is not None:
            gradient = risk.gradient(loss.derivatives(problem.labels, X @ point.weights))
            scale = np.abs(gradient).max()
            assert point.gradient == pytest.approx(gradient, rel=1e-7, abs=1e-7 * scale)
    assert maker == "newton" or any(point.scores is not None for point in rule.points)


def test_a_rule_is_not_looked_at_while_the_gap_is_too_wide_for_it():
    name = "logistic" if "logistic" in LOSSES else next(iter(LOSSES))
    problem, _, _ = scalar_problem(name, "dense")
    risk = ScalarRisk(problem.rows, LOSSES[name], problem.labels, COSTS)
    seen = {}
    for widest in (np.inf, 1e-3):
        solver = ascent(problem, LOSSES[name], L2())
        solver.rule = rule = Never(risk, 1.0)
        rule.widest_gap = widest
        result = solver.solve(Stopping(gap_tol=1e-8, max_passes=200))
        assert result.solved
        seen[widest] = len(rule.points)
    assert 0 < seen[1e-3] < seen[np.inf]


def test_reading_the_options_loads_no_solver():
    code = (
        "import sys, rrmlinear.cli.options\n"
        "print([name for name in sys.modules if name.startswith('rrmlinear.solvers.')])"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    for name in (
        "newton",
        "prox_sdca",
        "pdprox",
        "bmrm",
        "agm",
        "feature_newton",
        "pegasos",
        "lbfgs",
    ):
        assert f".{name}'" not in loaded.stdout
