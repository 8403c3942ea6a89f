"""Losses of ranks and of times: solver types find one optimum, and refuse what has no effect."""

import numpy as np
import pytest

from rrmlinear import Parameter, Problem, fit
from rrmlinear.catalog.losses import ORDER_LOSSES
from rrmlinear.core.records import replace

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 4))
GRADES = np.digitize(X[:, 0] + rng.normal(size=60), [-0.5, 0.5]).astype(float)
TIMES = rng.exponential(size=60) * np.where(rng.random(60) < 0.3, -1.0, 1.0)
GROUPS = rng.integers(0, 4, 60)


def problem_of(loss, units=1.0):
    y = TIMES if loss.startswith("cox") else GRADES
    return replace(Problem.from_arrays(X * units, y), query_ids=GROUPS)


@pytest.mark.parametrize("loss", ORDER_LOSSES)
@pytest.mark.parametrize("solver", [35, 36, 39, 40, "auto"])
def test_solver_types_agree(loss, solver):
    found = fit(problem_of(loss), Parameter(solver=solver, loss=loss, C=0.1, gap_tol=1e-4)).result
    best = fit(problem_of(loss), Parameter(loss=loss, C=0.1, gap_tol=1e-7)).result
    assert found.solved
    assert 0 <= found.last.gap <= 1e-4 * found.primal
    assert best.dual * (1 - 1e-9) <= found.primal <= best.primal * (1 + 1e-4)
    assert found.dual <= best.primal * (1 + 1e-9)


@pytest.mark.parametrize("loss", ORDER_LOSSES)
@pytest.mark.parametrize(
    "choices",
    [
        {"regularizer": "l1", "radius": 1.0},
        {"regularizer": "group-lasso", "groups": [[0, 1], [2, 3]]},
        {"lower": 0.0},
        {"penalty_factors": [0.0, 1.0, 2.0, 1.0]},
    ],
)
def test_other_regularizers_have_a_gap(loss, choices):
    of_times = 10.0, 1e-7, 50, [1.0, 30.0, 0.1, 3.0]
    C, tol, passes, units = of_times if loss.startswith("cox") else (0.1, 1e-3, 100_000, 1.0)
    parameter = Parameter(loss=loss, C=C, gap_tol=tol, max_passes=passes, **choices)
    result = fit(problem_of(loss, units), parameter).result
    assert result.solved
    assert 0 <= result.last.gap <= tol * result.primal


@pytest.mark.parametrize("loss", ORDER_LOSSES)
@pytest.mark.parametrize(
    "choices",
    [
        {"solver": 35, "route": "dual"},
        {"solver": 39, "budget": 2.0},
        {"solver": 42},
        {"solver": "newton"},
        {"class_weights": {1: 2.0}},
        {"smoothing": 0.1},
    ],
)
def test_what_has_no_effect_is_refused(loss, choices):
    with pytest.raises(ValueError, match=rf"{loss}|smoothing|needs"):
        fit(problem_of(loss), Parameter(loss=loss, **choices))


def test_an_offset_is_refused():
    problem = replace(problem_of("rank-hinge"), offset=np.ones(60))
    with pytest.raises(ValueError, match="loss rank-hinge takes no offset"):
        fit(problem, Parameter(loss="rank-hinge"))
