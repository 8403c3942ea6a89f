"""Which method begins."""

import numpy as np
from scipy.sparse import csr_array

import rrmlinear
from rrmlinear.catalog import second_order_builders
from rrmlinear.solvers.loop.result import Status


def test_softmax_on_images_with_rare_pixels_is_left_to_the_ascent_while_it_is_quick(monkeypatch):
    """4 000 weights: systems of Newton's method take as long as many passes of the ascent."""
    rng = np.random.default_rng(0)
    n, d, k = 1500, 400, 10
    often = 10.0 ** -rng.uniform(0, 3, d)
    X = rng.random((n, d)) * (rng.random((n, d)) < often)
    X[0, :2] = 1e-5, 1e-4  # columns of very uneven lengths
    X[1:, :2] = 0
    label = (X @ rng.standard_normal((d, k)) + 0.3 * rng.standard_normal((n, k))).argmax(axis=1)

    def refuse(*_):
        raise AssertionError("Newton's method is not needed")

    monkeypatch.setattr(second_order_builders, "newton", refuse)
    problem = rrmlinear.Problem.from_arrays(csr_array(X), label)
    choices = rrmlinear.Parameter(solver="auto", loss="softmax", C=0.1, gap_tol=1e-6)
    assert rrmlinear.fit(problem, choices).result.status is Status.SOLVED
