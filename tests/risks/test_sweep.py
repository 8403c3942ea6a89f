"""A sweep is scores, dual steps, their image and the value, in one way through memory."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import Problem
from rrmlinear.losses import margin, regression
from rrmlinear.losses.margin import Logistic
from rrmlinear.risks.scores import ScalarRisk


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
