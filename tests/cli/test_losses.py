"""Losses on the command line: output, models and predictions in LIBLINEAR's forms."""

import re

import numpy as np
import pytest
from members import CLASS_LOSSES, REAL_LOSSES, SIGN_LOSSES, labels_in_domain

from rrmlinear import Model, Parameter, Problem, fit, read_libsvm, write_libsvm
from rrmlinear.liblinearutil import load_model


def write(path, X, y):
    write_libsvm(path, Problem.from_arrays(X, y))
    return path.name


@pytest.fixture
def signs(folder):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(50, 4))
    return write(folder / "signs", X, np.where(X[:, 0] + generator.normal(size=50) > 0, 3, -5))


@pytest.fixture
def reals(folder):
    generator = np.random.default_rng(1)
    X = generator.normal(size=(50, 4))
    return write(folder / "reals", X, X @ [1, 2, 0, 0] + 0.1 * generator.normal(size=50))


def header(path):
    return path.read_text().split("\nw\n")[0].splitlines()


@pytest.mark.parametrize("loss", SIGN_LOSSES | CLASS_LOSSES)
@pytest.mark.parametrize("data", ["iris", "signs"])
def test_classification(train, predict, folder, request, data, loss):
    path = request.getfixturevalue(data)
    ended = train("-s", 32, "--loss", loss, "-B", 1, path, "m")
    assert (ended.code, ended.err) == (0, "")
    problem = read_libsvm(path).with_bias(1.0)
    expected = fit(problem, Parameter(solver=32, loss=loss))
    result = expected.result
    assert f"optimization finished, #iter = {result.passes}\n" in ended.out
    assert f"Objective value = {-result.dual:f}\n" in ended.out
    assert f"nSV = {result.support['duals']}\n" in ended.out
    model = Model.load("m")
    assert model.weights.tobytes() == expected.weights.tobytes()
    assert (model.solver_name, model.loss, model.bias) == ("SDCA", loss, 1.0)
    labels = expected.labels.tolist()
    assert header(folder / "m") == [
        "solver_type SDCA",
        f"loss {loss}",
        f"nr_class {len(labels)}",
        "label " + " ".join(map(str, labels)),
        f"nr_feature {problem.n_features}",
        "bias 1",
    ]
    one_column = len(labels) == 2 and loss in SIGN_LOSSES
    assert model.weights.shape == (problem.n_features + 1, 1 if one_column else len(labels))
    ended = predict(path, "m", "out")
    predicted = [int(line) for line in (folder / "out").read_text().split()]
    assert predicted == expected.predict(problem).tolist()
    correct = np.count_nonzero(predicted == problem.labels)
    n = len(predicted)
    assert ended.out == f"Accuracy = {100 * correct / n:g}% ({correct}/{n})\n"


@pytest.mark.parametrize("loss", REAL_LOSSES)
def test_regression(train, predict, folder, reals, loss):
    lines = [line.partition(" ") for line in (folder / reals).read_text().splitlines()]
    labels = labels_in_domain(loss, np.array([float(label) for label, *_ in lines]))
    (folder / reals).write_text(
        "".join(f"{y} {rest}\n" for y, (*_, rest) in zip(labels.tolist(), lines, strict=True))
    )
    ended = train("-s", 32, "--loss", loss, reals, "m")
    assert (ended.code, ended.err) == (0, "")
    problem = read_libsvm(reals)
    expected = fit(problem, Parameter(solver=32, loss=loss))
    known = ["solver_type SDCA", f"loss {loss}", "nr_class 2", "nr_feature 4", "bias -1"]
    assert header(folder / "m") == known
    ended = predict(reals, "m", "out")
    written = (folder / "out").read_text().split()
    predicted = expected.predict(problem)
    assert written == [f"{value:.17g}" for value in predicted]
    error = ((predicted - problem.labels) ** 2).mean()
    correlation = np.corrcoef(predicted, problem.labels)[0, 1] ** 2
    first, second = ended.out.splitlines()
    assert first == f"Mean squared error = {error:g} (regression)"
    assert second == f"Squared correlation coefficient = {correlation:g} (regression)"


def test_cross_validation_of_a_regression(train, reals):
    ended = train("-q", "-s", 32, "--loss", "squared", "-v", 5, reals)
    assert (ended.code, ended.err) == (0, "")
    form = (
        r"Cross Validation Mean squared error = 0\.0\d+\n"
        r"Cross Validation Squared correlation coefficient = 0\.9\d+\n"
    )
    assert re.fullmatch(form, ended.out)


@pytest.mark.parametrize("loss", ["logistic", "softmax"])
@pytest.mark.parametrize("data", ["iris", "signs"])
def test_probabilities(train, predict, folder, request, data, loss):
    path = request.getfixturevalue(data)
    assert train("-q", "-s", 32, "--loss", loss, path, "m").code == 0
    ended = predict("-b", 1, path, "m", "out")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("Accuracy = ")
    model, problem = Model.load("m"), read_libsvm(path)
    first, *lines = (folder / "out").read_text().splitlines()
    assert first == "labels " + " ".join(map(str, model.labels.tolist()))
    expected = zip(model.predict(problem), model.predict_proba(problem), strict=True)
    assert lines == [f"{label} " + " ".join(f"{p:g}" for p in row) for label, row in expected]


def test_levels_of_quantiles_are_columns(train, predict, folder, reals):
    ended = train("--loss", "quantile", "--quantile", "0.1,0.5,0.9", "-B", 1, reals, "m")
    assert (ended.code, ended.err) == (0, "")
    model, problem, levels = Model.load("m"), read_libsvm(reals).with_bias(1.0), (0.1, 0.5, 0.9)
    each = [fit(problem, Parameter(loss="quantile", quantile=level)) for level in levels]
    assert model.levels == levels
    assert model.weights.tobytes() == np.hstack([one.weights for one in each]).tobytes()
    np.savetxt("o", moves := np.arange(50.0))
    expected = np.column_stack([one.predict(problem) for one in each])
    for more, moved in (((), 0.0), (("--offset", "o"), moves[:, None])):
        ended = predict(*more, reals, "m", "out")
        np.testing.assert_allclose(np.loadtxt("out"), expected + moved, rtol=1e-14)
        left = problem.labels - np.loadtxt("out")[:, 2]
        loss = f"{np.maximum(0.9 * left, -0.1 * left).mean():g}"
        assert ended.out.endswith(f"Mean loss of quantile 0.9 = {loss}\n")
    np.testing.assert_allclose(model.to_sklearn().predict(problem.to_scipy()), expected)
    text = (folder / "m").read_text()
    with pytest.raises(ValueError, match=r"of several quantiles; Model\.load reads it"):
        load_model("m")
    with pytest.raises(ValueError, match="a model of several quantiles, which LIBLINEAR has no"):
        model.save("m", liblinear=True)
    for levels in ("0.5", "0.5 0.1 0.9", "0.1 0.5 2", "0.1 0.5 x"):
        (folder / "m").write_text(re.sub("levels .*", f"levels {levels}", text))
        with pytest.raises(ValueError, match=f"m, line 6: levels are '{levels}'; two or more that"):
            Model.load("m")


@pytest.mark.parametrize("loss", ["hinge", "squared-hinge", "squared"])
def test_probabilities_of_other_losses_are_refused(train, predict, folder, signs, loss):
    assert train("-q", "-s", 32, "--loss", loss, signs, "m").code == 0
    error = predict.error("-b", 1, signs, "m", "out")
    assert error == (
        "probability output is only supported for logistic regression\n"
        f"the loss of m is {loss}, which has no probabilities for -b 1\n"
    )
    assert not (folder / "out").exists()
    assert predict("-b", 0, signs, "m", "out").code == 0


def test_regression_of_one_value(train, predict, folder):
    (folder / "data").write_text("2 1:1\n2 1:1\n")
    assert train("-q", "-s", 32, "--loss", "squared", "data", "m").code == 0
    assert "Squared correlation coefficient = nan (regression)" in predict("data", "m", "o").out


def test_predictions_beyond_double_precision_need_no_warning(train, predict, folder):
    (folder / "data").write_text("1 1:1\n2 1:1e10\n")
    assert train("-q", "-s", 11, "data", "m").code == 0
    *header, _ = (folder / "m").read_text().splitlines()
    (folder / "m").write_text("\n".join([*header, "1e308", ""]))
    ended = predict("data", "m", "o")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == (
        "Mean squared error = inf (regression)\n"
        "Squared correlation coefficient = nan (regression)\n"
    )
