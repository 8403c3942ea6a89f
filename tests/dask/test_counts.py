"""Counts, costs and shares over workers have the optimum of one process, with offsets."""

import numpy as np
import pytest

from rrmlinear import LinearRegressor, Parameter, Problem, fit

da = pytest.importorskip("dask.array", reason="training over workers needs dask")
rooms = pytest.importorskip("rrmlinear.dask")
rng = np.random.default_rng(0)
N = 300
X = rng.normal(size=(N, 6)) / 2
E = rng.uniform(0.5, 3.0, N)
MEANS = np.exp(X[:, 0] - X[:, 1] + 0.5)
LABELS = {
    "poisson": rng.poisson(E * MEANS).astype(float),
    "gamma": rng.gamma(2, E * MEANS / 2),
    "tweedie": rng.poisson(E * MEANS) * rng.gamma(2.0, 1.0, N),
    "binomial": rng.binomial(5, 1 / (1 + np.exp(-X[:, 0]))) / 5,
}


@pytest.mark.parametrize(
    ("loss", "regularizer", "free_bias"),
    [
        ("poisson", "l2", True),
        ("gamma", "l1", None),
        ("tweedie", "elastic-net", True),
        ("binomial", "l1", None),
        ("poisson", "l1", True),
    ],
)
def test_the_optimum_is_that_of_one_process(client, loss, regularizer, free_bias):
    more = {"power": 1.5} if loss == "tweedie" else {}
    more |= {"l1": 0.5} if regularizer == "elastic-net" else {}
    choices = Parameter(
        loss=loss, regularizer=regularizer, C=0.1, gap_tol=1e-4, free_bias=free_bias, **more
    )
    weights = rng.integers(0, 3, N).astype(float)
    given = {} if loss == "binomial" else {"exposure": E}
    whole = Problem.from_arrays(X, LABELS[loss], weights, bias=1.0, **given)
    one = fit(whole, choices).result
    how = {"bias": 1.0, "parts": 3, "client": client}
    data = X, LABELS[loss], choices
    over = rooms.fit(*data, sample_weight=weights, **given, **how).result
    assert over.solved
    assert over.primal == pytest.approx(one.primal, rel=2e-4)
    assert over.dual <= one.primal


def test_the_class_takes_offsets_of_arrays_and_collections(client):
    here = LinearRegressor("poisson", C=0.1, tol=1e-5)
    over = rooms.LinearRegressor("poisson", C=0.1, tol=1e-5, client=client)
    y, chunks = LABELS["poisson"], (200, 6)
    here.fit(X, y, exposure=E)
    dX, dy, dE = da.from_array(X, chunks), da.from_array(y, 200), da.from_array(E, 150)
    for given, exposure in (((X, y), E), ((dX, dy), dE)):
        over.fit(*given, exposure=exposure)
        np.testing.assert_allclose(over.coef_, here.coef_, atol=3e-3)
        expected = here.score(X, y, exposure=E)
        assert over.score(*given, exposure=exposure) == pytest.approx(expected, rel=1e-3)
    over.fit(Problem.from_arrays(X, y, exposure=E))
    np.testing.assert_allclose(over.coef_, here.coef_, atol=3e-3)
    over.fit(dX, dy)
    assert over.score(dX, dy) == pytest.approx(over.score(X, y))
    np.testing.assert_allclose(over.predict(dX).compute(), over.predict(X))


def test_what_is_refused(client):
    y = LABELS["poisson"]
    for labels, choices, more, sentence in (
        (y - 1, {"loss": "poisson"}, {}, "labels are -1 to"),
        (y, {"loss": "poisson"}, {"exposure": -E}, r"exposure\[0\] is -"),
        (y, {"loss": "poisson"}, {"exposure": E, "offset": E}, "offset and exposure are given"),
        (y, {"loss": "hinge"}, {"offset": E}, "it is for losses of numbers"),
        (y, {"loss": "cox-efron"}, {}, "a part does not know the examples of others"),
        (y, {"loss": "rank-hinge"}, {}, "a part does not know the examples of others"),
    ):
        labels = np.sign(labels) if choices["loss"] == "hinge" else labels
        with pytest.raises(ValueError, match=sentence):
            rooms.fit(X, labels, Parameter(**choices), client=client, **more)
    none = E.copy()
    at = np.flatnonzero(y)[-1]
    none[at] = 0
    with pytest.raises(ValueError, match=rf"exposure\[{at}\] is 0 and y\[{at}\] is"):
        rooms.fit(X, y, Parameter(loss="poisson"), client=client, parts=3, exposure=none)
