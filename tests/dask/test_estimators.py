"""Estimators over workers have the problem, parameters and attributes of those of their names."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.preprocessing import StandardScaler

import rrmlinear
from rrmlinear import Parameter, Problem, write_container

da = pytest.importorskip("dask.array", reason="training over workers needs dask")
rooms = pytest.importorskip("rrmlinear.dask")
CANCER = load_breast_cancer(return_X_y=True)
CANCER = StandardScaler().fit_transform(CANCER[0])[::2, :8], CANCER[1][::2]
IRIS = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def client():
    """A cluster of threads: no process starts."""
    distributed = pytest.importorskip("distributed")
    how = {"n_workers": 1, "threads_per_worker": 2, "processes": False}
    pages = {"dashboard_address": "127.0.0.1:0", "silence_logs": "CRITICAL"}
    with distributed.LocalCluster(**how, **pages) as cluster, distributed.Client(cluster) as client:
        yield client


def chunked(*arrays):
    return [da.from_array(each, chunks=(150, *each.shape[1:])) for each in arrays]


def both(kind, X, y, weights=None, **parameters):
    """The estimator of one process, and that of workers, fitted to chunks."""
    parameters = {"tol": 1e-5} | parameters
    one = getattr(rrmlinear, kind)(**parameters).fit(X, y, weights)
    over = getattr(rooms, kind)(**parameters)
    over.fit(*chunked(X, y), None if weights is None else chunked(weights)[0])
    return one, over


def assert_same(one, over, X, atol=1e-2):
    assert over.objective_ == pytest.approx(one.objective_, rel=2 * over.tol)
    assert 0 <= over.duality_gap_ <= over.tol * over.objective_
    assert over.status_ is one.status_
    assert over.n_features_in_ == one.n_features_in_
    assert set(vars(one)) <= set(vars(over))
    assert np.shape(over.intercept_) == np.shape(one.intercept_)
    assert over.coef_.shape == one.coef_.shape
    np.testing.assert_allclose(over.coef_, one.coef_, atol=atol)
    np.testing.assert_allclose(over.predict(X), over.predict(chunked(X)[0]).compute())


@pytest.mark.parametrize(
    "parameters",
    [
        {},  # the hinge, an intercept without a penalty
        {"fit_intercept": "regularized", "intercept_scaling": 2.0},
        {"loss": "squared-hinge", "fit_intercept": False, "C": 0.1},
        {"loss": "logistic", "alpha": 0.01, "class_weight": "balanced"},
        {"loss": "logistic", "regularizer": "l1", "C": 0.1, "tol": 1e-3},
        {"loss": "softmax", "C": 0.1},
    ],
)
def test_two_classes_have_the_problem_of_one_process(client, parameters):
    X, y = CANCER
    one, over = both("LinearClassifier", X, y, **parameters)
    assert_same(one, over, X, 5e-2)
    assert over.classes_.tolist() == [0, 1]
    assert over.classes_.dtype == y.dtype
    assert ((over.decision_function(chunked(X)[0]).compute() > 0) == over.predict(X)).all()


@pytest.mark.parametrize("loss", ["weston-watkins", "logistic"])
def test_classes_and_weights(client, loss):
    X, y = IRIS
    weights = 1.0 + np.arange(len(y)) % 3 + (y == 0)
    more = {"class_weight": "balanced", "alpha": 0.01}
    one, over = both("LinearClassifier", X, y, weights, loss=loss, **more)
    assert_same(one, over, X)
    assert over.decision_function(chunked(X)[0]).compute().shape == (150, 3)
    if loss == "logistic":
        found = over.predict_proba(chunked(X)[0]).compute()
        np.testing.assert_allclose(found, one.predict_proba(X), atol=1e-2)
    else:
        assert not hasattr(over, "predict_proba")


def test_regressions(client):
    X, y = CANCER[0][:, 1:], CANCER[0][:, 0]
    weights = 1.0 + np.arange(len(y)) % 2
    for parameters in ({"alpha": 0.1}, {"loss": "huber", "C": 0.1}):
        one, over = both("LinearRegressor", X, y, weights, **parameters)
        assert_same(one, over, X)
        assert isinstance(over.intercept_, float)
        assert over.score(*chunked(X, y)) == pytest.approx(one.score(X, y), abs=1e-4)


def test_columns_without_a_penalty_may_have_large_weights(client):
    X = np.vstack([np.eye(2), -np.eye(2), [[1, 1], [-1, 1]]])
    y = 1e6 * X[:, 0] + X[:, 1]
    one, over = both("LinearRegressor", X, y, penalty_factors=[0.0, 1.0], fit_intercept=False)
    assert over.coef_[0] == pytest.approx(1e6, rel=1e-6)
    with pytest.raises(ValueError, match="errors do not hold with penalty_factors"):
        over.summary(X, y)  # not a sentence on offsets
    assert over.objective_ == pytest.approx(one.objective_, rel=1e-3)
    with pytest.raises(ValueError, match=r"y and .* X is a Problem.* the third argument"):
        rooms.fit(Problem.from_arrays(X, y), Parameter(loss="squared"))


def test_data_of_the_client_are_checked_as_in_one_process(client, tmp_path):
    X, y = CANCER
    names = np.array(["bad", "good"])[y]
    write_container(tmp_path / "p.rrm", Problem.from_arrays(X, y))
    expected = rrmlinear.LinearClassifier("logistic").fit(X, y).objective_
    over = rooms.LinearClassifier("logistic")
    given = (X, names), (csr_array(X), y), (str(tmp_path / "p.rrm"),)
    for each in (*given, (Problem.open(tmp_path / "p.rrm"),)):
        assert over.fit(*each).objective_ == pytest.approx(expected, rel=2e-4)
        assert over.score(*each) > 0.9
    assert over.fit(X, names).classes_.tolist() == ["bad", "good"]
    named = {"label_names": ("bad", "good"), "feature_names": [str(j) for j in range(X.shape[1])]}
    write_container(tmp_path / "n.rrm", replace(Problem.from_arrays(X, y + 1), **named))
    for each in (str(tmp_path / "n.rrm"), Problem.open(tmp_path / "n.rrm")):
        assert over.fit(each).classes_.tolist() == ["bad", "good"]
        assert over.feature_names_in_.tolist() == named["feature_names"]
    with pytest.raises(ValueError, match="contains NaN"):
        over.fit(np.full((3, 2), np.nan), [0, 1, 0])
    with pytest.raises(ValueError, match="needs samples of at least 2 classes"):
        over.fit(X, np.zeros(len(y)))
    with pytest.raises(ValueError, match="sample_weight is zero for all"):
        over.fit(X, y, np.zeros(len(y)))


def test_names_of_columns(client):
    pandas = pytest.importorskip("pandas", reason="dataframes need pandas")
    dd = pytest.importorskip("dask.dataframe")
    X, y = IRIS
    frame = dd.from_pandas(pandas.DataFrame(X, columns=list("abcd")).assign(y=y), npartitions=3)
    over = rooms.LinearClassifier("softmax").fit(frame[list("abcd")], frame["y"])
    assert over.feature_names_in_.tolist() == list("abcd")
    assert (over.predict(frame[list("abcd")]).compute() == y).mean() > 0.95
    assert over.predict_proba(frame[list("abcd")]).compute().shape == (150, 3)
    with pytest.raises(ValueError, match="other columns than the fit had"):
        over.predict(frame[list("badc")])


def test_copies_have_the_client_and_pickles_have_none(client):
    X, y = CANCER
    over = rooms.LinearClassifier("logistic", client=client, C=2.0).fit(X, y)
    again = clone(over)
    assert again.client is client
    assert again.get_params() == over.get_params()
    assert not hasattr(again, "coef_")
    read = pickle.loads(pickle.dumps(over))
    assert read.client is None
    assert over.client is client
    np.testing.assert_array_equal(read.predict_proba(X), over.predict_proba(X))
    assert read.fit(X, y).coef_.tobytes() == over.coef_.tobytes()  # by the present client
    assert over.__sklearn_tags__() == rrmlinear.LinearClassifier().__sklearn_tags__()


@pytest.mark.parametrize("kind", ["LinearClassifier", "LinearRegressor"])
def test_parameters_are_those_of_one_process(kind):
    here, over = (getattr(each, kind)().get_params() for each in (rrmlinear, rooms))
    own = {"client": None, "parts": None, "balance": False, "wait_limit": 600.0}
    assert over == here | own


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"solver": "fista"}, "solver has no effect over workers"),
        ({"n_jobs": 2}, "n_jobs has no effect over workers"),
        ({"warm_start": True}, "warm_start has no effect over workers"),
        ({"C": np.inf}, "C"),
        ({"parts": 0}, "The 'parts' parameter of LinearClassifier must be"),
        ({"budget": 1.0}, "budget is not for workers"),
        ({"regularizer": "linf"}, "needs a smooth loss"),
    ],
)
def test_what_workers_do_not_take(client, parameters, words):
    with pytest.raises(ValueError, match=words):
        rooms.LinearClassifier(**parameters).fit(*CANCER)


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        (CANCER[0].astype(str), CANCER[1], "X must hold numbers: text is not converted"),
        (CANCER[0].astype("M8[s]"), CANCER[1], "X must hold numbers: times are not converted"),
        (CANCER[0][:0], CANCER[1][:0], "X has 0 rows; at least one example is needed"),
    ],
)
def test_what_are_no_numbers_is_refused_in_chunks(client, X, y, words):
    with pytest.raises(ValueError, match=words):
        rooms.LinearClassifier().fit(*chunked(X, y))


def test_a_client_that_is_none_is_refused():
    X, y = CANCER
    for kind, labels in (("LinearClassifier", y), ("MultilabelClassifier", np.c_[y, 1 - y])):
        with pytest.raises(TypeError, match=r"client must be a distributed\.Client, got str"):
            getattr(rooms, kind)(client="tcp://here:8786").fit(X, labels)


def test_predictions_of_collections_take_no_offset(client):
    X, y = CANCER
    over = rooms.LinearRegressor(client=client).fit(*chunked(X, y * 1.0))
    dX, dy = chunked(X, y * 1.0)
    assert over.score(dX, dy) == pytest.approx(over.score(X, y * 1.0), abs=1e-9)
    with pytest.raises(ValueError, match="of collections take no offset and no exposure"):
        over.predict(dX, offset=1.0)
