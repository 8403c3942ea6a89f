"""The solvers of the general estimators: certificates, intercepts, constraints, starts."""

import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris

import rrmlinear
from rrmlinear import LinearClassifier
from rrmlinear.catalog.losses import LOSSES
from rrmlinear.catalog.solvers import SOLVERS as TYPES
from rrmlinear.estimators.objective import SOLVERS
from rrmlinear.solvers.loop.result import Status

KINDS = {name: TYPES[number] for name, number in SOLVERS.items()}
FREE = [name for name, kind in KINDS.items() if "free_bias" in kind.choices]


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_path_by_this_solver(two_classes, solver):
    X, y = two_classes
    loss = "smooth-hinge" if "smooth" in KINDS[solver].needs[0] else "squared-hinge"
    choices = {"loss": loss, "solver": solver, "tol": 1e-7}
    choices["fit_intercept"] = solver in FREE
    path = rrmlinear.path(X + 3, y, Cs=[0.1, 0.01], **choices)
    assert_array_equal(path.Cs, [0.01, 0.1])
    for at, C in enumerate(path.Cs):
        alone = LinearClassifier(C=C, **choices).fit(X + 3, y)
        assert path.primals[at] == pytest.approx(alone.trace_[-1].primal, rel=2e-7)
        assert path.gaps[at] <= 1e-7 * max(1, path.primals[at])


@pytest.mark.parametrize("regularizer", ["l2", "l1", "l21", "group-lasso"])
@pytest.mark.parametrize("loss", [row.name for row in LOSSES.values() if row.kind == "multiclass"])
def test_intercepts_of_losses_of_all_classes_have_no_penalty(loss, regularizer):
    X, y = load_iris(return_X_y=True)
    choices = {"regularizer": regularizer, "tol": 1e-5}
    choices |= {"groups": [0, 0, 1, 1]} if regularizer == "group-lasso" else {}
    model = LinearClassifier(loss, **choices).fit(X, y)
    assert model.status_ is Status.SOLVED
    assert 0 <= model.duality_gap_ <= 1e-5 * model.objective_
    # the same where the data are moved, and never above the regularized one's
    moved = LinearClassifier(loss, **choices).fit(X + [3.0, -1.0, 0.0, 2.0], y)
    assert moved.objective_ == pytest.approx(model.objective_, rel=2e-5)
    other = LinearClassifier(loss, **choices, fit_intercept="regularized").fit(X, y)
    assert model.objective_ < other.objective_
