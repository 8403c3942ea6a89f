"""The second derivative at weights of 0 by bytes, and by a sample, is near that of all rows."""

from types import SimpleNamespace

import numpy as np
import pytest

from rrmlinear.catalog.stages.curvature_sample import CurvatureSample, byte_matrix
from rrmlinear.data.array_rows import rows_of
from rrmlinear.losses.logistic import Logistic
from rrmlinear.risks.conditions.intercept import Intercept
from rrmlinear.risks.scalar import ScalarRisk
from rrmlinear.risks.short.tangents import ShortTangents

TASK = SimpleNamespace(choices=SimpleNamespace(seed=0))


@pytest.mark.parametrize("form", ["free", "appended", "none"])
def test_all_rows_give_the_second_derivative(form):
    rng = np.random.default_rng(0)
    n, d = 3000, 20
    mixing = rng.standard_normal((d, d)) / np.sqrt(d)
    X = (rng.standard_normal((n, d)) @ mixing + 2) * 10.0 ** rng.uniform(-1, 1, d)
    y, costs = rng.choice([-1.0, 1.0], n), rng.random(n) + 0.5
    rows = rows_of(X) if form == "none" else rows_of(X).with_bias(2.0)
    risk = ScalarRisk(rows, Logistic(), y, costs, 1, Intercept() if form == "free" else None)
    Z = np.c_[X, np.full(n, 2.0)] if form == "appended" else X
    if form == "free":
        Z = Z - costs @ Z / costs.sum()
    exact = (Z.T * costs / 4) @ Z
    first = CurvatureSample(TASK, risk, 10)
    short = ShortTangents(risk, first.mean[:d], np.sqrt(first.diagonal[:d]) / first.size)
    sample = CurvatureSample(TASK, risk, 1, first.diagonal, short)
    found = byte_matrix(TASK, risk, 1, short)
    if found is None:
        pytest.skip("this processor has no instructions that sum products of bytes")
    units = np.sqrt(exact.diagonal())
    scale = units * units[:, np.newaxis]
    for matrix in (sample.matrix(), found):
        assert np.abs((matrix - exact) / scale).max() < 0.01
