"""train and predict with --offset and --exposure."""

import numpy as np
import pytest

from rrmlinear import PoissonRegressor, Problem, write_container
from rrmlinear.training.model import Model

N, D = 300, 40
TRAIN = ("--loss", "poisson", "--gap-tol", "1e-10")


@pytest.fixture
def counts(folder):
    """Counts in exposures, as text, a container and a table, and scikit-learn's arrays of them."""
    rng = np.random.default_rng(0)
    X, e = rng.normal(size=(N, D)), rng.uniform(0.2, 3, N)
    y = rng.poisson(e * np.exp(0.4 * X[:, 0] - 0.2 * X[:, 1])).astype(float)
    lines = [
        f"{label:g} " + " ".join(f"{j}:{v!r}" for j, v in enumerate(x, 1))
        for label, x in zip(y, X.tolist(), strict=True)
    ]
    (folder / "a.txt").write_text("\n".join(lines))
    np.savetxt("e.txt", e)
    np.save("o.npy", np.log(e))
    rows = np.column_stack([y, X, e])
    header = ",".join(["y", *(f"x{j}" for j in range(D)), "hours"])
    np.savetxt("a.csv", rows, delimiter=",", header=header, comments="", fmt="%.17g")
    write_container("a.rrm", Problem.from_arrays(X, y))
    return X, y, e


@pytest.mark.parametrize(
    "given",
    [
        ("--exposure", "e.txt", "a.txt"),
        ("--offset", "o.npy", "a.txt"),
        ("--exposure", "a.csv:hours", "a.rrm"),
        ("--exposure", "hours", "a.csv"),
        ("--cache", "--exposure", "e.txt", "a.txt"),
    ],
)
def test_every_form_has_the_minimum_and_the_means(counts, train, predict, given):
    X, y, e = counts
    if given[-1] == "a.csv":
        pytest.importorskip("pyarrow")
    known = PoissonRegressor(alpha=1 / N, fit_intercept=False, tol=1e-10).fit(X, y, exposure=e)
    for _ in range(2):  # the second time from the cache where one was asked for
        train.done(*TRAIN, *given, "model")
        np.testing.assert_allclose(Model.load("model").weights[:, 0], known.coef_, atol=1e-5)
    of_reading = [each for each in given if each != "--cache"]
    assert predict(*of_reading, "model", "means").code == 0
    np.testing.assert_allclose(np.loadtxt("means"), known.predict(X, exposure=e), rtol=1e-4)


def test_rows_that_are_streamed_have_offsets(counts, train, small_blocks):
    whole = train(*TRAIN, "--exposure", "e.txt", "a.rrm", "whole")
    done = train(*TRAIN, "--memory", "100K", "--exposure", "e.txt", "a.rrm", "model")
    assert done.code == whole.code == 0, done.err
    assert "examples are streamed in" in done.out
    np.testing.assert_allclose(Model.load("model").weights, Model.load("whole").weights, atol=1e-5)


@pytest.mark.parametrize("memory", [(), ("--memory", "1M")])
def test_folds_have_their_own_offsets(counts, train, memory):
    # a constant offset is one of the intercept alone, and cannot change what is predicted
    np.savetxt("two.txt", np.full(N, 2.0))
    given = *TRAIN, "-B", "1", "-R", "-v", "4", *memory
    file = "a.rrm" if memory else "a.txt"
    errors = [
        float(train(*given, *offset, file).out.split("Mean squared error = ")[1].split()[0])
        for offset in ((), ("--offset", "two.txt"), ("--exposure", "e.txt"))
    ]
    assert errors[1] == pytest.approx(errors[0], rel=1e-4)
    assert errors[2] < errors[0]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (("--loss", "hinge", "--offset", "e.txt"), "it is for losses of numbers"),
        (("--loss", "crf", "--offset", "e.txt"), "it is for losses of numbers"),
        (("--loss", "binomial", "--offset", "e.txt"), "give shares of trials, and the numbers"),
        (("--loss", "poisson", "--offset", "e.txt", "--exposure", "e.txt"), "offset and exposure"),
        (
            ("--loss", "poisson", "--exposure", "short.txt"),
            "short.txt has 2 numbers, and there are",
        ),
        (("--loss", "poisson", "--exposure", "low.txt"), "exposure[0] is -1; it must be finite"),
        (("--loss", "poisson", "--exposure", "none.txt"), "] is 0 and y["),
        (("--loss", "poisson", "--offset", "no.txt"), "can't open input file"),
    ],
)
def test_refused(counts, train, given, sentence):
    np.savetxt("short.txt", [1.0, 2.0])
    np.savetxt("low.txt", np.full(N, -1.0))
    e = np.ones(N)
    e[np.flatnonzero(counts[1])] = 0
    np.savetxt("none.txt", e)
    assert sentence in train.error(*given, "a.txt", "model")


def test_models_of_classes_predict_without_offsets(counts, train, predict, convert):
    assert train("-s", "2", "a.txt", "model").code == 0
    error = predict.error("--offset", "o.npy", "a.txt", "model", "out")
    assert "--offset is for models of numbers, and loss squared-hinge has labels" in error
    done = convert("--offset", "o.npy", "a.txt", "b.rrm")
    assert "--offset is for train and predict, which take it beside the output, too" in done.err
