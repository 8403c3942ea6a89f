"""The benchmark judges by one objective, finds the least effort, and works without peers."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from numpy.testing import assert_allclose


@pytest.fixture
def two_classes():
    random = np.random.default_rng(0)
    X = random.standard_normal((120, 6)) / 3
    return X, np.where(X[:, 0] + 0.3 * random.standard_normal(120) > 0, 1.0, -1.0)


def contestant(tool, values, limit_at=10**6):
    """A solver whose objective at effort e is values(e), too slow from some effort on."""
    contest = tool("contest")

    class Fake:
        def train(self, effort, limit):
            if effort >= limit_at:
                raise contest.TooSlowError
            return effort / 1e6, effort

        def close(self):
            pass

    return contest.Contestant("fake", Fake, values, 1.0)


@pytest.mark.parametrize("least", [0, 1, 15, 16, 17, 100])
def test_the_least_effort_is_found(tool, least):
    one = contestant(tool, lambda effort: 1.0 if effort >= least else 2.0)
    assert one.least_effort(1.5) == least


def run_csv(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_head_to_head_without_other_packages(tool, tmp_path, capsys):
    pytest.importorskip("sklearn")
    out = tmp_path / "out.csv"
    words = ["text", "--rows", "300", "--features", "400", "--losses", "hinge", "--runs", "2"]
    words += ["--only", "rrmlinear plain,scikit-learn LinearSVC dual,celer,snapml"]
    words += ["--csv", str(out)]
    assert tool("bench_sdca").main(words) == 0

    rows = run_csv(out)
    reached = {row["solver"]: row for row in rows if row["level"] == "1e-06"}
    for name in ("rrmlinear plain", "rrmlinear plain, gap proved", "scikit-learn LinearSVC dual"):
        assert 0 < float(reached[name]["least"]) <= float(reached[name]["cpu"])
        assert float(reached[name]["suboptimality"]) <= 1.05e-6
    why = {row["solver"]: row["why not"] for row in rows if row["why not"]}
    assert "does not solve this problem" in why["celer"]
    told = capsys.readouterr().out
    assert "| rrmlinear plain |" in told
    if "snapml" in why:
        assert f"left out: snapml: {why['snapml']}" in told
        assert "ModuleNotFoundError" in why["snapml"]


@pytest.mark.parametrize(
    ("suite", "losses"),
    [("l2", ["hinge", "smooth-hinge", "squared-hinge", "logistic"]), ("elastic-net", ["logistic"])],
)
def test_all_forms_of_ours_have_one_optimum(tool, two_classes, suite, losses):
    X, y = two_classes
    y = -y  # begins with the other class: the weights' sign must not depend on the order
    problems, ours = tool("problem_sets"), tool("ours")
    tasks = problems.l2_tasks(losses, 2.0)
    if suite == "elastic-net":
        tasks = problems.elastic_net_tasks(losses, len(y), 1e-3, 1e-3)
    for task in tasks:
        found = [
            task.objective(X, y, ours.trainer(kind, X, y, task)(gap_tol=1e-8)[0])
            for kind in ours.KINDS
            if suite == "l2" or kind != "newton"
        ]
        assert_allclose(found, min(found), rtol=2e-8)


def test_the_lasso_is_the_optimum_of_scikit_learn(tool):
    linear = pytest.importorskip("sklearn.linear_model")
    X, y = tool("problem_sets").load("lasso", 200, 300)
    ours = tool("ours")
    for task in tool("problem_sets").lasso_tasks(X, y)[:2]:
        w = ours.trainer("automatic", X, y, task)(gap_tol=1e-10)[0]
        lasso = linear.Lasso(task.l1 / len(y), fit_intercept=False, tol=1e-10, max_iter=100_000)
        other = task.objective(X, y, lasso.fit(X.tocsc(), y).coef_)
        assert_allclose(task.objective(X, y, w), other, rtol=1e-8)
        with pytest.raises(ValueError, match="does not solve this problem"):
            ours.trainer("plain", X, y, task)
