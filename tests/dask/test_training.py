"""Training over workers has the optimum of one process, whatever form the data have."""

import subprocess
import sys
import threading

import numpy as np
import pytest
from scipy.sparse import csr_array

from rrmlinear import (
    ContainerError,
    LinearClassifier,
    Parameter,
    Problem,
    fit,
    write_container,
    write_libsvm,
)

da = pytest.importorskip("dask.array", reason="training over workers needs dask")
dask_rooms = pytest.importorskip("rrmlinear.dask")
TOLERANCE = 1e-6


def alone(X, y, parameter, weights=None):
    """The objective of one process."""
    problem = Problem.from_arrays(X, y, weights, bias=1.0)
    return fit(problem, Parameter(**{**vars(parameter), "gap_tol": 1e-9})).result.primal


def over(client, X, y, parameter, **more):
    return dask_rooms.fit(X, y, parameter, client=client, bias=1.0, wait_limit=60, **more)


def assert_solved(model, expected):
    result = model.result
    assert result.solved
    assert result.primal == pytest.approx(expected, rel=TOLERANCE)
    assert result.dual <= expected * (1 + 1e-9)


@pytest.mark.parametrize(
    ("loss", "more"),
    [
        ("squared-hinge", {}),
        ("logistic", {"regularizer": "elastic-net", "l1": 0.5}),
        ("hinge", {"class_weights": {1: 2.0}}),
        ("weston-watkins", {}),
        ("squared", {}),
    ],
)
def test_the_optimum_is_that_of_one_process(client, data, loss, more):
    X, y = data(4 if loss == "weston-watkins" else 2, n=400, d=6)
    weights = 1 + np.arange(len(y)) % 3
    parameter = Parameter(solver=32, loss=loss, C=0.01, gap_tol=TOLERANCE, **more)
    arrays = (da.from_array(each, chunks=(150, *each.shape[1:])) for each in (X, y, weights))
    dX, dy, dw = arrays
    model = over(client, dX, dy, parameter, sample_weight=dw)
    assert_solved(model, alone(X, y, parameter, weights))
    np.testing.assert_array_equal(model.predict(dX.compute()).shape, y.shape)


def test_one_class_against_the_rest(client, data):
    X, y = data(3, n=300, d=6)
    weights = 1.0 + np.arange(len(y)) % 3
    parameter = Parameter(
        solver=32, loss="squared-hinge", C=0.01, gap_tol=TOLERANCE, class_weights={2: 3.0}
    )
    rows = []
    model = over(client, X, y, parameter, sample_weight=weights, parts=2, on_pass=rows.append)
    assert_solved(model, alone(X, y, parameter, weights))
    one = fit(Problem.from_arrays(X, y, weights, bias=1.0), parameter)
    assert model.weights.shape == one.weights.shape == (7, 3)
    np.testing.assert_allclose(model.weights, one.weights, atol=2e-3)
    # each row certifies all three problems
    assert all(row.dual <= model.result.primal <= row.primal * (1 + 1e-9) for row in rows)


@pytest.mark.parametrize("loss", ["weston-watkins", "hinge", "squared"])
def test_intercepts_may_be_free(client, data, loss):
    X, y = data(2 if loss == "hinge" else 3, n=100, d=6)
    X = X + 5.0
    parameter = Parameter(solver="auto", loss=loss, C=0.01, gap_tol=TOLERANCE, free_bias=True)
    model = over(client, X, y, parameter, parts=2)
    assert_solved(model, alone(X, y, parameter))
    with pytest.raises(ValueError, match="bias above 0"):
        dask_rooms.fit(X, y, parameter, client=client)


SMOOTH = Parameter(solver=32, loss="logistic", C=0.1, gap_tol=TOLERANCE)


def test_files_and_a_bag_of_files(client, data, tmp_path):
    import dask.bag

    X, y = data()
    paths = []
    for k, own in enumerate(np.array_split(np.arange(len(y)), 3)):
        # the last columns are zero in one file, which has fewer features then
        part = X[own] * (np.arange(X.shape[1]) < 10) if k == 1 else X[own]
        X[own] = part
        problem = Problem.from_arrays(csr_array(part), y[own])
        paths.append(tmp_path / (f"{k}.txt" if k == 1 else f"{k}.rrm"))
        (write_libsvm if k == 1 else write_container)(paths[-1], problem)
    expected = alone(X, y, SMOOTH)
    assert_solved(over(client, [str(path) for path in paths], None, SMOOTH), expected)
    bag = dask.bag.from_sequence([str(path) for path in paths], npartitions=2)
    assert_solved(over(client, bag, None, SMOOTH), expected)


def test_files_are_read_as_by_one_process(client, data, tmp_path, recwarn):
    X, y = data(n=300, d=6)
    write_container(tmp_path / "p.rrm", Problem.from_arrays(X, y), block_bytes=2000)
    damaged = bytearray((tmp_path / "p.rrm").read_bytes())
    section = Problem.open(tmp_path / "p.rrm").container.header.section("values")
    damaged[section.begin + 8 * 1700] ^= 4
    (tmp_path / "p.rrm").write_bytes(damaged)
    with pytest.raises(ContainerError, match=r"p\.rrm is damaged in block \d+ of") as caught:
        over(client, tmp_path / "p.rrm", None, SMOOTH)
    assert caught.value.block > 1
    (tmp_path / "p.txt").write_text("1 1:1\n2 2:1\n1 1:3 more\n" * 2)
    with pytest.raises(ValueError, match=r"p\.txt.*line 3"):
        over(client, tmp_path / "p.txt", None, SMOOTH, strict=True)
    with pytest.warns(UserWarning, match="1 more such line") as given:
        over(client, [tmp_path / "p.txt"] * 2, None, SMOOTH, parts=2)
    assert len(given) == 1


def test_frames_with_empty_partitions(client, data):
    pandas = pytest.importorskip("pandas", reason="dataframes need pandas")
    import dask.dataframe as dd

    X, y = data()
    frame = pandas.DataFrame(X).assign(y=y)
    frames = dd.from_pandas(frame, npartitions=4, sort=False)
    some = frames[frames[0] > 0.5]
    some = dd.concat([some[some[0] > 100], some, frames[frames[0] < -100]])
    kept = X[:, 0] > 0.5
    columns = list(range(X.shape[1]))
    model = over(client, some[columns], some["y"], SMOOTH)
    assert_solved(model, alone(X[kept], y[kept], SMOOTH))
    estimator = dask_rooms.LinearClassifier("logistic", client=client, C=0.1)
    estimator.fit(some[columns], some["y"])
    assert (estimator.predict(some[columns]).compute().to_numpy() == y[kept]).mean() > 0.8
    assert 0 <= estimator.duality_gap_ <= 1e-3 * estimator.objective_


def test_futures_and_memory(client, data):
    X, y = data()
    expected = alone(X, y, SMOOTH)
    parts = [(X[own], y[own]) for own in np.array_split(np.arange(len(y)), 3)]
    nothing = (X[:0], y[:0])
    futures = client.scatter([parts[0], nothing, *parts[1:]], hash=False)
    assert_solved(over(client, futures, None, SMOOTH), expected)
    assert_solved(over(client, X, y, SMOOTH, parts=3), expected)
    assert_solved(over(client, Problem.from_arrays(csr_array(X), y), None, SMOOTH), expected)


def test_same_parts_same_bits(client, data):
    X, y = data()
    parameter = Parameter(solver=32, loss="hinge", C=0.1, gap_tol=1e-3)
    one = over(client, X, y, parameter, parts=4)
    two = over(
        client, da.from_array(X, chunks=(100, 15)), da.from_array(y, chunks=100), parameter, parts=4
    )
    assert one.weights.tobytes() == two.weights.tobytes()


def test_balanced_workers_have_the_same_optimum(client, data):
    X, y = data()
    assert_solved(over(client, X, y, SMOOTH, parts=3, balance=True), alone(X, y, SMOOTH))


def test_two_fits_at_once(client, data):
    X, y = data()
    found = {}

    def train(C):
        parameter = Parameter(solver=32, loss="logistic", C=C, gap_tol=TOLERANCE)
        found[C] = over(client, X, y, parameter), parameter

    threads = [threading.Thread(target=train, args=(C,)) for C in (0.1, 1.0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for model, parameter in found.values():
        assert_solved(model, alone(X, y, parameter))


def test_bounds_of_two_classes_are_those_of_the_scores_for_the_larger_label(client):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X @ [1.0, 1.0, -1.0] + 0.3 * rng.normal(size=60) > 0).astype(int)
    order = np.argsort(y == 0, kind="stable")
    dX, dy = (da.from_array(each[order], chunks=(30, *each.shape[1:])) for each in (X, y))
    model = dask_rooms.LinearClassifier("logistic", lower=0.0, tol=1e-6, client=client).fit(dX, dy)
    local = LinearClassifier("logistic", lower=0.0, tol=1e-9).fit(X, y)
    assert model.objective_ == pytest.approx(local.objective_, rel=1e-5)
    slopes = model.decision_function(np.eye(3)) - model.decision_function(np.zeros((1, 3)))
    assert (slopes >= -1e-12).all()
    assert slopes.max() > 1


def test_labels_may_be_names(client, data):
    pandas = pytest.importorskip("pandas", reason="dataframes need pandas")
    import dask.dataframe as dd

    X, y = data(3, n=300, d=6)
    names = np.array(["", "cat", "ant", "bee"])[y.astype(int)]
    dX = da.from_array(X, chunks=(100, 6))
    frame = dd.from_pandas(pandas.DataFrame(X).assign(y=names), npartitions=3)
    category = frame["y"].astype("category")
    for given in (frame["y"], category, frame[["y"]], names, da.from_array(names, chunks=100)):
        estimator = dask_rooms.LinearClassifier(
            "weston-watkins", client=client, C=0.1, tol=0.1, fit_intercept=False
        ).fit(dX, given)
        assert estimator.classes_.tolist() == ["ant", "bee", "cat"]
        assert estimator.score(dX, names) > 0.7
    predicted = estimator.predict(dX).compute()
    scores = estimator.decision_function(dX).compute()
    assert (estimator.classes_[scores.argmax(axis=1)] == predicted).all()
    assert (estimator.predict(frame[list(range(6))]).compute().to_numpy() == predicted).all()
    is_cat = dask_rooms.LinearClassifier("logistic", client=client, tol=0.1).fit(dX, names == "cat")
    assert is_cat.classes_.tolist() == [False, True]
    above = is_cat.decision_function(dX).compute() > 0
    assert (is_cat.predict(dX).compute() == above).all()
    with pytest.raises(ValueError, match="X has 4 features, but LinearClassifier is expecting 6"):
        estimator.predict(dX[:, :4]).compute()
    with pytest.raises(ValueError, match="y has 200 entries, but X has 300 rows"):
        estimator.fit(dX, da.from_array(y[:200], chunks=100))
    with pytest.raises(ValueError, match="loss is 'squared'; it must be one of"):
        estimator.set_params(loss="squared").fit(dX, names)
    mixed = np.array([1, "a", None] * 100, dtype=object)
    with pytest.raises(ValueError, match="cannot be sorted"):
        estimator.set_params(loss="softmax").fit(dX, da.from_array(mixed, chunks=100))


@pytest.mark.parametrize(
    ("X", "y", "more", "words"),
    [
        ([], None, {}, "empty list"),
        (np.eye(3), np.ones(3), {}, "at least two classes"),
        (np.eye(3), None, {}, "without labels"),
        (np.eye(3), np.arange(2), {}, "y has shape"),
        (
            np.eye(2),
            [0, 1],
            {"loss": "hinge", "regularizer": "linf", "free_bias": True},
            "needs a smooth loss",
        ),
        (np.eye(2), [0, 1], {"loss": "hinge", "budget": 1.0, "solver": "auto"}, "budget is not"),
        (
            np.eye(2),
            [0, 1],
            {"free_bias": True, "class_weights": {1: 0.0}},
            "label 1 are without a cost",
        ),
        (da.ones((4, 2), chunks=(2, 2)), np.arange(3), {}, "y has 3 entries"),
    ],
)
def test_errors_are_sentences(client, X, y, more, words):
    parameter = Parameter(**{"loss": "logistic", **more})
    with pytest.raises(ValueError, match=words):
        over(client, X, y, parameter)


@pytest.mark.parametrize(
    ("X", "y", "more", "words"),
    [
        (np.eye(2), [0, 1], {"parts": 0}, "parts must be a whole number from 1 on"),
        (np.eye(2), [0, 1], {"parts": 2.5}, "got 2.5"),
        (np.eye(2), [0, 1], {"wait_limit": 0}, "wait_limit must be above 0"),
        ({"a": 1}, [0, 1], {}, "X must be a dask collection, paths, futures or a matrix, got dict"),
        (np.zeros((2, 0)), [0, 1], {}, "no features"),
        (
            da.ones((4, 2), chunks=(2, 2)),
            da.full(4, np.nan, chunks=2),
            {},
            "block 0 of the data: y",
        ),
    ],
)
def test_errors_of_arguments_are_sentences(client, X, y, more, words):
    with pytest.raises(ValueError, match=words):
        dask_rooms.fit(X, y, Parameter(loss="logistic"), client=client, **more)


def test_a_future_holds_no_more_than_weights(client):
    future = client.scatter([(np.eye(2), [0, 1], [1, 1], [1, 1])], hash=False)[0]
    with pytest.raises(ValueError, match="got 4 values"):
        dask_rooms.fit([future], None, Parameter(loss="logistic"), client=client)


def test_a_fit_without_a_client_says_how_to_make_one():
    program = "from rrmlinear.dask import LinearRegressor; LinearRegressor().fit([[1.0]], [1.0])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "ValueError: there is no client of Dask: client = distributed.Client(" in done.stderr
