"""The dual steps of a whole risk: those of its loss, and no worse than any other point."""

import numpy as np
import pytest
from members import CLASS_LOSSES, KINKED_LOSSES, SCALAR_LOSSES, SMOOTHED_LOSSES
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.losses import margin, regression
from rrmlinear.losses.margin import Logistic
from rrmlinear.risks.scores import BlockRisk, ScalarRisk

N, D = 40, 6
LOSSES = SCALAR_LOSSES | SMOOTHED_LOSSES


def scalar_risk(loss):
    rng = np.random.default_rng(4)
    y = rng.choice([-1.0, 1.0], N)
    if np.isinf(loss.lipschitz) and not loss.smoothing > 0:  # counts and amounts
        y = np.abs(y)
    rows = Problem.from_arrays(csr_array(rng.standard_normal((N, D))), y).rows
    return ScalarRisk(rows, loss, y, rng.random(N)), y, rng


@pytest.mark.parametrize("loss", LOSSES.values(), ids=list(LOSSES))
def test_steps_are_those_of_the_loss_and_better_than_a_fine_search(loss):
    risk, y, rng = scalar_risk(loss)
    scores, curvatures = 2 * rng.standard_normal(N), rng.uniform(0.1, 5, N)
    alphas = 0.3 * y * rng.random(N)
    steps = risk.dual_steps(scores, alphas, curvatures)[0]
    one_by_one = loss.dual_steps(y, scores, alphas, curvatures)
    np.testing.assert_allclose(steps, one_by_one, rtol=1e-13, atol=1e-15)

    def rise(tried):
        squares = curvatures / 2 * (tried - alphas) ** 2
        return -loss.conjugates(y, tried) - scores * tried - squares

    best = rise(steps)
    assert np.isfinite(best).all()
    for away in np.linspace(-2, 2, 401):
        assert (rise(alphas + away) <= best + 1e-12 * (1 + abs(best))).all()


@pytest.mark.parametrize("loss", KINKED_LOSSES.values(), ids=list(KINKED_LOSSES))
@pytest.mark.parametrize("mu", [1e-6, 0.3, 10.0])
def test_steps_from_zero_are_the_derivatives_of_the_smoothed_loss(loss, mu):
    risk, y, rng = scalar_risk(loss)
    scores = 2 * rng.standard_normal(N)
    smoothed = ScalarRisk(risk.rows, loss.smoothed(mu), y, risk.costs)
    np.testing.assert_allclose(
        risk.dual_steps(scores, 0.0, mu)[0],
        -smoothed.at(scores).derivatives,
        rtol=1e-12,
        atol=1e-14,
    )


@pytest.fixture(params=CLASS_LOSSES.values(), ids=list(CLASS_LOSSES))
def block_risk(request):
    rng = np.random.default_rng(5)
    k = 4
    label = rng.integers(0, k, N).astype(np.int32)
    rows = Problem.from_arrays(csr_array(rng.standard_normal((N, D))), label).rows
    return BlockRisk(rows, request.param, label, k, rng.random(N)), label, k, rng


def test_steps_of_blocks_are_those_of_the_loss_and_better_than_others(block_risk):
    risk, label, k, rng = block_risk
    scores, curvatures = rng.standard_normal((N, k)), rng.uniform(0.1, 5, N)
    alphas = -risk.at(rng.standard_normal((N, k))).derivatives
    steps = risk.dual_steps(scores, alphas, curvatures)[0]
    np.testing.assert_allclose(steps.sum(axis=1), 0, atol=1e-14)
    own = np.arange(N), label
    blocks, new = -alphas, -steps
    blocks[own] = new[own] = 0
    np.testing.assert_array_equal(
        new, risk.loss.solve_blocks(scores, label, blocks, curvatures, 1.0)
    )
    W = rng.standard_normal((D, k))
    assert risk.complete(W) is W

    def rise(tried):
        blocks = -tried
        blocks[own] = 0
        squares = curvatures / 2 * ((tried - alphas) ** 2).sum(axis=1)
        return -risk.loss.conjugates(blocks, label) - (scores * tried).sum(axis=1) - squares

    best = rise(steps)
    for part in (0.01, 0.1, 1.0):
        for _ in range(200):  # derivatives elsewhere are feasible, and so is what lies between
            others = -risk.at(3 * rng.standard_normal((N, k))).derivatives
            assert (rise(steps + part * (others - steps)) <= best + 1e-10).all()


@pytest.mark.parametrize(
    "loss", [CLASS_LOSSES[name] for name in ("crammer-singer", "weston-watkins")]
)
def test_steps_of_blocks_attain_the_smoothed_value(loss):
    """−φ*(−α) − m'α − ½ μ ‖α‖² at the steps from 0 is the smoothed loss, in the norm of all k."""
    rng = np.random.default_rng(6)
    label = rng.integers(0, 3, N).astype(np.int32)
    rows = Problem.from_arrays(csr_array(np.ones((N, 1))), label).rows
    risk = BlockRisk(rows, loss, label, 3, np.ones(N))
    scores = rng.standard_normal((N, 3))
    steps = risk.dual_steps(scores, 0.0, 1e-7)[0]
    attained = -risk.conjugate(steps) - (scores * steps).sum()
    assert attained == pytest.approx(risk.at(scores).value, abs=1e-6 * N)


def problem(form, n, d, bias=-1.0):
    rng = np.random.default_rng(n + d)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.3)
    y = np.sign(rng.standard_normal(n))
    if form == "sparse":
        X = csr_array(X)
    elif form == "float32":
        X = X.astype(np.float32)
    return Problem.from_arrays(X, y, bias=bias), y, rng.uniform(0, 2, n), rng


def assert_agrees(risk, w, alphas, curvature=0.7):
    scores = risk.scores(w)
    steps, _ = risk.dual_steps(scores, alphas, curvature)
    ours = risk.sweep(w, alphas, curvature)
    theirs = steps, risk.gradient(steps), risk.at(scores).value
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-12, atol=1e-12)
    scale = np.abs(theirs[1]).max(initial=1)
    np.testing.assert_allclose(ours[1], theirs[1], atol=1e-12 * scale)
    assert ours[2] == pytest.approx(theirs[2], rel=1e-12)
    again, image, value, _ = risk.sweep(w, alphas, curvature, False)
    assert np.isnan(value)
    assert np.array_equal(again, ours[0])
    assert np.array_equal(image, ours[1])


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("bias", [-1.0, 0.5])
@pytest.mark.parametrize("form", ["sparse", "dense", "float32"])
@pytest.mark.parametrize("shape", [(1, 1), (3000, 3), (9000, 40), (300, 1200)])
@pytest.mark.parametrize("loss", [margin.Hinge(), Logistic(), regression.Quantile(0.2)])
def test_a_sweep_is_its_parts(loss, shape, form, bias, threads):
    given, y, costs, rng = problem(form, *shape, bias=bias)
    risk = ScalarRisk(given.rows, loss, y, costs, threads)
    alphas = -risk.at(rng.standard_normal(shape[0])).derivatives
    assert_agrees(risk, rng.standard_normal(given.rows.width), alphas)
    assert_agrees(risk, np.zeros(given.rows.width), 0.0)


def test_the_same_threads_give_the_same_bits():
    given, y, costs, rng = problem("dense", 9000, 40)
    w = rng.standard_normal(40)
    for threads in (1, 2):
        results = [
            ScalarRisk(given.rows, margin.Hinge(), y, costs, threads).sweep(w, 0.0, 1.0)
            for _ in range(3)
        ]
        assert all(np.array_equal(results[0][1], other[1]) for other in results)
        assert all(results[0][2] == other[2] for other in results)
