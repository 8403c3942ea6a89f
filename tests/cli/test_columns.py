"""Groups of features, bounds and features without a penalty, as the train command takes them."""

import json
from pathlib import Path

import numpy as np
import pytest

from rrmlinear import Model, Parameter, Problem, fit, read_libsvm

WITH = ("-q", "-s", 35, "--loss", "softmax")


def group_lasso(groups, *more):
    return (*WITH, "--regularizer", "group-lasso", "--groups", groups, *more)


def test_groups_of_a_file(train, iris, folder):
    (folder / "groups").write_text("7\n-1\n 7\n3\n")
    assert train(*group_lasso("groups"), iris, "m").code == 0
    expected = fit(
        read_libsvm(iris),
        Parameter(solver=35, loss="softmax", regularizer="group-lasso", groups=[7, -1, 7, 3]),
    )
    np.testing.assert_array_equal(Model.load("m").weights, expected.weights)
    assert expected.weights.any()
    assert train(*group_lasso("groups", "-v", 3), iris).code == 0


@pytest.mark.parametrize("spelling", ["2,4", "4,2-2", "file", "--unpenalized=2,4"])
def test_features_without_a_penalty(train, iris, folder, spelling):
    (folder / "file").write_text("4\n2\n")
    given = [spelling] if spelling.startswith("--") else ["--unpenalized", spelling]
    ended = train(*WITH, "--regularizer", "linf", *given, "--limit", 50, iris, "m")
    assert (ended.code, ended.err) == (0, "")
    chosen = {"regularizer": "linf", "unpenalized": [1, 3], "limit": 50}
    expected = fit(read_libsvm(iris), Parameter(solver=35, loss="softmax", **chosen))
    np.testing.assert_array_equal(Model.load("m").weights, expected.weights)
    assert np.abs(expected.weights[[1, 3]]).max() > np.abs(expected.weights[[0, 2]]).max()


def test_weights_reach_their_bounds_and_no_further(train, iris):
    assert train(*WITH, "-B", 1, "--lower", -0.25, "--upper", 0.5, iris, "m").code == 0
    weights = Model.load("m").weights
    assert (weights[:4].min(), weights[:4].max()) == (-0.25, 0.5)


def test_what_is_infinite_at_first_is_null_in_a_trace(train, folder):
    # 0 is below the bound, and no step is taken in the first pass
    (folder / "data").write_text("9 1:30 2:-1\n3 1:1 2:20\n-5 1:-9 2:0.5\n")
    given = ("-s", 42, "--loss", "squared", "--lower", 0.2, "--gap-tol", 1e-6)
    ended = train(*given, "-c", 10, "--trace", "t", "data", "m")
    first, *_, last = map(json.loads, (folder / "t").read_text().splitlines())
    assert (first["primal"], first["gap"]) == (None, None)
    assert 0 <= last["gap"] <= 1e-6 * last["primal"]
    assert "primal inf  dual" in ended.out
    assert "relative gap  inf" in ended.out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\n2\n3\n", "groups has 3 groups and {iris} 4 features: feature 4 has none"),
        ("1\n2\n3\n3\n3\n", "groups has 5 groups and {iris} 4 features: line 5 is beyond"),
        ("1\n2.5\n3\n3\n", "groups, line 2: '2.5' is not a whole number"),
        (
            "1\n" + 9 * "word " + "\n3\n3\n",
            "groups, line 2: '" + 8 * "word " + "…' is not a whole number",
        ),
        ("1\n\n3\n3\n", "groups, line 2: '' is not a whole number"),
        ("", "groups is empty; it must have a whole number on each line"),
    ],
)
def test_wrong_groups_are_named(train, iris, folder, text, message):
    (folder / "groups").write_text(text)
    assert train.error(*group_lasso("groups"), iris, "m") == f"ERROR: {message.format(iris=iris)}\n"
    assert not (folder / "m").exists()


def test_the_groups_file_is_not_written_over(train, iris, folder):
    (folder / "groups").write_text("1\n1\n1\n1\n")
    ended = train(*group_lasso("groups"), iris, "groups")
    assert ended.err == "ERROR: groups is the groups file and cannot be the model file too\n"
    assert (folder / "groups").read_text() == "1\n1\n1\n1\n"


def test_a_missing_file_is_named(train, iris):
    ended = train(*group_lasso("nowhere"), iris, "m")
    assert ended.err.startswith("can't open groups file nowhere\n")
    ended = train(*WITH, "--unpenalized", "nowhere", iris, "m")
    assert ended.err.startswith("can't open file of features nowhere\n")
    assert ended.code == 1


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ("0", "features count from 1, and 0 is given"),
        ("3-2", "'3-2' ends before it begins"),
        ("3,,2", "'' is not a whole number"),
        ("1-2-3", "'2-3' is not a whole number"),
        ("2-5", "feature 5 is beyond the 4 features of {iris}"),
    ],
)
def test_wrong_features_are_named(train, iris, features, message):
    ended = train(*WITH, "--unpenalized", features, iris, "m")
    assert ended.err == f"ERROR: --unpenalized: {message.format(iris=iris)}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--groups", "iris"), "--groups has no effect with regularizer l2: it is for regular"),
        (("--regularizer", "group-lasso"), "regularizer group-lasso needs --groups, the group of"),
        (("--loss", "hinge", "--regularizer", "l1inf"), "regularizer l1inf is for several columns"),
        (("--limit", "3"), "--limit has no effect without --unpenalized"),
        (("--lower", "2", "--upper", "1"), "--lower 2.0 is above --upper 1.0; no weight lies"),
    ],
)
def test_choices_without_effect(train, iris, folder, arguments, message):
    (folder / "iris").write_text("1\n1\n1\n1\n")
    assert train.error(*WITH, *arguments, iris, "m").startswith(f"ERROR: {message}")


def test_factors_of_penalties_come_from_files(train):
    rows = ["1 1:1 2:2 3:1", "-1 1:2 2:1", "1 1:1 3:2", "-1 2:3 3:0.5"]
    Path("a.txt").write_text("\n".join(rows))
    Path("f.txt").write_text("0\n2\n1")
    given = ("--loss", "logistic", "--gap-tol", "1e-8")
    assert train(*given, "--penalty-factors", "f.txt", "a.txt", "model").code == 0
    known = Problem.from_arrays(read_libsvm("a.txt").to_scipy().toarray(), [1, -1, 1, -1])
    how = {"loss": "logistic", "gap_tol": 1e-8, "penalty_factors": [0, 2, 1]}
    expected = fit(known, Parameter(**how)).weights
    np.testing.assert_allclose(Model.load("model").weights, expected, atol=1e-5)
    Path("g.txt").write_text("1\n1\n2")
    groups = ("--regularizer", "group-lasso", "--groups", "g.txt", "--group-weights")
    Path("h.txt").write_text("2\n0")
    assert train(*given, *groups, "h.txt", "a.txt", "model").code == 0
    error = train.error(*given, *groups, "f.txt", "a.txt", "model")
    assert "there are 3 factors for 2 groups" in error
    error = train.error(*given, "--penalty-factors", "h.txt", "a.txt", "model")
    assert "there are 2 numbers, and a.txt has 3 features" in error
    Path("w.txt").write_text("1\nx\n2")
    error = train.error(*given, "--penalty-factors", "w.txt", "a.txt", "model")
    assert "w.txt holds words, not numbers" in error
    Path("w.txt").write_text("1\n2\n-1")
    error = train.error(*given, "--penalty-factors", "w.txt", "a.txt", "model")
    assert "w.txt: number 3 is -1; it must be at least 0 and finite" in error
