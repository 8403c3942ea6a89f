"""The predict command: its output, files and errors."""

import io
import os
import sys

import pytest

from rrmlinear import Model, read_libsvm


@pytest.fixture
def model(train, iris):
    assert train("-q", iris, "iris.model").code == 0
    return "iris.model"


def test_accuracy_and_labels(predict, model, iris):
    ended = predict(iris, model, "out")
    problem = read_libsvm(iris)
    expected = Model.load(model).predict(problem)
    correct = (expected == problem.labels).sum()
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"Accuracy = {100 * correct / 75:g}% ({correct}/75)\n"
    with open("out") as file:
        assert file.read() == "".join(f"{label}\n" for label in expected)


def test_quiet_and_threads(predict, model, iris):
    predict(iris, model, "out")
    ended = predict("-q", "-m", 2, iris, model, "again")
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    with open("out") as one, open("again") as other:
        assert one.read() == other.read()


def test_standard_input(predict, model, iris, monkeypatch):
    with open(iris, "rb") as file:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(file.read())))
    assert predict("-", model, "out").out.startswith("Accuracy = ")
    assert os.path.getsize("out") == 2 * 75


def test_unknown_labels_and_features_count_as_wrong_and_nothing(predict, model, folder):
    (folder / "test").write_text("17 1:1 1999999999:5\n1.5 1:1\n")
    ended = predict("test", model, "out")
    assert (ended.code, ended.out) == (0, "Accuracy = 0% (0/2)\n")
    assert ended.err == (
        "WARNING: test has 1999999999 features and the model 4; those beyond are ignored\n"
    )
    (folder / "test").write_text("17 1:1 3:1\n")
    assert predict("test", model, "out").err == ""


def test_order_of_opening(predict, model, iris):
    assert predict("no1", "no2", "no/3").err.startswith("can't open input file no1\n")
    assert predict(iris, "no2", "no/3").err.startswith("can't open output file no/3\n")
    assert predict(iris, "no2", "out").err.startswith("can't open model file no2\n")
    assert not os.path.exists("out")


def test_bad_line_leaves_the_output_alone(predict, model, folder):
    (folder / "test").write_text("1 1:1\n2 2:x\n")
    (folder / "out").write_text("old")
    error = predict.error("test", model, "out")
    assert error.startswith("Wrong input format at line 2\ntest, line 2, column 5: found 'x'")
    assert (folder / "out").read_text() == "old"


def test_empty_test_file(predict, model, folder):
    (folder / "test").write_text("")
    error = predict.error("test", model, "out")
    assert error == "ERROR: test has no examples; at least one is needed\n"


def test_wrong_model(predict, iris):
    error = predict.error(iris, iris, "out")
    lines = error.splitlines()
    assert lines[0] == "unknown text in model file: [0]"
    assert lines[1].startswith(f"{iris}, line 1: found '0'")
    assert lines[2] == f"can't open model file {iris}"


def test_the_model_before_the_test_set(predict, model, iris):
    ended = predict(model, iris, "out")
    told = f"can't open model file {iris}; the files are test_file, model_file, output_file"
    assert (ended.code, ended.err.splitlines()[-1]) == (1, told)


def test_output_is_no_input(predict, model, iris):
    assert predict(iris, model, model).err == (
        f"ERROR: {model} is the model and cannot be the output too\n"
    )
    assert Model.load(model).n_features == 4
