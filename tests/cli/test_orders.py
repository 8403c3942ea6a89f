"""Losses of orders on the command line: text with query ids, model files, predictions."""

import numpy as np
import pytest

from rrmlinear import Model, Parameter, Problem, fit, read_libsvm, write_libsvm
from rrmlinear.catalog.losses import ORDER_LOSSES
from rrmlinear.core.records import replace
from rrmlinear.metrics import concordance, kendall_tau, ndcg

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
QID = rng.integers(1, 6, 60)
GRADES = np.digitize(X[:, 0] + rng.normal(size=60), [-0.5, 0.5])
TIMES = np.round(rng.exponential(np.exp(-X[:, 0])), 1) * np.where(rng.random(60) < 0.3, -1, 1)


@pytest.fixture
def ranked(folder):
    return write(folder / "ranked", GRADES, QID)


def write(path, y, qid):
    write_libsvm(path, replace(Problem.from_arrays(X, y), query_ids=qid))
    return path.name


@pytest.mark.parametrize("loss", ORDER_LOSSES)
@pytest.mark.parametrize("regularizer", ["l2", "l1"])
@pytest.mark.parametrize("given", [(), ("--entry", "entry")])
def test_models_and_their_measures(train, predict, ranked, timed, loss, regularizer, given):
    path, given = (ranked, ()) if (is_ranked := loss.startswith("rank")) else (timed, given)
    how = "--loss", loss, "--regularizer", regularizer, "-c", 0.1
    ended = train(*how, *given, path, "m")
    assert (ended.code, ended.err) == (0, "")
    problem, model = read_libsvm(path), Model.load("m")
    late = replace(problem, entry=np.loadtxt("entry") if given else None)
    expected = fit(late, Parameter(loss=loss, regularizer=regularizer, C=0.1))
    assert model.weights.tobytes() == expected.weights.tobytes()
    assert model.loss == loss
    ended = predict(path, "m", "out")
    scores = np.loadtxt("out")
    assert scores == pytest.approx(X @ model.weights[:, 0], rel=1e-5)
    found, y, qid = told(ended), problem.labels, problem.query_ids
    if is_ranked:
        assert found["nDCG@10"] == pytest.approx(ndcg(y, scores, qid, 10), rel=1e-4)
        assert found["Kendall's tau"] == pytest.approx(kendall_tau(y, scores, qid), rel=1e-4)
    else:
        assert found["Concordance"] == pytest.approx(concordance(y, -scores, qid), rel=1e-5)


def test_info_counts_queries_of_text_and_of_containers(train, info, convert, ranked):
    assert convert(ranked, "ranked.rrm").code == 0
    for name in (ranked, "ranked.rrm"):
        ended = info(name)
        assert (ended.code, ended.err) == (0, "")
        assert f"queries                    {len(np.unique(QID))}\n" in ended.out
        assert f"train --loss rank-squared-hinge {name}" in ended.out
        assert f"train -C --loss rank-squared-hinge {name}  (C from " in ended.out
    told = ended.out.split("(C from ")[1].split(",")[0]
    first = train("-C", "--loss", "rank-squared-hinge", ranked).out.split("log2c=")[1].split()[0]
    assert 2.0 ** float(first) == pytest.approx(float(told), rel=0.05)


def test_a_cache_and_a_report(train, ranked, timed, folder):
    pytest.importorskip("jinja2")
    late = "--loss", "cox-efron", "--entry", "entry", "--report", "p.html", "--report-test", timed
    assert train(*late, timed, "m").code == 0
    choices = ("--loss", "rank-hinge", "-c", 0.1)
    assert train(*choices, ranked, "m").code == 0
    assert train(*choices, "--cache", "--report", "page.html", ranked, "n").code == 0
    assert (folder / "m").read_text() == (folder / "n").read_text()
    assert train(*choices, "--cache", ranked, "n").code == 0
    assert (folder / "m").read_text() == (folder / "n").read_text()


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        (("-B", 1), "a bias has no effect"),
        (("--memory", "1G"), "has no effect with loss rank-hinge"),
        (("-w1", 2), "has no effect with loss rank-hinge"),
        (("-s", 32), "rank-hinge"),
        (("--entry", "some"), "loss rank-hinge takes no --entry: Cox regression does"),
    ],
)
def test_what_is_refused(train, ranked, choices, sentence):
    ended = train("--loss", "rank-hinge", *choices, ranked, "m")
    assert ended.code == 1
    assert sentence in ended.err + ended.out


@pytest.fixture
def timed(folder):
    np.savetxt(folder / "entry", np.abs(TIMES) - 0.1 - 0.3 * QID)
    return write(folder / "times", TIMES, QID)


def told(ended):
    """The values of lines NAME = VALUE."""
    pairs = (line.split(" = ") for line in ended.out.splitlines() if " = " in line)
    return {name.removeprefix("Cross Validation "): float(value) for name, value in pairs}


def test_folds_of_ranks_are_of_whole_queries(train, ranked):
    """With as many folds as queries each is held out once, whatever the seed."""
    ended = train("--loss", "rank-squared-hinge", "-c", 0.1, "-v", 5, "-q", ranked)
    problem, scores = read_libsvm(ranked), np.empty(60)
    for query in range(1, 6):
        own = query == QID
        rest = problem.take(np.flatnonzero(~own))
        model = fit(rest, Parameter(loss="rank-squared-hinge", C=0.1))
        scores[own] = X[own] @ model.weights[:, 0]
    y = problem.labels
    found = told(ended)
    assert found["nDCG@10"] == pytest.approx(ndcg(y, scores, QID, 10), rel=2e-2)
    assert found["Kendall's tau"] == pytest.approx(kendall_tau(y, scores, QID), rel=2e-2)
    more = train("--loss", "rank-squared-hinge", "-c", 0.1, "-v", 9, "-q", ranked)
    assert "# folds > # queries. Will use # folds = # queries instead\n" in more.err
    assert told(more) == found


@pytest.mark.parametrize("loss", ["rank-hinge", "rank-logistic", "cox-efron"])
def test_a_search_ends_at_the_best_cost(train, ranked, timed, loss):
    path = timed if loss.startswith("cox") else ranked
    name = "Concordance" if loss.startswith("cox") else "Kendall's tau"
    ended = train.done("--loss", loss, "-C", "-v", 3, path)
    *trials, best = ended.out.splitlines()
    rates = [float(line.split("rate=")[1]) for line in trials if "rate=" in line]
    cost, rate = best.removeprefix("Best C = ").split(f"  CV {name} = ")
    assert float(rate.removesuffix("%")) == max(rates) > 50
    ended = train("--loss", loss, "-v", 3, "-c", cost, path)
    assert told(ended)[name] == pytest.approx(max(rates) / 100, abs=0.02)


@pytest.mark.parametrize("given", [(), ("--entry", "entry"), ("--cache", "--entry", "entry")])
def test_folds_of_times_have_events_each(train, timed, given):
    ended = train.done("--loss", "cox-breslow", "-v", 5, "-q", *given, timed)
    assert 0.5 < told(ended)["Concordance"] < 1


@pytest.mark.parametrize("how", [("-v", 3), ("-C",)])
def test_too_few_for_folds(train, folder, how):
    one = write(folder / "one", np.arange(60) % 3, np.ones(60, dtype=int))
    error = train.error("--loss", "rank-hinge", *how, one)
    assert "rank-hinge deals queries to folds: it needs 2 or more, and there is 1" in error
    single = write(folder / "single", np.where(np.arange(60) == 7, 2.0, -3.0), QID)
    error = train.error("--loss", "cox-efron", *how, single)
    assert "cox-efron deals events to folds: it needs 2 or more, and there is 1" in error
    none = write(folder / "none", np.full(60, -3.0), QID)
    error = train.error("--loss", "cox-efron", none, "m")
    assert "all times are censored: the partial likelihood needs an event" in error
