"""Estimators over files and problems that have names."""

import numpy as np
import pytest

import rrmlinear
from rrmlinear import LinearRegressor, LogisticRegression, PoissonRegressorCV, Problem, path

KINDS = ["LinearSVC", "LinearSVCCV", "RidgeClassifierCV", "KernelClassifier", "ERLPBoostClassifier"]


@pytest.fixture
def problem(tmp_path):
    pytest.importorskip("pyarrow", reason="tables are read by pyarrow")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    kinds = np.where(X[:, 0] > 0, "warm", "cold")
    rows = [",".join(map(str, row)) + f",{kind}" for row, kind in zip(X, kinds, strict=True)]
    (tmp_path / "t.csv").write_text("a,b,c,label\n" + "\n".join(rows) + "\n")
    return Problem.open(tmp_path / "t.csv")


def test_words_and_names_are_those_of_the_file(problem, tmp_path):
    for given in (problem, str(tmp_path / "t.csv")):
        model = LogisticRegression().fit(given)
        assert model.classes_.tolist() == ["cold", "warm"]
        assert model.feature_names_in_.tolist() == ["a", "b", "c"]
        assert model.score(given) > 0.9
        assert set(model.predict(given)) == {"cold", "warm"}
    same = LogisticRegression().fit(problem.to_scipy(), model.predict(problem))
    assert not hasattr(same, "feature_names_in_")


@pytest.mark.parametrize("kind", KINDS)
def test_columns_are_taken_by_their_names(kind, problem, tmp_path):
    lines = [line.split(",") for line in (tmp_path / "t.csv").read_text().splitlines()]
    turned = "\n".join(",".join([line[2], line[3], line[1], line[0]]) for line in lines)
    (tmp_path / "u.csv").write_text(turned + "\n")
    model = getattr(rrmlinear, kind)().fit(problem)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    other = Problem.open(tmp_path / "u.csv")
    assert np.allclose(
        model.decision_function(other), model.decision_function(problem), rtol=1e-12, atol=1e-12
    )
    (tmp_path / "u.csv").write_text(turned.replace(",b,a", ",b,z", 1) + "\n")
    with pytest.raises(ValueError, match=r"X lacks 1 of the model's 3 features.*'a'"):
        model.predict(Problem.open(tmp_path / "u.csv"))


def test_counts_choose_alpha_on_a_problem(problem):
    X, y = problem.to_scipy(), np.arange(60.0) % 7
    found = PoissonRegressorCV(alphas=3).fit(Problem.from_arrays(X, y))
    assert np.array_equal(found.coef_, PoissonRegressorCV(alphas=3).fit(X, y).coef_)


def test_a_regression_refuses_words(problem):
    with pytest.raises(ValueError, match="numbers"):
        LinearRegressor().fit(problem)


def test_paths_keep_the_names(problem, tmp_path):
    pytest.importorskip("plotly", reason="pages are made by plotly")
    found = path(problem, Cs=[0.1, 1.0])
    assert list(found.feature_names) == ["a", "b", "c"]
    found.report(tmp_path / "p.html", static=True)
    text = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert "label" in text
    assert list(found.classes) == ["cold", "warm"]
    rrmlinear.KernelClassifier().fit(problem).report(tmp_path / "k.html", problem)
