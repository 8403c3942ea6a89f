"""Losses with kinks under barriers: duals inside their bounds, and what these prove."""

import numpy as np
import pytest

from rrmlinear import Problem
from rrmlinear.losses.barrier import CrammerSingerInside, PiecesInside, WestonWatkinsInside
from rrmlinear.losses.margin import GeneralizedHinge, Hinge
from rrmlinear.losses.multiclass import CrammerSinger, WestonWatkins
from rrmlinear.losses.regression import Absolute, EpsilonInsensitive, Quantile
from rrmlinear.risks.block import BlockRisk

LOSSES = [Hinge(), GeneralizedHinge(3.0), Absolute(), EpsilonInsensitive(0.2), Quantile(0.2)]
NAMES = [type(loss).__name__ for loss in LOSSES]
MUS = [1e-9, 1e-2, 1.0]


@pytest.mark.parametrize("loss", LOSSES, ids=NAMES)
@pytest.mark.parametrize("mu", MUS)
def test_a_loss_of_one_score(loss, mu):
    y = np.where(np.arange(60) % 2 == 0, 1.0, -1.0)
    for size in (mu, 1.0, 1e3):
        a = y + size * np.random.default_rng(0).standard_normal(60)
        inside = PiecesInside(loss, mu)
        alphas = -inside.derivatives(y, a)
        gaps = loss.values(y, a) + loss.conjugates(y, alphas) + alphas * a
        scale = 1 + np.abs(a).max()
        # two terms, and 2 μ of each
        assert gaps.min() >= -1e-12 * scale
        assert gaps.max() <= 4 * mu + 1e-12 * scale
        assert (inside.values(y, a) <= loss.values(y, a) + 1e-12 * scale).all()
        if mu < 1e-3:
            continue  # differences round
        step = 1e-5 * mu
        slopes = inside.derivatives(y, a + step) - inside.derivatives(y, a - step)
        given = inside.second_derivatives(y, a)
        assert np.allclose(2 * step * given, slopes, rtol=1e-4, atol=1e-9 + 1e-12 * size / mu)
        lower, upper, _ = inside.box(y)
        assert (lower <= alphas).all()
        assert (alphas <= upper).all()


BLOCKS = {
    "weston-watkins": (WestonWatkins(), WestonWatkinsInside, 4 * 2),
    "crammer-singer": (CrammerSinger(), CrammerSingerInside, 5),
}


@pytest.mark.parametrize("mu", MUS)
@pytest.mark.parametrize("name", BLOCKS)
def test_several_scores(name, mu):
    loss, inside, most = BLOCKS[name]
    inside, labels = inside(mu), np.arange(50) % 5
    for size in (mu, 1.0, 1e3):
        scores = size * np.random.default_rng(0).standard_normal((50, 5))
        scores[np.arange(50), labels] += 1
        blocks = inside.derivatives(scores, labels)
        gaps = loss.gaps(scores, labels, blocks)
        rounding = 1e-12 * (1 + size)
        assert gaps.min() >= -rounding
        assert gaps.max() <= most * mu + rounding
        assert (inside.values(scores, labels) <= loss.values(scores, labels) + rounding).all()
        assert (blocks[np.arange(50), labels] == 0).all()


@pytest.mark.parametrize("name", BLOCKS)
def test_slopes_of_several_scores(name):
    """Derivatives are those of values, and the derivative of these is that of Newton's systems."""
    _, inside, _ = BLOCKS[name]
    chance, inside = np.random.default_rng(3), inside(0.1)
    labels = np.arange(6, dtype=np.int32) % 4
    X, W, step = chance.standard_normal((6, 3)), chance.standard_normal((3, 4)), 1e-6
    risk = BlockRisk(Problem.from_arrays(X, labels).rows, inside, labels, 4, np.ones(6))

    def at(W):
        return risk.at(risk.scores(W))

    for _ in range(5):
        D = chance.standard_normal((3, 4))
        after, before = at(W + step * D), at(W - step * D)
        slope = risk.gradient(at(W).derivatives)
        rise = (after.value - before.value) / 2 / step
        assert np.vdot(slope, D) == pytest.approx(rise, rel=1e-6, abs=1e-7)
        change = risk.gradient(after.derivatives) - risk.gradient(before.derivatives)
        product = at(W).hessian().product(D.ravel())
        assert np.allclose(product, change.ravel() / 2 / step, rtol=1e-5, atol=1e-5)
