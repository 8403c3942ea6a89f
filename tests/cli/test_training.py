"""The train command: its output, files and errors."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from rrmlinear import Model, Parameter, fit, read_libsvm

DATASETS = Path(__file__).resolve().parents[2] / "datasets"


def lines_of_passes(out):
    return [line for line in out.splitlines() if line.startswith("pass ")]


def test_trains_and_saves(train, iris, folder):
    ended = train("-s", 30, "-c", 1, iris)
    assert (ended.code, ended.err) == (0, "")
    model = Model.load("iris.libsvm.model")
    expected = fit(read_libsvm(iris), Parameter(solver=30))
    assert (model.weights == expected.weights).all()
    passes = expected.result.passes
    assert len(lines_of_passes(ended.out)) <= 2 + np.log2(passes)
    assert f"optimization finished, #iter = {passes}\n" in ended.out
    assert f"Objective value = {-expected.result.dual:f}\n" in ended.out
    assert f"nSV = {expected.result.support['duals']}\n" in ended.out
    assert "the duality gap is within the tolerance" in ended.out
    assert os.listdir(folder) == ["iris.libsvm.model"]


@pytest.mark.parametrize("options", [(), ("-v", 3), ("-C",)])
@pytest.mark.parametrize("number", [1, 7, 30])
def test_a_time_limit_that_is_not_reached_changes_nothing(train, iris, number, options):
    free = train("-s", number, "-q", *options, iris)
    kept = "" if options else Path("iris.libsvm.model").read_text()
    limited = train("-s", number, "-q", *options, "--time-limit", 1000, iris)
    assert (limited.code, limited.out, limited.err) == (0, free.out, free.err)
    if not options:
        assert Path("iris.libsvm.model").read_text() == kept


def test_a_line_a_pass(train, iris):
    first, second = lines_of_passes(train("-s", 30, "-t", 2, iris).out)
    form = r"pass +{} +seconds +\d+\.\d+ +primal \S+ +dual \S+ +relative gap +{}\d\.\d+e[-+]\d+"
    assert re.fullmatch(form.format(1, "~?"), first)
    assert re.fullmatch(form.format(2, ""), second)
    assert "~" in train("-s", 30, "-t", 3, iris).out


def test_quiet_prints_nothing_and_saves_the_model(train, iris):
    ended = train("-q", "-s", 31, iris, "m")
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert Model.load("m").solver_name == "MCSVM_WW_Shark"


def test_options_reach_the_solver(train, iris):
    assert train("-q", "-B", 1, "-w1", 2, "-w1", 3, "-S", 5, "--gap-tol", 1e-6, iris, "m").code == 0
    parameter = Parameter(class_weights={1: 6.0}, seed=5, gap_tol=1e-6)
    expected = fit(read_libsvm(iris).with_bias(1.0), parameter)
    model = Model.load("m")
    assert model.bias == 1.0
    assert (model.weights == expected.weights).all()


def test_not_solved_is_a_warning(train, iris):
    ended = train.done("-s", 30, "-t", 3, iris)
    assert ended.err.startswith(
        "WARNING: the limit on passes was reached before the tolerance: after 3 passes the gap is "
    )
    assert os.path.exists("iris.libsvm.model")


PRIMAL, TARGET = r"primal = ([\d.]+)", r"\(target ([\d.e-]+)\)"


def test_a_rule_that_does_not_hold_is_a_warning(train, iris):
    ended = train.done("-s", 3, "-e", 1e-9, "-t", 2, iris, "m")
    assert ended.err.startswith(
        "WARNING: the limit on passes was reached before the tolerance: after 6 passes over 3 "
        "problems the gap is "
    )
    assert ended.err.endswith("; the stopping rule that was asked for does not hold yet\n")
    # beside the rule a gap of 3e-3 is asked for, times this -e over the default
    primal, target = (float(re.search(words, ended.out)[1]) for words in (PRIMAL, TARGET))
    assert target == pytest.approx(3e-3 * (1e-9 / 0.1) * primal, rel=1e-3)


@pytest.mark.parametrize(
    "words", [("-s", 3, "-c", 1000, "-e", 1e-14), ("-s", 12, "-c", 1e-3, "-p", 1.35, "-C")]
)
def test_nothing_is_said_of_a_gap_that_is_rounding(train, folder, words):
    """The rule does not hold where nothing moves any more, and the model is the best one."""
    with open(DATASETS / "digits.libsvm") as lines, open("few", "w") as few:
        few.writelines(islice(lines, 60))
    ended = train("-q", *words, "few")
    assert (ended.code, ended.err) == (0, "")


def test_unknown_weight_is_a_warning(train, iris):
    ended = train.done("-q", "-w7", 2, iris)
    assert ended.err == "WARNING: class label 7 specified in weight is not found\n"


def test_trace_is_json_lines(train, iris, folder):
    assert train("-q", "--trace", "t.json", iris, "m").code == 0
    rows = [json.loads(line) for line in (folder / "t.json").read_text().splitlines()]
    assert [row["pass"] for row in rows] == list(range(1, len(rows) + 1))
    assert set(rows[0]) == {"pass", "seconds", "primal", "dual", "gap", "estimated"}
    assert rows[-1]["gap"] == rows[-1]["primal"] - rows[-1]["dual"]
    assert sorted(os.listdir(folder)) == ["m", "t.json"]


def test_standard_input(train, iris, monkeypatch):
    with open(iris, "rb") as file:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(file.read())))
    assert train("-q", "-", "m").code == 0
    assert (Model.load("m").weights == fit(read_libsvm(iris), Parameter()).weights).all()


def test_cross_validation(train, iris, folder):
    ended = train("-v", 5, iris)
    assert (ended.code, ended.err) == (0, "")
    assert re.fullmatch(r"Cross Validation Accuracy = [\d.]+%", ended.out.splitlines()[-1])
    assert ended.out.count("pass     1 ") == 5
    assert os.listdir(folder) == []
    assert train("-q", "-v", 5, iris).out == ended.out.splitlines()[-1] + "\n"


def test_more_folds_than_examples(train, folder):
    (folder / "few").write_text("1 1:1\n1 1:2\n2 1:-1\n2 1:-2\n")
    ended = train("-q", "-v", 9, "few")
    assert ended.err == (
        "WARNING: # folds > # data. Will use # folds = # data instead "
        "(i.e., leave-one-out cross validation)\n"
    )
    assert ended.out == "Cross Validation Accuracy = 100%\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1:1\n2 2:x\n", "Wrong input format at line 2\ndata, line 2, column 5: found 'x'"),
        ("", "ERROR: data has no examples; at least one is needed\n"),
        ("1\n2\n", "ERROR: data has no features; at least one is needed\n"),
        ("1.5 1:1\n2 1:2\n", "ERROR: label 1.5 of example 1 is not a whole number"),
        ("1 1:1e200\n2 1:2\n", "ERROR: the squared norm of example 1 overflows"),
    ],
)
def test_wrong_data(train, folder, text, message):
    (folder / "data").write_text(text)
    (folder / "data.model").write_text("old")
    ended = train("data")
    assert ended.code == 1
    assert ended.err.startswith(message)
    assert ended.out == ""
    assert (folder / "data.model").read_text() == "old"


def test_one_class_in_a_fold(train, folder):
    (folder / "data").write_text("1 1:1\n1 1:1\n2 1:2\n")
    error = train.error("-q", "-s", 30, "-v", 3, "data")
    assert error.startswith("ERROR: fold 3 of 3: all 2 examples have label 1")


#: The train command in a process that may address 1 GiB.
WITH_LITTLE_MEMORY = """
import resource, sys
from rrmlinear.cli.command import run
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
sys.exit(run("training", sys.argv[1:]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on the addresses of a process")
def test_too_many_features(folder):
    (folder / "data").write_text("1 200000000:1\n2 1:1\n")
    words = [sys.executable, "-c", WITH_LITTLE_MEMORY, "data"]
    ended = subprocess.run(words, capture_output=True, text=True)
    assert ended.returncode == 1
    assert ended.stderr.startswith("ERROR: not enough memory: ")
    assert "the weights of 200000000 features and 2 classes take 3200000000 bytes" in ended.stderr
    assert os.listdir(folder) == ["data"]


def test_text_passed_over(train, predict, folder):
    (folder / "data").write_text("1 1:2 3:4 5\n-1 2:1\n1 2 3 4\n")
    sentence = "data, line 1, column 11: found '5' where index:value is expected"
    ended = train("-q", "data", "m")
    assert (ended.code, ended.out) == (0, "")
    assert ended.err == f"WARNING: {sentence}; it is left out; 1 more such line\n"
    ended = predict("-q", "data", "m", "out")
    assert (ended.code, ended.err.count("WARNING: data, line 1, column 11: ")) == (0, 1)
    os.remove("m")
    for command, files in ((train, ["data", "m"]), (predict, ["data", "n", "out"])):
        if command is predict:
            (folder / "good").write_text("1 1:1\n-1 1:-1\n")
            assert train("-q", "good", "n").code == 0
            os.remove("out")
        ended = command("--strict", "-q", *files)
        assert (ended.code, ended.out) == (1, "")
        assert ended.err == f"Wrong input format at line 1\n{sentence}\n"
        assert not os.path.exists(files[-1])


@pytest.mark.parametrize("solver", [30, 32, "newton"])
def test_an_index_beyond_any_memory(train, folder, solver):
    (folder / "data").write_text(f"1 1:1 {2**62}:1\n-1 1:-1\n")
    error = train.error("-q", "-s", solver, "data", "m")
    assert error == (
        f"ERROR: not enough memory: no process can address weights of {2**62} features; the "
        f"weights of {2**62} features and 2 classes take {2**66} bytes\n"
    )
    assert os.listdir(folder) == ["data"]


def test_an_overflow_that_is_checked(train, iris, folder, monkeypatch):
    def fail(*arguments):
        raise FloatingPointError("a Newton system has overflowed; scale the data")

    monkeypatch.setattr("rrmlinear.cli.training.fit_selection", fail)
    assert train.error("-q", iris, "m") == "ERROR: a Newton system has overflowed; scale the data\n"
    assert os.listdir(folder) == []


@pytest.mark.parametrize(
    "error",
    [
        ZeroDivisionError("float division by zero"),
        OverflowError("a\n  b"),
        ImportError(),
        KeyError(3),
    ],
)
def test_any_other_error_is_one_line(train, iris, folder, monkeypatch, error):
    def fail(*arguments):
        raise error

    monkeypatch.setattr("rrmlinear.cli.training.fit_selection", fail)
    said = train.error("-q", iris, "m")
    reason = " ".join(str(error).split()) or "no reason is given"
    kind = re.escape(f"ERROR: {reason} ({type(error).__name__}")
    assert re.fullmatch(rf"{kind} in test_training\.py, line \d+\)\n", said)
    assert os.listdir(folder) == []


@pytest.mark.parametrize("missing", ["nothing", "nowhere/nothing"])
def test_input_that_cannot_be_opened(train, missing):
    error = train.error(missing, "also/nowhere")
    assert error == f"can't open input file {missing}\nNo such file or directory\n"


def test_folder_as_input(train, folder):
    (folder / "empty").mkdir()
    assert train("empty").err == "ERROR: the folder empty has no files\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere/m"], "can't save model to file nowhere/m\nNo such file or directory\n"),
        (["."], "can't save model to file .\nIs a directory\n"),
    ],
)
def test_model_file_is_tried_before_training(train, iris, arguments, message):
    ended = train(iris, *arguments)
    assert (ended.code, ended.out, ended.err) == (1, "", message)


def test_trace_file_is_tried_before_training(train, iris, folder):
    error = train.error("--trace", "nowhere/t", iris)
    assert error == "can't open trace file nowhere/t\nNo such file or directory\n"
    assert os.listdir(folder) == []


def test_files_must_be_distinct(train, iris, folder):
    shutil.copy(iris, "data")
    assert train("data", "data").err == (
        "ERROR: data is the training set and cannot be the model file too\n"
    )
    assert train("--trace", "m", "data", "./m").err == (
        "ERROR: m is the model file and cannot be the trace file too\n"
    )
    assert os.listdir(folder) == ["data"]


def test_no_space_left(train, iris, monkeypatch, folder):
    def full(model, path, liblinear):
        raise OSError(28, "No space left on device", path)

    monkeypatch.setattr("rrmlinear.training.model.save_model", full)
    assert train.error("-q", iris, "m") == "can't save model to file m\nNo space left on device\n"
